"""How much a source may hold, counted for each folder too: too much costs the one whose it is, not the class.

Of what a whole class may hold, a folder at the top may have half, one below that a quarter, and one below
that an eighth, wherever the students' folders lie. A folder that has more is left out and named; the rest
is read. What one student packed is counted as a whole, over all of the student's archives.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from grader.sources.tree import Member, UnreadableError, size_text, unreadable_member

_DEEPEST = 3  # folders; a student's lies no deeper


@dataclass(frozen=True)
class _Most:
    """The most of each: files and folders, bytes that are passed over or read, bytes that stay in memory."""

    files: int
    unpacked: int
    kept: int


_CLASS = _Most(files=200_000, unpacked=4 << 30, kept=512 << 20)
_HAND_IN = _Most(files=50_000, unpacked=512 << 20, kept=64 << 20)
_LONG = 250  # letters of a name that are as much work as a file
_MAX_PACKED = 128 << 20  # bytes of all archives in one hand-in: they are held in memory


class Room:
    """What may still be read; ``files``, ``unpacked`` and ``kept`` are the most of each in all."""

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
        """The room that all archives of one hand-in share."""
        return cls(_HAND_IN.files, _HAND_IN.unpacked, _HAND_IN.kept, by_folder=False)

    @property
    def listed(self) -> int:
        """How many entries an archive may have; of a class's some may be a student's who has too many."""
        return 2 * self.files if self._deepest else self.files - self._used["files", ()]

    def takes(self, parts: tuple[str, ...], *, files: int = 0, unpacked: int = 0, kept: int = 0) -> bool:
        """Whether there is room for a member of that name; if not, the folder that is full is left out.

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
        for folder in reversed(folders):  # a folder that is full by itself says more than the one around it
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
        """Whether there is room for an archive's entry; those above it that are new are put into ``folders``.

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
        """Whether a folder above a member of that name is left out."""
        return bool(self._full) and any(folder in self._full for folder in self._folders(parts))

    def _folders(self, parts: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [parts[:depth] for depth in range(1, min(len(parts) - 1, self._deepest) + 1)]

    def without_full(self, members: list[Member]) -> list[Member]:
        """The members that there is room for, and for each folder that is left out one that says why."""
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
