"""A run's report and the course's own list of criteria -> a Result of integer points and stated states.

Only a call stage that passed counts, for every test that our own list names; whatever else a report holds,
or fails to hold, earns nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.course import Visibility

Status = Literal["graded", "missing", "unreadable", "grader-error"]
State = Literal["passed", "needs-work", "not-started", "not-run", "stopped"]


@dataclass(frozen=True)
class CriterionResult:
    """What one criterion earned.

    ``message`` is plain text for the student, one sentence a line, empty for a passed criterion; for a
    hidden one it never says more than the state does.
    """

    id: str
    task: str
    visibility: Visibility
    points: int
    max_points: int
    status: State
    message: str


@dataclass(frozen=True)
class Diagnosis:
    """What the student seems to believe: a misconception's id and its fixed sentence, without values."""

    task: str
    misconception: str
    explanation: str


@dataclass(frozen=True)
class Received:
    """Which bytes were graded: their digest, when they came (ISO 8601, UTC, or empty) and the files' names."""

    digest: str
    submitted_at: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """What ``result.json`` holds, in this order.

    ``score`` is the sum of the earned points before ``late_penalty`` (points, 0 when nothing is taken off);
    both are None unless ``status`` is ``graded``. Of a submission that could not be read, every criterion
    is ``not-run`` and its message says why.
    """

    student: str
    exercise: str
    status: Status
    score: int | None
    max_score: int
    late_penalty: int | float | None
    criteria: tuple[CriterionResult, ...]
    diagnoses: tuple[Diagnosis, ...]
    flags: tuple[str, ...]
    submission: Received | None
