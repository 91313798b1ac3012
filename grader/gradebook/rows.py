"""Write a chunk of results into nbgrader's tables: read the rows, compare, and write only what differs.

nbgrader's own calls commit one by one and load whole objects, some 15 ms a submission. Here a chunk is read
with one query a table and written with one statement a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from grader.course.model import Exercise
from grader.gradebook.cells import Cells, Tables, naive_utc
from grader.gradebook.words import comments_of, gradebook_id, names_of, short
from grader.gradebook.write import Changes, Row, by_one, by_two, rows_of
from grader.grading.score import Result
from grader.roster.roster import Person

if TYPE_CHECKING:
    from sqlalchemy import Connection

_NEW_STUDENT: Row = {"email": None, "lms_user_id": None}
_NEW_ASSIGNMENT: Row = {"extension": None}
_NEW_NOTEBOOK: Row = {"flagged": False}
_NEW_GRADE: Row = {"manual_score": None, "extra_credit": None}
_NEW_COMMENT: Row = {"manual_comment": None}


@dataclass(frozen=True)
class Marked:
    """A student to whom a person gave points.

    ``points`` are those that the person gave, by criterion. ``overtaken`` says that the grader's own points
    in one of these cells have changed since.
    """

    points: Mapping[str, float]
    overtaken: bool


@dataclass(frozen=True)
class _Old:
    """What is recorded of one student; grades and comments by their cell."""

    assignment: Row | None
    notebook: Row | None = None
    grades: Mapping[str, Row] = field(default_factory=dict)
    comments: Mapping[str, Row] = field(default_factory=dict)

    @property
    def touched(self) -> bool:
        """True if a person left points or a comment."""
        commented = any(row["manual_comment"] is not None for row in self.comments.values())
        return commented or self.marked

    @property
    def marked(self) -> bool:
        """True if a person gave points."""
        return any(map(_is_by_hand, self.grades.values()))


class _Submitted:
    """The four tables of a submission."""

    def __init__(self, tables: Tables) -> None:
        self.assignments: Any = tables["submitted_assignment"]
        self.notebooks: Any = tables["submitted_notebook"]
        self.grades: Any = tables["grade"]
        self.comments: Any = tables["comment"]

    def old(self, connection: Connection, cells: Cells, keys: Sequence[str]) -> dict[str, _Old]:
        """What is recorded of these students."""
        assignments = rows_of(connection, self.assignments.c.student_id, keys, assignment_id=cells.assignment)
        ids = [row["id"] for row in assignments]
        notebooks = by_one(
            rows_of(connection, self.notebooks.c.assignment_id, ids, notebook_id=cells.notebook),
            "assignment_id",
        )
        ids = [row["id"] for row in notebooks.values()]
        grades = by_two(rows_of(connection, self.grades.c.notebook_id, ids), "notebook_id", "cell_id")
        comments = by_two(rows_of(connection, self.comments.c.notebook_id, ids), "notebook_id", "cell_id")
        found = {key: _Old(None) for key in keys}
        for row in assignments:
            notebook = notebooks.get(row["id"])
            key = notebook["id"] if notebook else ""
            found[row["student_id"]] = _Old(row, notebook, grades.get(key, {}), comments.get(key, {}))
        return found


def record_people(connection: Connection, tables: Tables, people: Sequence[Person]) -> None:
    """Add the students that are new; take names and addresses from the roster where it has them."""
    table = tables["student"]
    keys = [gradebook_id(person.id) for person in people]
    old = by_one(rows_of(connection, table.c.id, keys), "id")
    changes = Changes()
    for person, key in zip(people, keys, strict=True):
        row: Row = {"id": key}
        if person.name.strip() or key not in old:
            row["first_name"], row["last_name"] = names_of(person)
        if person.email.strip():
            row["email"] = short(person.email)
        changes.put(table, row, old.get(key), _NEW_STUDENT)
    changes.write(connection)


def record_chunk(  # noqa: PLR0917 - a row needs all of it
    connection: Connection,
    tables: Tables,
    exercise: Exercise,
    cells: Cells,
    results: Sequence[Result],
    times: Mapping[str, datetime],
) -> dict[str, Marked]:
    """Record some results; return the students to whom a person gave points.

    Formgrader compares a time with the one in ``timestamp.txt``, to the microsecond. Where one of ``times``,
    or the recorded one, differs from a result's only in the fraction of a second, it is taken.
    """
    submitted = _Submitted(tables)
    keys = [gradebook_id(result.student) for result in results]
    recorded = submitted.old(connection, cells, keys)
    changes = Changes()
    marked: dict[str, Marked] = {}
    for result, key in zip(results, keys, strict=True):
        old = recorded[key]
        if result.status == "missing" and not old.touched:
            _forget(changes, submitted, old)
            continue
        exact = [times.get(result.student), old.assignment["timestamp"] if old.assignment else None]
        notebook = _put_submission(changes, submitted, cells, key, result, old, exact)
        _put_comments(changes, submitted, cells, notebook, comments_of(exercise, result), old)
        points = points_of(result)
        overtaken = _put_grades(changes, submitted, cells, notebook, points, old)
        if old.marked:
            marked[result.student] = Marked(_given(old, cells, points), overtaken)
    changes.write(connection)
    return marked


def manual_points_of(
    connection: Connection, tables: Tables, cells: Cells, students: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Read the points that people gave, by student and criterion."""
    keys = {gradebook_id(student): student for student in students}
    recorded = _Submitted(tables).old(connection, cells, list(keys))
    given = {keys[key]: _given(old, cells, {}) for key, old in recorded.items()}
    return {student: points for student, points in given.items() if points}


