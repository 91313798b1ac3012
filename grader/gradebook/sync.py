"""Record results in nbgrader's gradebook: a submission for each result, a grade cell for each criterion.

The results in OUT stay the truth: recording can be repeated at any time, and then repairs what is wrong or
missing. Points that a person gave in nbgrader's formgrader are never touched; they are reported, so that
they count. What is not graded has no points there, not zero points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.base.errors import GraderError
from grader.course.model import Course, Exercise
from grader.gradebook.cells import known_cells, ready_cells
from grader.gradebook.rows import Marked, manual_points_of, record_chunk, record_people
from grader.gradebook.store import DATABASE, Database, exclusive, nbgrader_is_installed, opened
from grader.grading.score import Result
from grader.lesson.format import NotebookCell
from grader.results.out import Out
from grader.roster.roster import Person

CHUNK = 200
"""Results that are recorded in one transaction."""

_ATTEMPTS = 3


@dataclass(frozen=True)
class RecordReport:
    """What was recorded.

    ``manual`` holds the points that people gave, by student and criterion. ``overtaken`` are students among
    them for whom the grader has found other points since.
    """

    recorded: int
    manual: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    overtaken: tuple[str, ...] = ()


def record_out(
    out: Out, *, times: Mapping[str, datetime] | None = None, sources: Iterable[NotebookCell] = ()
) -> RecordReport:
    """Bring the gradebook up to date with OUT, and OUT with the points that people gave there.

    ``times`` and ``sources`` are as in :func:`record`.

    Raises:
        CourseError: ``course.gradebook`` is not a database's address.
        GraderError: The gradebook cannot be used; OUT is as it was.
    """
    people = out.roster.people if out.roster else ()
    report = record(
        out.course,
        out.exercise,
        out.results(),
        out.home,
        people,
        when_new=out.keep_manual,
        times=times,
        sources=sources,
    )
    out.note_formgrader(report.manual)
    return report


def ask_for_manual(out: Out) -> None:
    """Take over into OUT the points that people gave in the gradebook, if there is one, since the last look.

    Raises:
        CourseError: ``course.gradebook`` is not a database's address.
        GraderError: The gradebook cannot be read.
    """
    if not nbgrader_is_installed() or not (out.course.gradebook or (out.home / DATABASE).is_file()):
        return
    manual = manual_points(out.course, out.exercise, out.results(), out.home)
    if manual is not None:
        out.note_formgrader(manual)


def record(
    course: Course,
    exercise: Exercise,
    results: Iterable[Result],
    home: Path,
    people: Iterable[Person] = (),
    *,
    when_new: Callable[[], object] = lambda: None,
    times: Mapping[str, datetime] | None = None,
    sources: Iterable[NotebookCell] = (),
) -> RecordReport:
    """Bring the gradebook up to date with these results and these people.

    Students that are in neither stay as they are. A student with nothing handed in has no submission there.

    Args:
        course: The course; it names the gradebook, unless that is in ``home``.
        exercise: The exercise of these results.
        results: What the grader found.
        home: The folder of the course's own files.
        people: Who takes the course.
        when_new: Called before anything is written of an exercise that this gradebook does not know.
        times: By student, in naive UTC, at which fraction of its second something came.
        sources: The cells that nbgrader is to know as the source notebook's.

    Raises:
        CourseError: ``course.gradebook`` is not a database's address.
        GraderError: The gradebook cannot be used or written; the results are untouched.
    """
    todo = sorted(results, key=lambda result: result.student)
    for result in todo:
        _look_at(result, exercise)
    known = {person.id: person for person in people}
    marked: dict[str, Marked] = {}
    with opened(course, home) as database:
        with database.engine.connect() as connection:
            is_new = known_cells(connection, database.tables, exercise) is None
        if is_new:
            when_new()
        cells = _patiently(ready_cells, database, course, exercise, list(sources))
        everyone = [known.get(result.student, Person(result.student)) for result in todo]
        listed = [*everyone, *(known[one] for one in known.keys() - {result.student for result in todo})]
        for some in _chunks(listed):
            _patiently(record_people, database, some)
        for chunk in _chunks(todo):
            marked |= _patiently(record_chunk, database, exercise, cells, chunk, times or {})
    return RecordReport(
        recorded=len(todo),
        manual={student: one.points for student, one in marked.items()},
        overtaken=tuple(student for student, one in marked.items() if one.overtaken),
    )


def manual_points(
    course: Course, exercise: Exercise, results: Iterable[Result], home: Path
) -> Mapping[str, Mapping[str, float]] | None:
    """Read the points that people gave, by student and criterion; no grade is written.

    None if the exercise was never recorded in this gradebook.

    Raises:
        CourseError: ``course.gradebook`` is not a database's address.
        GraderError: The gradebook cannot be read.
    """
    students = [result.student for result in results]
    points: dict[str, dict[str, float]] = {}
    with opened(course, home) as database, database.engine.connect() as connection:
        cells = known_cells(connection, database.tables, exercise)
        if cells is None:
            return None
        for some in _chunks(students):
            points |= manual_points_of(connection, database.tables, cells, some)
    return points


def _look_at(result: Result, exercise: Exercise) -> None:
    """Refuse points that the exercise does not have; nbgrader would take any number, even infinity."""
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


def _patiently(work: Any, database: Database, *arguments: Any) -> Any:
    """Work in one transaction; again when another program has written the same rows meanwhile."""
    from sqlalchemy.exc import IntegrityError  # noqa: PLC0415 - of an optional extra

    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with exclusive(database.engine) as connection:
                return work(connection, database.tables, *arguments)
        except IntegrityError:
            if attempt == _ATTEMPTS:
                raise
    raise AssertionError
