"""What should stand on a platform, what stands there, and what is to be done about the difference."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

from grader.lms.payload import plain
from grader.lms.upload.journal import Journal, Step

MARK_LENGTH = 19
"""Characters that the mark takes up at the end of a comment, its line break included."""

Verdict = Literal["new", "change", "comment", "same", "bare", "kept", "excused", "absent"]
SENT: tuple[Verdict, ...] = ("new", "change", "comment")
"""The verdicts that are written; the others leave the platform as it is."""


@dataclass(frozen=True)
class Entry:
    """What should stand on the platform for one student, in its points; ``key`` is the student's id there.

    ``page`` is the feedback page that comes attached to the comment, where there is one.
    """

    student: str
    key: str
    points: Decimal
    comment: str
    page: bytes = field(default=b"", repr=False)

    @property
    def digest(self) -> str:
        """A digest of all that the platform is told."""
        told = f"{plain(self.points)}\n{self.comment}"
        if self.page:
            told += f"\n{hashlib.sha256(self.page).hexdigest()}"
        return hashlib.sha256(told.encode()).hexdigest()

    @property
    def mark(self) -> str:
        """A short sign by which our own comment is found again on the platform."""
        return f"[ref {self.digest[:12]}]"

    @property
    def score_alone(self) -> Entry:
        """The same without a word about it."""
        return replace(self, comment="", page=b"")


@dataclass(frozen=True)
class Standing:
    """What stands on the platform for one student; ``points`` is None where there is no score.

    ``touched`` changes whenever anyone changes the score, where the platform has such a mark. ``comments``
    are None where the platform does not show them, ``attached`` are those of them that hold a file.
    ``taken_off`` is what the platform itself deducted.
    """

    points: Decimal | None = None
    touched: str = ""
    excused: bool = False
    comments: tuple[str, ...] | None = None
    attached: tuple[str, ...] = ()
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
        return bool(self.entry.comment) and not _holds(shown or (), self.entry.mark)

    @property
    def with_page(self) -> bool:
        """Whether a feedback page has to go with it."""
        return self.with_comment and bool(self.entry.page)


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
        if _comment_is_due(entry, standing, steps):
            return "comment"
        return "bare" if _lacks_its_page(entry, standing) else "same"
    if overwrite or _is_ours(standing, steps):
        return "new" if standing.points is None else "change"
    return "kept"


def _comment_is_due(entry: Entry, standing: Standing, steps: list[Step]) -> bool:
    """Whether the score stands there and its comment does not, unless somebody has removed it since."""
    if not entry.comment:
        return False
    if standing.comments is not None:
        was_seen = any(step.state == "seen" and step.digest == entry.digest for step in steps)
        return not was_seen and not _holds(standing.comments, entry.mark)
    # Where comments are not shown they come with the score: ours is due when we last sent another one.
    return bool(steps) and steps[-1].digest != entry.digest


def _lacks_its_page(entry: Entry, standing: Standing) -> bool:
    """Whether our comment stands there without the page: sending it again would double the comment."""
    stands = _holds(standing.comments or (), entry.mark)
    return bool(entry.page) and stands and not _holds(standing.attached, entry.mark)


def _holds(texts: Iterable[str], mark: str) -> bool:
    return any(mark in text for text in texts)


def _is_ours(standing: Standing, steps: list[Step]) -> bool:
    """Whether nobody but us has given, changed or removed the score that stands there."""
    if standing.points is None:
        return all(step.state != "seen" for step in steps)
    return any(
        Decimal(step.points) == standing.points and (step.state != "seen" or step.touched == standing.touched)
        for step in steps
    )
