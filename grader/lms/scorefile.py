"""The input and the output of every format: what was asked for, and the file with what to say about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from grader.course.model import Exercise
from grader.grading.score import FinalResult
from grader.lms.payload import Payload, Withheld
from grader.sources.table import Table


@dataclass(frozen=True)
class ExportOrder:
    """What was asked for.

    ``sent`` are those with a score to send. ``worksheet`` is the platform's own file, where one was given.
    ``overwrite`` allows to replace what the platform holds already; without it only points that ``ours``
    gives for a student are replaced. ``columns``, ``delimiter`` and
    ``decimal`` shape the plain table; ``results`` and ``student`` serve files about one student.
    """

    exercise: Exercise
    sent: tuple[Payload, ...]
    results: tuple[FinalResult, ...] = ()
    worksheet: Table | None = None
    overwrite: bool = False
    ours: Callable[[str], Collection[Decimal]] = lambda _: ()
    columns: str = ""
    delimiter: str = ","
    decimal: str = "."
    student: str = ""


@dataclass(frozen=True)
class ScoreFile:
    """A file for a platform: its bytes, the points in it by student, who is left out, and warnings."""

    data: bytes
    points: Mapping[str, Decimal]
    withheld: tuple[Withheld, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def written(self) -> tuple[str, ...]:
        """The students in the file."""
        return tuple(self.points)
