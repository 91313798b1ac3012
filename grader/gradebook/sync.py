"""Record results in nbgrader's gradebook: a submission for each result, a grade cell for each criterion.

The results in OUT stay the truth: recording can be repeated at any time, and then repairs what is wrong or
missing. What a person changed in nbgrader's formgrader is taken over into OUT, and what a person changed in
OUT is entered there; the later change counts. What is not graded has no points there, not zero points.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.base.errors import GraderError
from grader.course.model import Course, Exercise
from grader.gradebook.by_hand import ByHand
from grader.gradebook.rows import ChunkReport, record_chunk, record_people
from grader.gradebook.store import (
    DATABASE,
    Database,
    exclusive,
    gradebook_url,
    nbgrader_is_installed,
    opened,
    shown,
)
from grader.gradebook.tables import is_recorded, ready_cells
from grader.grading.score import Result
from grader.lesson.format import NotebookCell
from grader.results.out import Out
from grader.roster.roster import Person

CHUNK = 200  # results that are recorded in one transaction

_ATTEMPTS = 3


@dataclass(frozen=True)
class RecordReport:
    """What was recorded: how many results, and what OUT and the gradebook know of changes by hand."""

    recorded: int
    by_hand: Mapping[str, ByHand] = field(default_factory=dict)
    overtaken: tuple[str, ...] = ()  # students for whom the grader has found other points since
    anew: str = ""  # a sentence that all was entered again, as the gradebook had none of it


def record_out(
    out: Out,
    *,
    times: Mapping[str, datetime] | None = None,
    sources: Iterable[NotebookCell] = (),
    only_known: bool = False,
) -> RecordReport:
    """Bring the gradebook up to date with OUT, and OUT with what people changed there.

    ``times``, ``sources`` and errors are as in :func:`record`. With ``only_known`` nothing is done without
    nbgrader, or if OUT was never recorded.
    """
    course, before = out.course, out.in_gradebook
    there = bool(course.gradebook) or (out.home / DATABASE).is_file()
    if only_known and not (nbgrader_is_installed() and (there or before is not None)):
        return RecordReport(0)
    known = {
        student: ByHand(changes, (before or {}).get(student)) for student, changes in out.changes.items()
    }

    def keep(by_hand: Mapping[str, ByHand]) -> None:
        out.note_gradebook(
            {student: one.changes for student, one in by_hand.items() if one.changes},
            {student: one.in_gradebook for student, one in by_hand.items() if one.in_gradebook is not None},
        )

    report = record(
        course,
        out.exercise,
        out.results(),
        out.home,
        out.roster.people if out.roster else (),
        known=known,
        keep=keep,
        times=times,
        sources=sources,
        before=before is not None,
        only_known=only_known,
    )
    if report.recorded:
        out.note_gradebook({}, {}, recorded=True)
    return report


def record(
    course: Course,
    exercise: Exercise,
    results: Iterable[Result],
    home: Path,
    people: Iterable[Person] = (),
    *,
    known: Mapping[str, ByHand] | None = None,
    keep: Callable[[Mapping[str, ByHand]], None] = lambda _: None,
    times: Mapping[str, datetime] | None = None,
    sources: Iterable[NotebookCell] = (),
    before: bool = False,
    only_known: bool = False,
) -> RecordReport:
    """Bring the gradebook up to date with these results and these people.

    Students that are in neither stay as they are. A student with nothing handed in, and nothing by hand, has
    no submission there. ``known`` is what OUT knows of students with changes by hand; ``keep`` is called with
    what it should know of some of them, before that is written into the gradebook. ``times`` say by student,
    in naive UTC, at which fraction of its second something came. ``sources`` are the cells that nbgrader is
    to know as the source notebook's. ``before`` says that these results were recorded before; with
    ``only_known`` nothing is done unless OUT or the gradebook says so. Whatever goes wrong, the results are
    untouched.
    """
    todo = sorted(results, key=lambda result: result.student)
    _refuse_unknown_points(todo, exercise)
    persons = {person.id: person for person in people}
    with opened(course, home) as database:
        if only_known and not before:
            with database.engine.connect() as connection:
                if not is_recorded(connection, database.tables, exercise):
                    return RecordReport(0)
        cells = _retry_on_conflict(database, ready_cells, database.tables, course, exercise, list(sources))
        everyone = [persons.get(result.student, Person(result.student)) for result in todo]
        listed = [*everyone, *(persons[one] for one in persons.keys() - {result.student for result in todo})]
        for some in _chunks(listed):
            _retry_on_conflict(database, record_people, database.tables, some)
        reports: list[ChunkReport] = [
            _retry_on_conflict(database, record_chunk, cells, chunk, times or {}, known or {}, keep)
            for chunk in _chunks(todo)
        ]
    by_hand = {student: one for report in reports for student, one in report.by_hand.items()}
    anew = ""
    if before and any(result.status != "missing" for result in todo) and not any(r.found for r in reports):
        count = sum(bool(one.in_gradebook) for one in by_hand.values())
        anew = (
            f"The gradebook {shown(gradebook_url(course, home))} had nothing of {exercise.name}, which was "
            "recorded before: all results were entered again, with changes by hand for "
            f"{count} student{'s' * (count != 1)}."
        )
    overtaken = tuple(student for report in reports for student in report.overtaken)
    return RecordReport(len(todo), by_hand, overtaken, anew)


def _refuse_unknown_points(results: Iterable[Result], exercise: Exercise) -> None:
    """Refuse points that the exercise does not have; nbgrader would take any number, even infinity."""
    known = {criterion.id: criterion for criterion in exercise.criteria}
    for result, one in ((found, one) for found in results for one in found.criteria):
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


def _retry_on_conflict(database: Database, work: Any, *arguments: Any) -> Any:
    """Work in one transaction; again when another program has written the same rows meanwhile."""
    from sqlalchemy.exc import IntegrityError  # noqa: PLC0415 - of an optional extra

    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with exclusive(database.engine) as connection:
                return work(connection, *arguments)
        except IntegrityError:
            if attempt == _ATTEMPTS:
                raise
    raise AssertionError
