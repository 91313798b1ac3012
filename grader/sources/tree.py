"""A folder or an archive as a flat list of members, each read only when its bytes are asked for.

Nothing is unpacked to disk. A member that must not be read (a link, a duplicate, an encrypted one) stays in
the list with its problem, so that its student can be told.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from grader.base.errors import GraderError
from grader.base.text import printable

MAX_DEPTH = 32
MAX_NAME_BYTES = 255  # the limit of file systems
_SHOWN_LETTERS = 1_000  # how much is kept of a part that is too long

# Names that tools and systems leave behind: of the file itself, or of any folder above it.
_JUNK = {
    "__MACOSX", "__pycache__", ".git", ".hg", ".svn", ".idea", ".vscode", ".venv", "node_modules",
    "site-packages", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache", ".ruff_cache",
    ".DS_Store", "Thumbs.db", "desktop.ini",
}  # fmt: skip
# A student may have made a virtual environment among the files: only these folders beside its mark are junk.
ENVIRONMENT_FOLDERS = {"bin", "lib", "lib64", "include", "share", "etc", "Scripts", "Lib", "Include"}
ENVIRONMENT_MARK = "pyvenv.cfg"

_MOST_REFUSED = 20


class UnreadableError(GraderError):
    """A source or a member that cannot be read; the text completes a sentence that begins with its name."""


@dataclass(frozen=True)
class Member:
    """One file of a source: the ``parts`` of its path, and its ``size`` in bytes, where known.

    ``problem`` completes the sentence "PATH ..." that says why it cannot be read; empty if it can. A folder
    that cannot be listed is a member with an empty last part.
    """

    parts: tuple[str, ...]
    size: int
    source: Callable[[int], bytes]
    problem: str = ""

    @property
    def name(self) -> str:
        """The last part of the name."""
        return self.parts[-1]

    @property
    def path(self) -> str:
        """The whole path, safe to show."""
        return printable("/".join(self.parts)) or "The folder"

    def read(self, limit: int) -> bytes:
        """Read the member's bytes.

        Raises:
            UnreadableError: It has a problem, or is larger than ``limit`` bytes.
        """
        if self.problem:
            raise UnreadableError(self.problem)
        if self.size <= limit:
            data = self.source(limit + 1)
            if len(data) <= limit:
                return data
        size = size_text(max(self.size, limit + 1))
        if size == size_text(limit):
            raise UnreadableError(f"is larger than the limit of {size}")
        raise UnreadableError(f"is {size}, and the limit is {size_text(limit)}")


@dataclass(frozen=True)
class Refused:
    """A source, or a member without an owner, that was not read: its name and the rest of the sentence."""

    name: str
    why: str


@dataclass(frozen=True)
class Tree:
    """A source as sorted lists: its members, and its folders (an empty one has no members)."""

    name: str
    members: tuple[Member, ...]
    folders: tuple[tuple[str, ...], ...] = ()
    refused: tuple[Refused, ...] = ()
    archive: bool = False

    @functools.cached_property
    def _branches(self) -> dict[str, Tree]:
        """Every folder at the top as a tree of its own, by name."""
        members: dict[str, list[Member]] = defaultdict(list)
        folders: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for member in (m for m in self.members if len(m.parts) > 1):
            members[member.parts[0]].append(replace(member, parts=member.parts[1:]))
        for top, *rest in self.folders:
            folders[top] += [tuple(rest)] if rest else []
        return {
            top: replace(self, name=top, members=tuple(members[top]), folders=tuple(folders[top]))
            for top in sorted({*members, *folders})
        }

    def below(self, top: str) -> Tree:
        """Return the tree of one folder at the top, named like that folder."""
        return self._branches.get(top) or replace(self, name=top, members=(), folders=())

    @property
    def tops(self) -> tuple[str, ...]:
        """The names of the folders at the top."""
        return tuple(self._branches)


def make_tree(
    name: str,
    members: Iterable[Member],
    folders: Iterable[tuple[str, ...]],
    refused: Iterable[Refused] = (),
    *,
    archive: bool = False,
) -> Tree:
    """Build a sorted tree without junk; a path that occurs twice becomes one member with a problem.

    Names are brought to NFC, unless two that lie side by side would become one.
    """
    members, folders = _in_nfc(list(members), list(folders))
    environments = {m.parts[:-1] for m in members if m.name == ENVIRONMENT_MARK}
    wanted = [m for m in members if not is_junk(m.parts, environments)]
    times = Counter(m.parts for m in wanted)
    once = {m.parts: replace(m, problem="occurs more than once") if times[m.parts] > 1 else m for m in wanted}
    kept = {f for f in folders if not is_junk((*f, ""), environments)}
    bad = list(refused)
    if len(bad) > _MOST_REFUSED:
        bad[_MOST_REFUSED:] = [Refused(f"{len(bad) - _MOST_REFUSED} more members", "have such names too")]
    return Tree(name, tuple(once[p] for p in sorted(once)), tuple(sorted(kept)), tuple(bad), archive)


def _in_nfc(
    members: list[Member], folders: list[tuple[str, ...]]
) -> tuple[list[Member], list[tuple[str, ...]]]:
    """Bring all names to NFC, except those that are there in several spellings: they may be two students'."""
    paths = [*(m.parts for m in members), *folders]
    if all(unicodedata.is_normalized("NFC", part) for parts in paths for part in parts):
        return members, folders
    spellings: dict[tuple[str, ...], set[str]] = defaultdict(set)
    plain = {parts: tuple(map(_nfc, parts)) for parts in paths}
    for parts, known in plain.items():
        for at, part in enumerate(parts):
            spellings[known[: at + 1]].add(part)

    def spelled(parts: tuple[str, ...]) -> tuple[str, ...]:
        known = plain[parts]
        return tuple(
            part if len(spellings[known[: at + 1]]) > 1 else known[at] for at, part in enumerate(parts)
        )

    return [replace(m, parts=spelled(m.parts)) for m in members], [spelled(parts) for parts in folders]


