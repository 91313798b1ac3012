"""Compare the scores here with those on a platform, and send what differs, so that it can always be repeated.

Each round reads the platform, compares, writes what differs, and the next round's reading shows what arrived.
A request that got no answer is therefore never repeated blindly: the next round sees whether it was heard.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

from grader.grading.score import points_text
from grader.lms.upload.journal import Journal, Step
from grader.lms.upload.target import (
    SENT,
    Difference,
    Entry,
    ManyRefusedError,
    PlatformScore,
    Target,
    UnsureError,
    UploadVerdict,
    holds,
)

ROUNDS = 4  # how often a score is sent at most when no answer comes

_SILENT_SECONDS = 10.0
_NOT_CONFIRMED = "was accepted, and the platform shows another score or no comment"
_OVERRIDDEN = (
    "was accepted, and the platform still shows {}: a score that was set there by hand replaces ours; "
    "remove it there"
)
_ROUNDED = "was accepted as {}, and the platform shows {}: it rounds scores"
_MISSING_PAGE = "was accepted, and the platform shows the comment without the feedback page"
_NO_ANSWER = "no answer came; run it again, it goes on where it stopped"


@dataclass(frozen=True)
class UploadOutcome:
    """What an upload did."""

    found: Sequence[Difference]  # what was to be done at first
    left: Sequence[Difference]  # what is to be done now
    confirmed: tuple[str, ...] = ()  # students with a score that was written and then seen there
    failed: Mapping[str, str] = field(default_factory=dict)  # why not, by student


@dataclass(frozen=True)
class Upload:
    """Where to send scores, and the journal of what was sent there before.

    ``overwrite`` allows to replace scores that a person gave or changed there.
    """

    target: Target
    journal: Journal
    overwrite: bool
    clock: Callable[[], float] = time.time

    def send(self, entries: Sequence[Entry]) -> UploadOutcome:
        """Write what differs and read it back; it may be stopped anywhere and repeated.

        Where feedback pages are sent, all scores come first, since a file can fail in many more ways; a
        comment waits for its page, so that both arrive as one. Raises PlatformError if the platform failed
        for good; what was sent until then is in the journal.
        """
        changes = found = self.compare(entries)
        failed: dict[str, str] = {}
        if scores := [change for change in found if change.verdict in ("new", "change") and change.with_page]:
            alone = [replace(change, entry=replace(change.entry, comment="", page=b"")) for change in scores]
            _, failed = self._write_until_seen(alone)
            changes = self.compare([entry for entry in entries if entry.student not in failed])
        changes, later = self._write_until_seen(changes)
        failed |= later
        meant = {change.entry.student for change in found if change.verdict in SENT}
        right = {change.entry.student for change in changes if change.verdict == "same"}
        failed |= dict.fromkeys(meant - right - set(failed), _NOT_CONFIRMED)
        return UploadOutcome(found, changes, tuple(sorted((meant & right) - set(failed))), failed)

    def compare(self, entries: Sequence[Entry]) -> list[Difference]:
        """Read the platform and decide what to do about each entry; nothing is written."""
        scores = self.target.read([entry.key for entry in entries])
        changes = []
        for entry in entries:
            there, steps = scores.get(entry.key), self.journal.of(self.target.place, entry.student)
            verdict = _verdict(entry, there, steps, overwrite=self.overwrite)
            changes.append(Difference(entry, there, verdict))
        return changes

    def _write_until_seen(self, changes: list[Difference]) -> tuple[list[Difference], dict[str, str]]:
        """Write until all is seen there, at most ``ROUNDS`` times; return what is left, and failures."""
        entries = [change.entry for change in changes]
        stood = {change.entry.student: change.there.points for change in changes if change.there}
        meant = {change.entry.student for change in changes if change.verdict in SENT}
        accepted: set[str] = set()
        alone: set[str] = set()
        failed: dict[str, str] = {}
        for _ in range(ROUNDS):
            todo = [c for c in changes if c.verdict in SENT and c.entry.student not in {*accepted, *failed}]
            single = [[change] for change in todo if change.entry.student in alone]
            others = [change for change in todo if change.entry.student not in alone]
            size = self.target.chunk
            for chunk in (*(others[at : at + size] for at in range(0, len(others), size)), *single):
                began, students = time.monotonic(), {change.entry.student for change in chunk}
                try:
                    refused = self._write(chunk)
                    failed |= refused
                    accepted |= students - refused.keys()
                except ManyRefusedError:
                    alone |= students
                except UnsureError:
                    if time.monotonic() - began > _SILENT_SECONDS:
                        break  # reading finds out whether the platform is silent for good
            if todo:
                changes = self.compare(entries)
            self._note_seen(change for change in changes if change.verdict == "same")
        for change in changes:
            student = change.entry.student
            if student in meant - set(failed) and change.verdict != "same":
                why = _why_unconfirmed(change, stood.get(student))
                failed[student] = why if student in accepted else _NO_ANSWER
        rounded = [
            change
            for change in changes
            if change.entry.student in accepted and _is_rounded(change, stood.get(change.entry.student))
        ]
        self._note_seen(rounded)  # what a platform made of our score is ours to replace
        return changes, failed

    def _write(self, chunk: Sequence[Difference]) -> Mapping[str, str]:
        """Send one chunk; return why the platform refused, by student."""
        stamped = []
        for change in chunk:
            earlier = self.journal.of(self.target.place, change.entry.student)
            before = max((step.stamp for step in earlier), default=0)
            stamped.append(replace(change, stamp=max(int(self.clock()), before + 1)))
        steps = [self._step(change.entry, "sending", change.stamp) for change in stamped]
        self.journal.add(steps)
        refused = self.target.write(stamped)
        self.journal.add(replace(step, state="sent") for step in steps if step.student not in refused)
        return refused

    def _note_seen(self, changes: Iterable[Difference]) -> None:
        """Write down what we sent and now see; a score that we never sent stays somebody else's."""
        seen = []
        for change in changes:
            steps, there = self.journal.of(self.target.place, change.entry.student), change.there
            if steps and there is not None:
                step = self._step(change.entry, "seen", max(step.stamp for step in steps))
                points = "" if there.points is None else points_text(there.points)
                step = replace(step, points=points, touched=there.touched, attempt=there.attempt)
                seen += [step] if step != steps[-1] else []
        if seen:
            self.journal.add(seen)

    def _step(self, entry: Entry, state: Literal["sending", "seen"], stamp: int) -> Step:
        return Step(self.target.place, entry.student, entry.digest, state, entry.points_text, stamp=stamp)


