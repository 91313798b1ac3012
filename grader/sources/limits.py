"""Limit how much a source may hold, in all and in each folder, so that one student cannot stop a class.

A folder at the top may have half of what the whole class may have, one below it a quarter, and one below that
an eighth, at whichever level the students' folders lie. A folder with more is left out and named, and the
rest is read. The archives of one student are counted together.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from grader.sources.tree import Member, UnreadableError, size_text, unreadable_member

_DEEPEST = 3  # levels of folders; students' folders lie no deeper


@dataclass(frozen=True)
class _Most:
    """Limits: of files and folders, of bytes that are unpacked, of bytes that stay in memory."""

    files: int
    unpacked: int
    kept: int


_CLASS = _Most(files=200_000, unpacked=4 << 30, kept=512 << 20)
_HAND_IN = _Most(files=50_000, unpacked=512 << 20, kept=64 << 20)
_LONG = 250  # letters of a name that count as one more file
_MAX_PACKED = 128 << 20  # bytes of all archives in one hand-in, which are held in memory


class Room:
    """Counts what is read of a source: ``files``, and in bytes ``unpacked`` and ``kept``, are the limits."""

    def __init__(
        self,
        files: int = _CLASS.files,
        unpacked: int = _CLASS.unpacked,
        kept: int = _CLASS.kept,
        *,
        by_folder: bool = True,
    ) -> None:
        self.files = files
        self.unpacked = unpacked
        self.packed = _MAX_PACKED
        self._most = {"files": files, "unpacked": unpacked, "kept": kept}
        self._used: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._deepest = _DEEPEST if by_folder else 0
        self._left_out = 0
        self._full: dict[tuple[str, ...], str] = {}

    @classmethod
    def of_hand_in(cls) -> Room:
        """Return the room that all archives of one hand-in share."""
        return cls(_HAND_IN.files, _HAND_IN.unpacked, _HAND_IN.kept, by_folder=False)

    @property
    def listed(self) -> int:
        """How many entries an archive may list; for a class twice the limit, as a full folder is left out."""
        return 2 * self.files if self._deepest else self.files - self._used["files", ()]

    def takes(self, parts: tuple[str, ...], *, files: int = 0, unpacked: int = 0, kept: int = 0) -> bool:
        """Count a member, and return whether there is room for it; if not, the full folder is left out.

        Raises:
            UnreadableError: There is no more room for anything.
        """
        if self.is_full(parts):
            self._left_out += 1
            if self._left_out > self.files:
                raise UnreadableError(_too_much("files", self.files))
            return False
        folders = self._folders(parts)
        wanted = {"files": files, "unpacked": unpacked, "kept": kept}
        for folder in reversed(folders):  # the innermost full folder is named
            for what, much in wanted.items():
                self._used[what, folder] += much
                if self._used[what, folder] > self._most[what] >> len(folder):
                    self._full[folder] = _too_much(what, self._most[what] >> len(folder))
                    return False
        for what, much in wanted.items():
            self._used[what, ()] += much
            if self._used[what, ()] > self._most[what]:
                raise UnreadableError(_too_much(what, self._most[what]))
        return True

    def takes_entry(self, parts: tuple[str, ...], folders: set[tuple[str, ...]], unpacked: int = 0) -> bool:
        """Count an archive's entry, and return whether there is room; add new folders to ``folders``.

        The entry of a folder has an empty last part.

        Raises:
            UnreadableError: There is no more room for anything.
        """
        if self.is_full(parts):
            return self.takes(parts)
        before = len(folders)
        for depth in range(len(parts) - 1, 0, -1):
            if parts[:depth] in folders:
                break
            folders.add(parts[:depth])
        new = len(folders) - before
        count = new + 1 if parts[-1] else max(1, new)
        return self.takes(parts, files=count + sum(map(len, parts)) // _LONG, unpacked=unpacked)

    def is_full(self, parts: tuple[str, ...]) -> bool:
        """Return whether a folder above a member is left out."""
        return bool(self._full) and any(folder in self._full for folder in self._folders(parts))

    def _folders(self, parts: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [parts[:depth] for depth in range(1, min(len(parts) - 1, self._deepest) + 1)]

    def without_full(self, members: list[Member]) -> list[Member]:
        """Return the members that there is room for, and for each folder left out a member that says why."""
        if not self._full:
            return members
        fitting = [m for m in members if not self.is_full(m.parts)]
        return fitting + [unreadable_member((*folder, ""), why) for folder, why in self._full.items()]


def _too_much(what: str, most: int) -> str:
    return (
        f"holds more than {most} files and folders"
        if what == "files"
        else f"unpacks to more than {size_text(most)}"
    )
