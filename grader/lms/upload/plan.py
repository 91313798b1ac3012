"""Scores here against scores there: what would change, and sending it so that it can always be done again.

Every round reads the platform, compares, writes what differs, and the next round's reading shows what stuck.
A request that got no answer is therefore never repeated blindly: the next round sees whether it was heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal, Protocol

from grader.lms.payload import Leaving, Staying, plain
from grader.lms.upload.compare import SENT, Change, Entry, Standing, compare
from grader.lms.upload.http import UnsureError
from grader.lms.upload.journal import Journal, Step

ROUNDS = 4
"""How often a score is sent at most when no answer comes."""

_DID_NOT_STICK = "was accepted, and the platform shows another score or no comment"
_PAGE_LEFT_OUT = "was accepted, and the platform shows the comment without the feedback page"
_NO_ANSWER = "no answer came; run it again, it goes on where it stopped"


class Platform(Protocol):
    """A learning platform, as far as an upload needs it."""

    @property
    def place(self) -> str:
        """The platform and the assignment, for the journal."""

    @property
    def maximum(self) -> Decimal | None:
        """What the assignment is worth there, in points."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know about the assignment before anything is sent."""

    @property
    def chunk(self) -> int:
        """How many scores go into one request."""

    def find(self, sent: Sequence[Leaving]) -> tuple[Mapping[str, Leaving], list[Staying]]:
        """Who is whom there: people by the platform's id, and those who are not there."""

    def read(self, keys: Iterable[str]) -> Mapping[str, Standing]:
        """What stands there now, by the platform's id."""

    def write(self, changes: Sequence[Change], stamps: Mapping[str, int]) -> Mapping[str, str]:
        """Send scores, and comments where they are still to be sent; ``stamps`` are the last ones sent.

        Returns:
            Why the platform refused, by student.

        Raises:
            UnsureError: No answer came.
        """

    def close(self) -> None:
        """Let go of the connection."""


@dataclass(frozen=True)
class Outcome:
    """What an upload did.

    ``found`` is what was to be done at first; ``stuck`` are the students who were written and then seen with
    their score; ``failed`` says of the others why not; ``deducted`` are those from whom the platform itself
    takes something off.
    """

    found: tuple[Change, ...]
    stuck: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    deducted: tuple[str, ...] = ()


def send(
    platform: Platform,
    entries: Sequence[Entry],
    journal: Journal,
    *,
    overwrite: bool,
    clock: Callable[[], float] = time.time,
) -> Outcome:
    """Write what differs and read it back; safe to repeat, and to break off anywhere.

    Where feedback pages go along all scores come first, since a file can fail in many more ways; a comment
    waits for its page, so that both arrive as one.

    Raises:
        PlatformError: The platform failed for good; what was sent until then is in the journal.
    """
    errand = _Errand(platform, journal, clock, overwrite=overwrite)
    changes = errand.compare(entries)
    found = tuple(changes)
    failed: dict[str, str] = {}
    scores = [change for change in found if change.verdict in ("new", "change") and change.with_page]
    if scores:
        _, failed = errand.carry([replace(change, entry=change.entry.score_alone) for change in scores])
        changes = errand.compare([entry for entry in entries if entry.student not in failed])
    changes, later = errand.carry(changes)
    failed |= later
    meant = {change.entry.student for change in found if change.verdict in SENT}
    right = {change.entry.student for change in changes if change.verdict == "same"}
    failed |= dict.fromkeys(meant - right - set(failed), _DID_NOT_STICK)
    return Outcome(found, tuple(sorted((meant & right) - set(failed))), failed, deducted(changes))


def deducted(changes: Iterable[Change]) -> tuple[str, ...]:
    """The students from whom the platform itself takes something off."""
    return tuple(c.entry.student for c in changes if c.standing is not None and c.standing.taken_off > 0)


@dataclass(frozen=True)
class _Errand:
    """Where things are to be sent, and what was sent there before."""

    platform: Platform
    journal: Journal
    clock: Callable[[], float]
    overwrite: bool = field(kw_only=True)

    def compare(self, entries: Sequence[Entry]) -> list[Change]:
        """Read the platform: what is to be done about each entry."""
        there = self.platform.read([entry.key for entry in entries])
        return compare(entries, there, self.journal, self.platform.place, overwrite=self.overwrite)

    def carry(self, changes: list[Change]) -> tuple[list[Change], dict[str, str]]:
        """Write until all is seen there or no use: how things stand at the end, and whose failed and why."""
        entries = [change.entry for change in changes]
        meant = {change.entry.student for change in changes if change.verdict in SENT}
        accepted: set[str] = set()
        failed: dict[str, str] = {}
        for _ in range(ROUNDS):
            todo = [c for c in changes if c.verdict in SENT and c.entry.student not in {*accepted, *failed}]
            for start in range(0, len(todo), self.platform.chunk):
                chunk = todo[start : start + self.platform.chunk]
                refused = self._write(chunk)
                if refused is not None:
                    failed |= refused
                    accepted |= {change.entry.student for change in chunk} - set(refused)
            if todo:
                changes = self.compare(entries)
            self._note_seen(changes)
        for change in changes:
            student = change.entry.student
            if student in meant - set(failed) and change.verdict != "same":
                failed[student] = _why(change) if student in accepted else _NO_ANSWER
        return changes, failed

    def _write(self, chunk: Sequence[Change]) -> Mapping[str, str] | None:
        """Send one chunk: why the platform refused, by student, or None when no answer came."""
        stamps, steps = {}, []
        for change in chunk:
            entry = change.entry
            before = max(
                (step.stamp for step in self.journal.of(self.platform.place, entry.student)), default=0
            )
            stamps[entry.student] = max(int(self.clock()), before + 1)
            steps.append(self._step(entry, "sending", stamp=stamps[entry.student]))
        self.journal.add(steps)
        try:
            refused = self.platform.write(chunk, stamps)
        except UnsureError:
            return None
        self.journal.add(replace(step, state="sent") for step in steps if step.student not in refused)
        return refused

    def _note_seen(self, changes: Iterable[Change]) -> None:
        """Write down what we sent and now see; a score that we never sent stays somebody else's."""
        seen = []
        for change in changes:
            steps = self.journal.of(self.platform.place, change.entry.student)
            if change.verdict != "same" or not steps or change.standing is None:
                continue
            stamp = max(step.stamp for step in steps)
            step = self._step(change.entry, "seen", touched=change.standing.touched, stamp=stamp)
            if step != steps[-1]:
                seen.append(step)
        if seen:
            self.journal.add(seen)

    def _step(
        self, entry: Entry, state: Literal["sending", "seen"], *, touched: str = "", stamp: int
    ) -> Step:
        place, points = self.platform.place, plain(entry.points)
        return Step(place, entry.student, entry.digest, state, points, touched, stamp)


def _why(change: Change) -> str:
    """Why something that the platform accepted is not right there."""
    return _PAGE_LEFT_OUT if change.verdict == "bare" else _DID_NOT_STICK
