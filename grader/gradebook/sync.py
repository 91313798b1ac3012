"""Results -> nbgrader's gradebook: every result one submission, every criterion one grade cell.

The results in OUT stay the truth: recording can be repeated at any time, and then repairs what is wrong or
missing. Points that a person gave in nbgrader's formgrader are never touched; they are reported, so that
they count. What is not graded has no points there, not zero points.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.base.errors import GraderError
from grader.course.model import Course, Exercise
from grader.gradebook.cells import known_cells, ready_cells
from grader.gradebook.manual import Manual, manual_scores_of
from grader.gradebook.rows import Marked, record_chunk, record_people
from grader.gradebook.store import exclusive, opened
from grader.grading.score import Result
from grader.lesson.format import NotebookCell
from grader.roster.roster import Person

CHUNK = 200
"""Results that are recorded in one transaction."""

_ATTEMPTS = 3


@dataclass(frozen=True)
class RecordReport:
    """What was recorded.

    ``manual`` holds, by student, the scores into which a person's points went. ``overtaken`` are the students
    among them whose own points have changed since under the person's.
    """

    recorded: int
    manual: Mapping[str, Manual] = field(default_factory=dict)
    overtaken: tuple[str, ...] = ()


def record(
    course: Course,
    exercise: Exercise,
    results: Iterable[Result],
    out: Path,
    people: Iterable[Person] = (),
    *,
    times: Mapping[str, datetime] | None = None,
    sources: Iterable[NotebookCell] = (),
) -> RecordReport:
    """Bring the gradebook up to date with these results and these people.

    Students that are in neither stay as they are. A student with nothing handed in has no submission there.
    ``times`` says, by student, in naive UTC, at which fraction of its second something came; ``sources`` are
    the cells that nbgrader is to know as the source notebook's.

    Raises:
        CourseError: ``course.gradebook`` is not a database's address.
        GraderError: The gradebook cannot be used or written; what is on disk in OUT is untouched.
    """
    todo = sorted(results, key=lambda result: result.student)
    for result in todo:
        _look_at(result, exercise)
    known = {person.id: person for person in people}
    marked: dict[str, Marked] = {}
    with opened(course, out) as gradebook:
        cells = _patiently(ready_cells, gradebook, course, exercise, list(sources))
        everyone = [known.get(result.student, Person(result.student)) for result in todo]
        listed = [*everyone, *(known[one] for one in known.keys() - {result.student for result in todo})]
        for some in _chunks(listed):
            _patiently(_in_transaction, gradebook, record_people, some)
        for chunk in _chunks(todo):
            marked |= _patiently(
                _in_transaction, gradebook, record_chunk, exercise, cells, chunk, times or {}
            )
    return RecordReport(
        recorded=len(todo),
        manual={student: one.manual for student, one in marked.items()},
        overtaken=tuple(student for student, one in marked.items() if one.overtaken),
    )


def manual_scores(
    course: Course, exercise: Exercise, results: Iterable[Result], out: Path
) -> Mapping[str, Manual]:
    """The scores, by student, into which a person's points went since the last recording; writes no grade.

    Raises:
        CourseError: ``course.gradebook`` is not a database's address.
        GraderError: The gradebook cannot be read.
    """
    students = [result.student for result in results]
    scores: dict[str, Manual] = {}
    with opened(course, out) as gradebook:
        cells = known_cells(gradebook, exercise)
        if cells is None:
            return {}
        with gradebook.engine.connect() as connection:
            for some in _chunks(students):
                scores |= manual_scores_of(connection, cells, some)
    return scores


def _look_at(result: Result, exercise: Exercise) -> None:
    """Any number would be taken for points by nbgrader, infinity included: look before it does."""
    known = {criterion.id: criterion for criterion in exercise.criteria}
    for one in result.criteria:
        if one.id not in known:
            raise GraderError(
                f"The result of {result.student} has a criterion {one.id!r} that course.toml does not have; "
                "grade again with --regrade."
            )
        if result.status == "graded" and not 0 <= one.points <= known[one.id].points:
            raise GraderError(
                f"The result of {result.student} has {one.points} points for {one.id!r}, which has "
                f"{known[one.id].points}; grade again with --regrade."
            )


def _chunks(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[start : start + CHUNK] for start in range(0, len(items), CHUNK))


def _in_transaction(gradebook: Any, work: Any, *arguments: Any) -> Any:
    """One chunk, whole or not at all."""
    with exclusive(gradebook.engine) as connection:
        return work(connection, *arguments)


def _patiently(work: Any, gradebook: Any, *arguments: Any) -> Any:
    """The same again when another program has written the same rows in between."""
    from sqlalchemy.exc import IntegrityError  # noqa: PLC0415 - only recording needs it

    for _ in range(_ATTEMPTS - 1):
        with contextlib.suppress(IntegrityError):
            return work(gradebook, *arguments)
        gradebook.db.rollback()
    return work(gradebook, *arguments)
