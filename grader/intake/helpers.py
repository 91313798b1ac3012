"""The other ``.py`` files of a hand-in, which come along as data for the student's own imports."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from pathlib import Path

from grader.base.flags import IGNORED_FILES
from grader.course.model import Exercise
from grader.intake.chosen import Chosen, limit_of, listed
from grader.sources.tree import Member, UnreadableError

MAX_HELPERS = 20
_PLUGIN = "conftest.py"
_MOST_READ = 50  # files that may be helpers, or the bundle's own

_TEST_TOOLS = re.compile(
    r"test_.*|.*_test|conftest|pytest.*|_pytest|pluggy|sitecustomize|usercustomize", re.IGNORECASE
)


def is_test_file(stem: str) -> bool:
    """Whether a module of that name belongs to pytest, or would run by itself when Python starts."""
    return bool(_TEST_TOOLS.fullmatch(stem))


def take_helpers(members: Sequence[Member], exercise: Exercise, chosen: Chosen) -> None:
    """Put the helpers into ``chosen``: plain modules beside the files that were taken.

    What would be collected by pytest, cannot be imported by its name, or is too much, is left out and said.
    """
    folders = {m.parts[:-1] for m in chosen.considered}
    beside = [m for m in members if m.parts[:-1] in folders and m.name.endswith(".py")]
    given = {f"test_{name}" for name in exercise.files}  # the visible tests, which every student was given
    room = 4 * limit_of(exercise)
    ignored: list[Member] = []
    left = _MOST_READ
    for member in sorted(beside, key=lambda one: one.name != _module_file(one.name)):  # own names first
        if member in chosen.considered or member.name in given:
            continue
        name = _module_file(member.name)
        free = bool(name) and name not in chosen.helpers and name not in exercise.files
        readable = left > 0 and (member.name == _PLUGIN or (free and len(chosen.helpers) < MAX_HELPERS))
        left -= readable
        if readable and _is_the_bundles(member):
            continue
        data = _read(member, min(room, limit_of(exercise))) if readable and free else None
        if data is None:
            ignored.append(member)
            continue
        chosen.helpers[name] = data
        room -= len(data)
    if ignored:
        chosen.flags.add(IGNORED_FILES)
        chosen.notes.append(f"Left out: {listed(ignored)}.")


def _is_the_bundles(member: Member) -> bool:
    """Whether this is the released plugin, which every student's folder holds, and unchanged."""
    if member.name != _PLUGIN:
        return False
    own = (Path(__file__).parents[1] / "bundle" / _PLUGIN).read_bytes()
    data = _read(member, 2 * len(own))
    # Editors and unzippers may have changed its line ends.
    return data is not None and data.split() == own.split()


def _module_file(name: str) -> str:
    """The name under which a helper is imported, or nothing; platforms number copies as ``NAME-1.py``."""
    stem = re.sub(r"-\d+$", "", name.removesuffix(".py"))
    usable = stem.isidentifier() and not keyword.iskeyword(stem) and not is_test_file(stem)
    return f"{stem}.py" if usable else ""


def _read(member: Member, limit: int) -> bytes | None:
    try:
        return member.read(limit)
    except UnreadableError:
        return None
