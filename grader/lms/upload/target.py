"""What an upload knows of a platform: an assignment, the scores there, and how they differ from ours."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, Protocol

from grader.base.errors import GraderError
from grader.grading.score import points_text
from grader.lms.payload import PersonKey

MAX_BYTES = 64 << 20
"""The largest answer of a platform, and the largest file that is fetched from it."""
MARK_LENGTH = 19  # characters that the mark takes up at the end of a comment, its line break included

UploadVerdict = Literal[
    "new", "change", "comment", "same", "missing-page", "conflict", "held", "excused", "absent", "scored"
]
SENT: tuple[UploadVerdict, ...] = ("new", "change", "comment")
"""The verdicts that are written; the others leave the platform as it is."""


class PlatformError(GraderError):
    """A request failed for good; the text names the request and never holds a token."""


class RefusedError(PlatformError):
    """The platform will not do what was asked; it may do it for another student. ``status`` is HTTP's."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class TokenError(PlatformError):
    """The platform does not take our token."""


class UnsureError(GraderError):
    """No usable answer came: the platform may or may not have acted."""


class ManyRefusedError(GraderError):
    """A request about several students was refused or broke off; each of them can be asked for alone."""


@dataclass(frozen=True)
class Entry:
    """What should be on the platform for one student, in its points."""

    student: str
    key: str  # the student's id there
    points: Decimal | None  # None for a comment without a score
    comment: str
    page: bytes = field(default=b"", repr=False)  # the feedback page at the comment, if there is one

    @property
    def points_text(self) -> str:
        """The points as every platform reads them; empty without a score."""
        return "" if self.points is None else points_text(self.points)

    @property
    def digest(self) -> str:
        """A digest of points, comment and page."""
        told = f"{self.points_text}\n{self.comment}"
        if self.page:
            told += f"\n{hashlib.sha256(self.page).hexdigest()}"
        return hashlib.sha256(told.encode()).hexdigest()

    @property
    def mark(self) -> str:
        """A short sign at the end of our comment, by which it is found again on the platform."""
        return f"[ref {self.digest[:12]}]"


@dataclass(frozen=True)
class PlatformScore:
    """What the platform shows for one student; ``points`` is None where there is no score."""

    points: Decimal | None = None
    touched: str = ""  # changes whenever anyone changes the score, where there is such a mark
    excused: bool = False
    comments: tuple[str, ...] | None = None  # None where it does not show them
    attached: tuple[str, ...] = ()  # comments that hold a file
    taken_off: Decimal = Decimal(0)  # points that it deducted itself
    held: str = ""  # why nothing is written: it takes no score, or does not tell whether there is one
    attempt: int = 0  # the scored attempt's number, where it scores each one


@dataclass(frozen=True)
class Difference:
    """One student's score there (None for a student who is not there) and here, and what to do about it."""

    entry: Entry
    there: PlatformScore | None
    verdict: UploadVerdict
    stamp: int = 0  # sent along: seconds since 1970; it grows with each score of a student

    @property
    def with_comment(self) -> bool:
        """True if the comment still has to be sent."""
        shown = self.there.comments if self.there else None
        return bool(self.entry.comment) and not holds(shown, self.entry.mark)

    @property
    def with_page(self) -> bool:
        """True if a feedback page has to be sent with the comment."""
        return self.with_comment and bool(self.entry.page)


@dataclass(frozen=True)
class About:
    """What a platform says of an assignment, and warnings before sending."""

    maximum: Decimal | None  # in points, if known
    warnings: tuple[str, ...] = ()
    takes_pages: bool = False  # a feedback page goes with a comment
    takes_lone_comments: bool = False  # a comment goes without a score


class Target(Protocol):
    """An assignment on a platform: its ``place`` for the journal, and the ``key`` by which it knows people.

    ``chunk`` is the number of scores that go into one request.
    """

    place: str
    key: PersonKey
    chunk: int

    def about(self) -> About:
        """Ask what the assignment is; PlatformError if it takes no points, or none as it is now."""

    def read(self, keys: Iterable[str]) -> Mapping[str, PlatformScore]:
        """Read the scores there, by the platform's id; PlatformError if one can be told from no answer."""

    def write(self, changes: Sequence[Difference]) -> Mapping[str, str]:
        """Send scores, and comments that still have to be sent; return why the platform refused, by student.

        Raises:
            UnsureError: No answer came.
            ManyRefusedError: There are several students, and some of them may have been written.
        """

    def close(self) -> None:
        """Close the connections."""


def holds(texts: Iterable[str] | None, mark: str) -> bool:
    """Return whether one of the comments has a mark."""
    return any(mark in text for text in texts or ())
