"""Write a chunk of results into nbgrader's tables: read the rows, compare, and write only what differs.

nbgrader's own calls commit one by one and load whole objects, some 15 ms a submission. Here a chunk is read
with one query a table and written with one statement a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from grader.course.model import Exercise
from grader.gradebook.by_hand import COLUMNS, TABLE, ByHand, from_known, merged, to_known, values_now
from grader.gradebook.cells import Cells, Tables, naive_utc
from grader.gradebook.words import comments_of, gradebook_id, names_of, short
from grader.gradebook.write import Changes, Row, by_one, by_two, rows_of
from grader.grading.score import Result
from grader.results.adjust import Values
from grader.results.student import safe_name
from grader.roster.roster import Person

if TYPE_CHECKING:
    from sqlalchemy import Connection

_NEW_STUDENT: Row = {"email": None, "lms_user_id": None}
_NEW_ASSIGNMENT: Row = {"extension": None}
_NEW_NOTEBOOK: Row = {"flagged": False}


@dataclass(frozen=True)
class ChunkReport:
    """What was recorded for some students.

    ``by_hand`` holds, by student, the changes by hand that OUT and the gradebook have now. ``overtaken``
    lists students with points by hand, for whom the grader has found other points since. ``found`` is true
    if the gradebook had a submission of one of them before.
    """

    by_hand: Mapping[str, ByHand]
    overtaken: tuple[str, ...]
    found: bool


@dataclass(frozen=True)
class _Old:
    """What is recorded of one student; grades and comments by the name of their cell."""

    assignment: Row | None
    notebook: Row | None = None
    grades: Mapping[str, Row] = field(default_factory=dict)
    comments: Mapping[str, Row] = field(default_factory=dict)
    known: Row | None = None


class _Submitted:
    """The four tables of a submission, and ours of values by hand."""

    def __init__(self, tables: Tables) -> None:
        self.assignments: Any = tables["submitted_assignment"]
        self.notebooks: Any = tables["submitted_notebook"]
        self.grades: Any = tables["grade"]
        self.comments: Any = tables["comment"]
        self.known: Any = tables[TABLE]

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
        known = by_one(rows_of(connection, self.known.c.id, ids), "id")
        found = {key: _Old(None) for key in keys}
        for row in assignments:
            notebook = notebooks.get(row["id"])
            key = notebook["id"] if notebook else ""
            found[row["student_id"]] = _Old(
                row,
                notebook,
                _by_name(cells.grades, grades.get(key, {})),
                _by_name(cells.solutions, comments.get(key, {})),
                known.get(key),
            )
        return found


def _by_name(cells: Mapping[str, str], rows: Mapping[str, Row]) -> dict[str, Row]:
    return {name: rows[cell] for name, cell in cells.items() if cell in rows}


def record_people(connection: Connection, tables: Tables, people: Sequence[Person]) -> None:
    """Add the students that are new; take names and addresses from the roster where it has them.

    A student whom an earlier version recorded under a made id, because of an apostrophe say, is renamed.
    """
    table, submitted = tables["student"], tables["submitted_assignment"]
    keys = [gradebook_id(person.id) for person in people]
    made = {
        safe_name(person.id): person.id for person, key in zip(people, keys, strict=True) if person.id == key
    }
    old = by_one(rows_of(connection, table.c.id, [*keys, *made]), "id")
    for before, key in made.items():
        if before in old and key not in old:
            old[key] = old[before] | {"id": key}
            connection.execute(table.insert(), old[key])
            mine = submitted.c.student_id == before
            connection.execute(submitted.update().where(mine).values(student_id=key))
            connection.execute(table.delete().where(table.c.id == before))
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
    known: Mapping[str, ByHand],
    keep: Callable[[Mapping[str, ByHand]], None],
) -> ChunkReport:
    """Record some results, and make what people changed there and in OUT (``known``) the same.

    ``keep`` gets the students with changes by hand before anything is written: if it ends there, the next
    call finds nothing new and enters OUT's values again.

    Formgrader compares a time with the one in ``timestamp.txt``, to the microsecond. Where one of ``times``,
    or the recorded one, differs from a result's only in the fraction of a second, it is taken.
    """
    submitted = _Submitted(tables)
    keys = [gradebook_id(result.student) for result in results]
    recorded = submitted.old(connection, cells, keys)
    by_hand: dict[str, ByHand] = {}
    names = [(what, name) for what in COLUMNS for name in cells.grades]
    names += [("comment", task) for task in cells.solutions]
    for result, key in zip(results, keys, strict=True):
        old = recorded[key]
        now = values_now(result.student, old.grades, old.comments)
        if now or old.known or result.student in known:
            seen = from_known(old.known["known"]) if old.known else None
            by_hand[result.student] = merged(known.get(result.student, ByHand()), seen, now, names)
    keep(by_hand)
    changes, overtaken = Changes(), []
    for result, key in zip(results, keys, strict=True):
        old = recorded[key]
        given = by_hand.get(result.student, ByHand()).in_gradebook or {}
        if result.status == "missing" and not given:
            _forget(changes, submitted, old)
            continue
        exact = [times.get(result.student), old.assignment["timestamp"] if old.assignment else None]
        notebook = _put_submission(changes, submitted, cells, key, result, old, exact)
        _put_comments(changes, submitted, cells, notebook, comments_of(exercise, result), given, old)
        if _put_grades(changes, submitted, cells, notebook, points_of(result), given, old):
            overtaken.append(result.student)
        if given or old.known or result.student in by_hand:
            changes.put(submitted.known, {"id": notebook, "known": to_known(given)}, old.known)
    changes.write(connection)
    found = any(old.assignment is not None for old in recorded.values())
    return ChunkReport(by_hand, tuple(overtaken), found)


def points_of(result: Result) -> Mapping[str, float]:
    """The points of each criterion; of a submission that is not graded, none."""
    return {one.id: float(one.points) for one in result.criteria} if result.status == "graded" else {}


def _penalty(result: Result) -> float:
    return float(result.late_penalty or 0)


def _forget(changes: Changes, tables: _Submitted, old: _Old) -> None:
    """Remove a submission that is no longer there, and of which nothing is left by hand."""
    changes.remove(tables.known, [old.known] if old.known else [])
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
    changes: Changes,
    tables: _Submitted,
    cells: Cells,
    notebook: str,
    points: Mapping[str, float],
    given: Values,
    old: _Old,
) -> bool:
    """Write the grader's points and a person's points of every cell.

    Returns:
        True if the grader's points of a cell changed that has points by hand.
    """
    overtaken = False
    for criterion, cell in cells.grades.items():
        before, auto = old.grades.get(criterion), points.get(criterion)
        manual: Row = {column: given.get((what, criterion)) for what, column in COLUMNS.items()}
        by_hand = any(value is not None for value in manual.values())
        overtaken |= by_hand and before is not None and before["auto_score"] != auto
        row: Row = {
            "notebook_id": notebook,
            "cell_id": cell,
            "auto_score": auto,
            "needs_manual_grade": auto is None and not by_hand,
        }
        changes.put(tables.grades, row, before, manual)
        if (
            before is not None
        ):  # apart, so that nothing by hand is written where only the grader's points differ
            changes.put(tables.grades, manual, before)
    return overtaken


def _put_comments(  # noqa: PLR0917 - a row needs all of it
    changes: Changes,
    tables: _Submitted,
    cells: Cells,
    notebook: str,
    comments: Mapping[str, str],
    given: Values,
    old: _Old,
) -> None:
    for task, text in comments.items():
        cell, before = cells.solutions[task], old.comments.get(task)
        row: Row = {"notebook_id": notebook, "cell_id": cell, "auto_comment": text or None}
        manual: Row = {"manual_comment": given.get(("comment", task))}
        changes.put(tables.comments, row, before, manual)
        if before is not None:
            changes.put(tables.comments, manual, before)