def _given(old: _Old, cells: Cells, points: Mapping[str, float]) -> dict[str, float]:
    """The points that people gave one student, by criterion; ``points`` are the grader's own of now."""
    marked = {name: old.grades[cell] for name, cell in cells.grades.items() if cell in old.grades}
    return {
        name: _worth(grade, points.get(name, grade["auto_score"]))
        for name, grade in marked.items()
        if _is_by_hand(grade)
    }


def _is_by_hand(grade: Row) -> bool:
    """True if a person gave points in this cell, as its score or as extra credit."""
    return grade["manual_score"] is not None or grade["extra_credit"] is not None


def _worth(grade: Row, auto: float | None) -> float:
    """The points of a cell, by nbgrader's own rule: a person's points, or else ours, and extra credit."""
    own = auto if grade["manual_score"] is None else grade["manual_score"]
    return float(own or 0) + float(grade["extra_credit"] or 0)


def points_of(result: Result) -> Mapping[str, float]:
    """The points of each criterion; of a submission that is not graded, none."""
    return {one.id: float(one.points) for one in result.criteria} if result.status == "graded" else {}


def _penalty(result: Result) -> float:
    return float(result.late_penalty or 0)


def _forget(changes: Changes, tables: _Submitted, old: _Old) -> None:
    """Remove a submission that is no longer there, and that no person has touched."""
    changes.remove(tables.grades, old.grades.values())
    changes.remove(tables.comments, old.comments.values())
    changes.remove(tables.notebooks, [old.notebook] if old.notebook else [])
    changes.remove(tables.assignments, [old.assignment] if old.assignment else [])


def _put_submission(  # noqa: PLR0917 - a row needs all of it
    changes: Changes,
    tables: _Submitted,
    cells: Cells,
    key: str,
    result: Result,
    old: _Old,
    exact: Sequence[datetime | None],
) -> str:
    """When it came and what its lateness costs; the key of its notebook."""
    text = result.submission.submitted_at if result.submission else ""
    time = naive_utc(datetime.fromisoformat(text)) if text else None
    same = [moment for moment in exact if moment is not None and moment.replace(microsecond=0) == time]
    assignment: Row = {
        "assignment_id": cells.assignment,
        "student_id": key,
        "timestamp": same[0] if same else time,
    }
    notebook: Row = {
        "assignment_id": changes.put(tables.assignments, assignment, old.assignment, _NEW_ASSIGNMENT),
        "notebook_id": cells.notebook,
        "late_submission_penalty": _penalty(result),
    }
    return changes.put(tables.notebooks, notebook, old.notebook, _NEW_NOTEBOOK)


def _put_grades(  # noqa: PLR0917 - a row needs all of it
    changes: Changes, tables: _Submitted, cells: Cells, notebook: str, points: Mapping[str, float], old: _Old
) -> bool:
    """The automatic points of every cell; whether some changed under a person's."""
    overtaken = False
    for criterion, cell in cells.grades.items():
        before, auto = old.grades.get(cell), points.get(criterion)
        by_hand = before is not None and _is_by_hand(before)
        overtaken |= before is not None and by_hand and before["auto_score"] != auto
        row: Row = {
            "notebook_id": notebook,
            "cell_id": cell,
            "auto_score": auto,
            "needs_manual_grade": auto is None and not by_hand,
        }
        changes.put(tables.grades, row, before, _NEW_GRADE)
    return overtaken


def _put_comments(  # noqa: PLR0917 - a row needs all of it
    changes: Changes, tables: _Submitted, cells: Cells, notebook: str, comments: Mapping[str, str], old: _Old
) -> None:
    for task, text in comments.items():
        cell = cells.solutions[task]
        row: Row = {"notebook_id": notebook, "cell_id": cell, "auto_comment": text or None}
        changes.put(tables.comments, row, old.comments.get(cell), _NEW_COMMENT)
