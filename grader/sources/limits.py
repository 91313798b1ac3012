"""Limit how much each folder of a source may hold, so that one student cannot stop a class.

A folder at the top may have half of what the whole class may have, one below it a quarter, and one below that
an eighth, at whichever level the students' folders lie. A folder with more is left out and named, and the
rest is read. What one hand-in holds is limited by the process that reads it (``sources.reader``).
"""

from __future__ import annotations

from collections import Counter

from grader.sources.tree import Member, UnreadableError, size_text, unreadable_member

_DEEPEST = 3  # levels of folders; students' folders lie no deeper


class Room:
    """Counts ``files`` and folders, and the bytes that stay in memory (``kept``), by folder."""

    def __init__(self, files: int = 200_000, kept: int = 512 << 20) -> None:
        self._most = (files, kept)
        self._used: Counter[tuple[int, tuple[str, ...]]] = Counter()
        self._full: dict[tuple[str, ...], str] = {}

    def takes(self, parts: tuple[str, ...], kept: int = 0) -> bool:
        """Count a file or a folder, and return whether there is room; if not, the full folder is left out.

        Raises:
            UnreadableError: There is no more room for anything.
        """
        if self._is_full(parts):
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
                    self._full[folder] = why
                    return False
        return True

    def without_full(self, members: list[Member]) -> list[Member]:
        """Return the members that there is room for, and for each folder left out a member that says why."""
        if not self._full:
            return members
        fitting = [m for m in members if not self._is_full(m.parts)]
        return fitting + [unreadable_member((*folder, ""), why) for folder, why in self._full.items()]

    def _is_full(self, parts: tuple[str, ...]) -> bool:
        return bool(self._full) and any(parts[:depth] in self._full for depth in range(1, _DEEPEST + 1))
