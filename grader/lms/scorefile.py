"""The input and the output of every format: what was asked for, and the file with what to say about it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from grader.course.model import Exercise
from grader.grading.score import FinalResult
from grader.lms.payload import Payload, Withheld, plain
from grader.sources.table import Table


@dataclass(frozen=True)
class Order:
    """What was asked for.

    ``sent`` are those with a score to send. ``worksheet`` is the platform's own file, where one was given.
    ``overwrite`` allows to replace what the platform holds already. ``columns``, ``delimiter`` and
    ``decimal`` shape the plain table; ``results`` and ``student`` serve files about one student.
    """

    exercise: Exercise
    sent: tuple[Payload, ...]
    results: tuple[FinalResult, ...] = ()
    worksheet: Table | None = None
    overwrite: bool = False
    columns: str = ""
    delimiter: str = ","
    decimal: str = "."
    student: str = ""


@dataclass(frozen=True)
class ScoreFile:
    """A file for a platform: its bytes, the students in it, those who stay out, and warnings, a line each."""

    data: bytes
    written: tuple[str, ...]
    withheld: tuple[Withheld, ...] = ()
    warnings: tuple[str, ...] = ()


def conflict(student: str, there: str, ours: Decimal, place: str) -> Withheld:
    """A student whose other value on the platform is left as it is."""
    why = f"has {there} already ({place}); {plain(ours)} replaces it with --overwrite only"
    return Withheld(student, why, lost=True)
