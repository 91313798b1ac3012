"""A folder or an archive as a flat list of members, each read only when its bytes are asked for.

A member that must not be read (a link, a duplicate, an encrypted one) stays in the list with its problem, so
that its student can be told. One student cannot stop a class: a folder at the top may have half of what the
whole class may have, one below it a quarter, one below that an eighth. A folder with more is left out.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from grader.base.errors import GraderError
from grader.base.text import printable

MAX_FOLDERS = 32
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

_DEEPEST = 3  # levels of folders that are counted; students' folders lie no deeper
TOO_DEEP = f"lies more than {MAX_FOLDERS} folders deep"
_MOST_REFUSED = 20
_TOO_LONG = "has a name that is too long for a file"


class UnreadableError(GraderError):
    """A source or member that cannot be read, raised by whatever reads one.

    Its text completes a sentence that begins with the name.
    """


@dataclass(frozen=True)
class Member:
    """One file of a source: the ``parts`` of its path, and its ``size`` in bytes, where known.

    ``source`` returns at most so many of its first bytes. ``problem`` completes the sentence "PATH ..." that
    says why it cannot be read; empty if it can. A folder that cannot be listed is a member with an empty last
    part.
    """

    parts: tuple[str, ...]
    size: int = 0
    source: Callable[[int], bytes] = lambda _: b""
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
        """Read the member's bytes, at most ``limit``."""
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
    def files(self) -> dict[str, Member]:
        """The files at the top, by name."""
        return {m.name: m for m in self.members if len(m.parts) == 1}

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


class Listing:
    """What a folder or an archive holds, collected one by one; ``tree`` makes a Tree of it.

    ``files`` and folders, and the bytes that stay in memory (``kept``), are counted by folder; ``left_out``
    says why a folder is not listed. ``refused`` are the members with names that no file may have.
    """

    def __init__(self, files: int = 200_000, kept: int = 512 << 20) -> None:
        self.members: list[Member] = []
        self.folders: list[tuple[str, ...]] = []
        self.refused: list[Refused] = []
        self.left_out: dict[tuple[str, ...], str] = {}
        self._most = (files, kept)
        self._used: Counter[tuple[int, tuple[str, ...]]] = Counter()

    def place_for(self, name: str, kept: int = 0) -> tuple[str, ...]:
        """Return the clean parts of a name in an archive; () if it is refused, too deep, or has no room."""
        try:
            parts = clean_parts(name)
        except UnreadableError as error:
            self.refused.append(Refused(printable(name) or "a member", str(error)))
            return ()
        folder = parts[:MAX_FOLDERS]
        if not self.takes(folder, kept):
            return ()
        if folder != parts:
            self.left_out[folder] = TOO_DEEP
            return ()
        return parts

    def takes(self, parts: tuple[str, ...], kept: int = 0) -> bool:
        """Count a file or a folder, and return whether there is room; if not, the full folder is left out.

        Raises UnreadableError if there is no more room for anything.
        """
        if self._is_left_out(parts):
            return False
        for depth in range(min(len(parts) - 1, _DEEPEST), -1, -1):  # the innermost full folder is named
            folder = parts[:depth]
            for what, much in enumerate((1, kept)):
                self._used[what, folder] += much
                most = self._most[what] >> depth
                if self._used[what, folder] > most:
                    why = f"holds more than {most} files and folders"
                    why = f"unpacks to more than {size_text(most)}" if what else why
                    if not folder:
                        raise UnreadableError(why)
                    self.left_out[folder] = why
                    return False
        return True

    def _is_left_out(self, parts: tuple[str, ...]) -> bool:
        return bool(self.left_out) and any(parts[:depth] in self.left_out for depth in range(1, _DEEPEST + 1))

    def tree(self, name: str, *, archive: bool = False) -> Tree:
        """Build a sorted tree without junk; a path that occurs twice becomes one member with a problem.

        Names are brought to NFC, unless two that lie side by side would become one.
        """
        members = [m for m in self.members if not self._is_left_out(m.parts)]
        members += [Member((*folder, ""), problem=why) for folder, why in self.left_out.items()]
        spelled = _spellings([*(m.parts for m in members), *self.folders])
        environments = {spelled(m.parts[:-1]) for m in members if m.name == ENVIRONMENT_MARK}
        wanted: dict[tuple[str, ...], Member] = {}
        for member in members:
            parts = spelled(member.parts)
            is_long = any(len(_nfc(part).encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES for part in parts)
            problem = _TOO_LONG if is_long else member.problem
            problem = "occurs more than once" if parts in wanted else problem
            if not is_junk(parts, environments):
                wanted[parts] = replace(member, parts=parts, problem=problem)
        folders = {parts for parts in map(spelled, self.folders) if not is_junk((*parts, ""), environments)}
        refused = tuple(self.refused[:_MOST_REFUSED])
        if more := len(self.refused) - len(refused):
            refused += (Refused(f"{more} more members", "have such names too"),)
        return Tree(name, tuple(wanted[p] for p in sorted(wanted)), tuple(sorted(folders)), refused, archive)


def _spellings(paths: Collection[tuple[str, ...]]) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    """Return what brings the paths to NFC, except names in several spellings: they may be two students'."""
    if all(unicodedata.is_normalized("NFC", part) for parts in paths for part in parts):
        return lambda parts: parts
    seen: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for parts in paths:
        known = tuple(map(_nfc, parts))
        for at, part in enumerate(parts):
            seen[known[: at + 1]].add(part)

    def spelled(parts: tuple[str, ...]) -> tuple[str, ...]:
        known = tuple(map(_nfc, parts))
        return tuple(p if len(seen[known[: at + 1]]) > 1 else known[at] for at, p in enumerate(parts))

    return spelled


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

    Raises UnreadableError if the name is absolute, leads out of its folder, or is no name at all.
    """
    text = name.replace("\\", "/")
    if text.startswith("/") or re.match(r"[A-Za-z]:", text):
        raise UnreadableError("has an absolute name")
    if "\0" in text:
        raise UnreadableError("has a NUL in its name")
    if len(text) > MAX_FOLDERS * _SHOWN_LETTERS:
        raise UnreadableError(_TOO_LONG)
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UnreadableError("has a name that leads out of its folder")
    if not parts:
        raise UnreadableError("has no name")
    return tuple(map(clean_part, parts))


def clean_part(part: str) -> str:
    r"""Return at most 1,000 letters of a path's part: bytes outside UTF-8 as ``\xe9``, no lone surrogates."""
    part = part[:_SHOWN_LETTERS]
    try:
        written = part.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        written = part.encode("utf-8", "backslashreplace")
    return written.decode("utf-8", "backslashreplace")


def size_text(size: int) -> str:
    """Format a number of bytes for people, such as ``1.5 MiB``."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"
