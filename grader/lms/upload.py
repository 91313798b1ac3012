"""Scores here against scores there: what would change, and sending it so that it can always be done again.

Every round reads the platform, compares, writes what differs, and the next round's reading shows what stuck.
A request that got no answer is therefore never repeated blindly: the next round sees whether it was heard.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal, Protocol

from grader.lms.journal import Journal, Step
from grader.lms.leaving import Leaving, Staying, plain
from grader.lms.patience import UnsureError

ROUNDS = 4
"""How often a score is sent at most when no answer comes."""

_DID_NOT_STICK = "was accepted, and the platform shows another score or no comment"
_NO_ANSWER = "no answer came; run it again, it goes on where it stopped"

MARK_LENGTH = 19
"""Characters that the mark takes up at the end of a comment, its line break included."""

Verdict = Literal["new", "change", "comment", "same", "kept", "excused", "absent"]
SENT: tuple[Verdict, ...] = ("new", "change", "comment")
"""The verdicts that are written; the others leave the platform as it is."""


@dataclass(frozen=True)
class Entry:
    """What should stand on the platform for one student, in its points; ``key`` is the student's id there."""

    student: str
    key: str
    points: Decimal
    comment: str

    @property
    def digest(self) -> str:
        """A digest of all that the platform is told."""
        return hashlib.sha256(f"{plain(self.points)}\n{self.comment}".encode()).hexdigest()

    @property
    def mark(self) -> str:
        """A short sign by which our own comment is found again on the platform."""
        return f"[ref {self.digest[:12]}]"


@dataclass(frozen=True)
class Standing:
    """What stands on the platform for one student; ``points`` is None where there is no score.

    ``touched`` changes whenever anyone changes the score, where the platform has such a mark. ``comments``
    are None where the platform does not show them. ``taken_off`` is what the platform itself deducted.
    """

    points: Decimal | None = None
    touched: str = ""
    excused: bool = False
    comments: tuple[str, ...] | None = None
    taken_off: Decimal = Decimal(0)


@dataclass(frozen=True)
class Change:
    """One student's score there and here, and what is to be done about it."""

    entry: Entry
    standing: Standing | None
    verdict: Verdict

    @property
    def with_comment(self) -> bool:
        """Whether the comment still has to be sent."""
        shown = self.standing.comments if self.standing else None
        return bool(self.entry.comment) and not any(self.entry.mark in text for text in shown or ())


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


def compare(
    entries: Iterable[Entry],
    standings: Mapping[str, Standing],
    journal: Journal,
    place: str,
    *,
    overwrite: bool,
) -> list[Change]:
    """What is to be done about each entry."""
    changes = []
    for entry in entries:
        standing = standings.get(entry.key)
        verdict = _verdict(entry, standing, journal.of(place, entry.student), overwrite=overwrite)
        changes.append(Change(entry, standing, verdict))
    return changes


def _verdict(entry: Entry, standing: Standing | None, steps: list[Step], *, overwrite: bool) -> Verdict:
    if standing is None:
        return "absent"
    if standing.excused:
        return "excused"
    if standing.points == entry.points:
        return "comment" if _comment_is_due(entry, standing, steps) else "same"
    if overwrite or _is_ours(standing, steps):
        return "new" if standing.points is None else "change"
    return "kept"


def _comment_is_due(entry: Entry, standing: Standing, steps: list[Step]) -> bool:
    """Whether the score stands there and its comment does not."""
    if not entry.comment:
        return False
    if standing.comments is not None:
        return not any(entry.mark in text for text in standing.comments)
    # Where comments are not shown they come with the score: ours is due when we last sent another one.
    return bool(steps) and steps[-1].digest != entry.digest


def _is_ours(standing: Standing, steps: list[Step]) -> bool:
    """Whether nobody but us has given, changed or removed the score that stands there."""
    if standing.points is None:
        return all(step.state != "seen" for step in steps)
    return any(
        Decimal(step.points) == standing.points and (step.state != "seen" or step.touched == standing.touched)
        for step in steps
    )


def send(
    platform: Platform,
    entries: Sequence[Entry],
    journal: Journal,
    *,
    overwrite: bool,
    clock: Callable[[], float] = time.time,
) -> Outcome:
    """Write what differs and read it back; safe to repeat, and to break off anywhere.

    Raises:
        PlatformError: The platform failed for good; what was sent until then is in the journal.
    """
    keys = [entry.key for entry in entries]
    changes = compare(entries, platform.read(keys), journal, platform.place, overwrite=overwrite)
    found = tuple(changes)
    meant = {change.entry.student for change in found if change.verdict in SENT}
    accepted: set[str] = set()
    failed: dict[str, str] = {}
    for _ in range(ROUNDS):
        todo = [c for c in changes if c.verdict in SENT and c.entry.student not in {*accepted, *failed}]
        for start in range(0, len(todo), platform.chunk):
            chunk = todo[start : start + platform.chunk]
            refused = _write(platform, chunk, journal, clock)
            if refused is not None:
                failed |= refused
                accepted |= {change.entry.student for change in chunk} - set(refused)
        if todo:
            changes = compare(entries, platform.read(keys), journal, platform.place, overwrite=overwrite)
        _note_seen(platform.place, changes, journal)
    right = {change.entry.student for change in changes if change.verdict == "same"}
    for student in meant - right - set(failed):
        failed[student] = _DID_NOT_STICK if student in accepted else _NO_ANSWER
    return Outcome(found, tuple(sorted((meant & right) - set(failed))), failed, deducted(changes))


def deducted(changes: Iterable[Change]) -> tuple[str, ...]:
    """The students from whom the platform itself takes something off."""
    return tuple(c.entry.student for c in changes if c.standing is not None and c.standing.taken_off > 0)


def _write(
    platform: Platform, chunk: Sequence[Change], journal: Journal, clock: Callable[[], float]
) -> Mapping[str, str] | None:
    """Send one chunk: why the platform refused, by student, or None when no answer came."""
    stamps, steps = {}, []
    for change in chunk:
        entry = change.entry
        before = max((step.stamp for step in journal.of(platform.place, entry.student)), default=0)
        stamps[entry.student] = max(int(clock()), before + 1)
        steps.append(_step(platform.place, entry, "sending", stamp=stamps[entry.student]))
    journal.add(steps)
    try:
        refused = platform.write(chunk, stamps)
    except UnsureError:
        return None
    journal.add(replace(step, state="sent") for step in steps if step.student not in refused)
    return refused


def _note_seen(place: str, changes: Iterable[Change], journal: Journal) -> None:
    """Write down what we sent and now see; a score that we never sent stays somebody else's."""
    seen = []
    for change in changes:
        steps = journal.of(place, change.entry.student)
        if change.verdict != "same" or not steps or change.standing is None:
            continue
        stamp = max(step.stamp for step in steps)
        step = _step(place, change.entry, "seen", touched=change.standing.touched, stamp=stamp)
        if step != steps[-1]:
            seen.append(step)
    if seen:
        journal.add(seen)


def _step(
    place: str, entry: Entry, state: Literal["sending", "seen"], *, touched: str = "", stamp: int
) -> Step:
    return Step(place, entry.student, entry.digest, state, plain(entry.points), touched, stamp)