def _nfc(part: str) -> str:
    """Normalize a part, unless it is too long for a file system: that may take quadratic time."""
    return part if len(part) > MAX_NAME_BYTES else unicodedata.normalize("NFC", part)


def is_junk(parts: tuple[str, ...], environments: Collection[tuple[str, ...]] = ()) -> bool:
    """Return whether a path belongs to a tool, a system or a virtual environment.

    ``environments`` are the folders that hold a pyvenv.cfg.
    """
    if any(part in _JUNK or part.startswith("._") for part in parts):
        return True
    return any(
        parts[:at] in environments and parts[at] in ENVIRONMENT_FOLDERS for at in range(len(parts) - 1)
    )


def clean_parts(name: str) -> tuple[str, ...]:
    r"""Split a member's name in an archive into parts; ``\`` separates too, as some Windows tools write it.

    Raises:
        UnreadableError: The name is absolute, leads out of its folder, or is no name at all.
    """
    text = name.replace("\\", "/")
    if text.startswith("/") or re.match(r"[A-Za-z]:", text):
        raise UnreadableError("has an absolute name")
    if "\0" in text:
        raise UnreadableError("has a NUL in its name")
    if len(text) > MAX_DEPTH * _SHOWN_LETTERS:
        raise UnreadableError("has a name that is too long for a file")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UnreadableError("has a name that leads out of its folder")
    if not parts or len(parts) > MAX_DEPTH:
        raise UnreadableError("has no name" if not parts else f"lies more than {MAX_DEPTH} folders deep")
    return tuple(map(clean_part, parts))


def clean_part(part: str) -> str:
    r"""Return at most 1,000 letters of a path's part: bytes outside UTF-8 as ``\xe9``, no lone surrogates."""
    part = part[:_SHOWN_LETTERS]
    try:
        written = part.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        written = part.encode("utf-8", "backslashreplace")
    return written.decode("utf-8", "backslashreplace")


def too_long(parts: tuple[str, ...]) -> bool:
    """Return whether a part of the path is longer than a file system can hold."""
    return any(len(_nfc(part).encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES for part in parts)


def unreadable_member(parts: tuple[str, ...], problem: str) -> Member:
    """Build a member that cannot be read, with the ``problem`` that says why."""
    return Member(parts, 0, lambda _: b"", problem)


def size_text(size: int) -> str:
    """Format a number of bytes for people, such as ``1.5 MiB``."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"
