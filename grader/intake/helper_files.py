"""Take a hand-in's helpers: the modules beside the files that were chosen, which those may import."""

import keyword
import re
from collections.abc import Iterable
from pathlib import Path

from grader.bundle.warn import file_digest
from grader.course.model import Exercise
from grader.sources.tree import Member, UnreadableError

_MAX_HELPERS = 20
_PLUGIN = "conftest.py"
_OLDER_PLUGINS = {"b65b2c449b67350b", "ac7eb6b61c43d6cb", "22953b4d4a002341"}
"""The digests of conftest.py as bundles had it before."""
_TEST_TOOLS = re.compile(
    r"test_.*|.*_test|conftest|pytest.*|_pytest|pluggy|sitecustomize|usercustomize", re.IGNORECASE
)


def take_helpers(beside: Iterable[Member], exercise: Exercise) -> tuple[dict[str, bytes], list[Member]]:
    """Return the helpers by file name, and the modules that were left out.

    A module that pytest would collect, that cannot be imported by its name, or that is too much, is left out;
    the bundle's own files are neither.
    """
    given = {f"test_{name}" for name in exercise.files}  # the visible tests, which every student was given
    helpers: dict[str, bytes] = {}
    ignored: list[Member] = []
    room = 4 * max_bytes(exercise)
    modules = [m for m in beside if m.name.endswith(".py") and m.name not in given]
    for member in sorted(modules, key=lambda one: one.name != _module_file(one.name)):  # own names first
        name = _module_file(member.name)
        free = bool(name) and name not in helpers and name not in exercise.files
        if member.name == _PLUGIN and _is_the_bundles(member):
            continue
        is_read = free and len(helpers) < _MAX_HELPERS
        data = read_within(member, min(room, max_bytes(exercise))) if is_read else None
        if data is None:
            ignored.append(member)
        else:
            helpers[name] = data
            room -= len(data)
    return helpers, ignored


def is_test_file(stem: str) -> bool:
    """Return whether a module of that name belongs to pytest, or runs by itself when Python starts."""
    return bool(_TEST_TOOLS.fullmatch(stem))


def _is_the_bundles(member: Member) -> bool:
    """Return whether a conftest.py is the unchanged one of the bundle, which every student has."""
    own = (Path(__file__).parents[1] / "bundle" / _PLUGIN).read_bytes()
    data = read_within(member, 2 * len(own))
    # Editors and unzippers may change line ends.
    return data is not None and file_digest(data) in {file_digest(own), *_OLDER_PLUGINS}


def _module_file(name: str) -> str:
    """Return the file name under which a helper is imported, or ""; platforms number copies (NAME-1.py)."""
    stem = re.sub(r"-\d+$", "", name.removesuffix(".py"))
    usable = stem.isidentifier() and not keyword.iskeyword(stem) and not is_test_file(stem)
    return f"{stem}.py" if usable else ""


def read_within(member: Member, limit: int) -> bytes | None:
    """Return a member's bytes; None if it cannot be read, or is larger."""
    try:
        return member.read(limit)
    except UnreadableError:
        return None


def max_bytes(exercise: Exercise) -> int:
    """Return how large a source file of this exercise may be."""
    return exercise.limits.file_kib << 10