def _is_rounded(change: Difference, before: Decimal | None) -> bool:
    """True if the platform shows another score than ``before``, which may be ours with fewer decimals."""
    shown, points = change.there.points if change.there else None, change.entry.points
    return shown not in (None, before) and points is not None and 0 < abs((shown or 0) - points) < 1


def _why_unconfirmed(change: Difference, before: Decimal | None) -> str:
    """Say what the platform shows in place of what it accepted; ``before`` is the score that was there."""
    shown = change.there.points if change.there else None
    if change.verdict == "missing-page":
        return _MISSING_PAGE
    if shown is not None and shown == before != change.entry.points:
        return _OVERRIDDEN.format(points_text(shown))
    if shown is not None and _is_rounded(change, before):
        return _ROUNDED.format(change.entry.points_text, points_text(shown))
    return _NOT_CONFIRMED


def _verdict(
    entry: Entry, there: PlatformScore | None, steps: list[Step], *, overwrite: bool
) -> UploadVerdict:
    if there is None or there.excused:
        return "absent" if there is None else "excused"
    if there.held:
        return "same" if there.points == entry.points is not None else "held"
    if entry.points is None and there.points is not None:
        return "scored"
    if there.points != entry.points:
        may_replace = overwrite or _is_ours(there, steps)
        return "conflict" if not may_replace else "new" if there.points is None else "change"
    if _comment_is_due(entry, there, steps):
        return "comment"
    # Sending the comment again for the sake of its page would double it.
    lacks_page = entry.page and holds(there.comments, entry.mark) and not holds(there.attached, entry.mark)
    return "missing-page" if lacks_page else "same"


def _comment_is_due(entry: Entry, there: PlatformScore, steps: list[Step]) -> bool:
    """True if the comment has to be sent although the score is right."""
    if not entry.comment:
        return False
    if there.comments is not None:
        was_seen = any(step.state == "seen" and step.digest == entry.digest for step in steps)
        return not was_seen and not holds(there.comments, entry.mark)  # one that was removed stays removed
    if entry.points is None:
        # Nothing there shows whether the comment arrived; sent again, it replaces itself.
        return not any(step.digest == entry.digest and step.state != "sending" for step in steps)
    # It came with the score: due if we last sent something else.
    return bool(steps) and steps[-1].digest != entry.digest


def _is_ours(there: PlatformScore, steps: list[Step]) -> bool:
    """True if nobody but us has given, changed or removed the score there."""
    scores = [step for step in steps if step.points]
    if there.points is None:
        scored = max((step.attempt for step in scores if step.state == "seen"), default=-1)
        return scored < there.attempt  # nothing of ours was seen, or only for an earlier attempt
    return any(
        Decimal(step.points) == there.points and (step.state != "seen" or step.touched == there.touched)
        for step in scores
    )
