"""Rows of nbgrader's tables: read and written many at once; those of the exercise itself.

To nbgrader the exercise is an assignment with one notebook, with a grade cell for each criterion. A cell's
name is the notebook's own ``grade_id``: a criterion's id for its points, a task's name for its comments.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from grader.base.errors import GraderError
from grader.course.model import Course, Exercise
from grader.gradebook.store import course_id
from grader.lesson.format import NotebookCell, cell_fingerprint

if TYPE_CHECKING:
    from sqlalchemy import Connection

Row = dict[str, Any]
Tables = Mapping[str, Any]

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_NATIVE = "default_course"  # what nbgrader calls a course that has no name
_GRADE, _SOLUTION, _TASK = "GradeCell", "SolutionCell", "TaskCell"


class Changes:
    """Collect rows to insert, update and delete, table by table."""

    def __init__(self) -> None:
        self._insert: dict[Any, list[Row]] = defaultdict(list)
        self._update: dict[Any, list[Row]] = defaultdict(list)
        self._delete: dict[Any, list[Row]] = defaultdict(list)

    def put(self, table: Any, row: Row, old: Row | None, first: Row | None = None) -> str:
        """Insert a row (with ``first``, what is only set once), or update the columns that differ.

        Another program may write the others meanwhile: formgrader points by hand, say. Returns the row's key.
        """
        if old is None:
            new = {"id": uuid4().hex} | (first or {}) | row
            self._insert[table].append(new)
            return str(new["id"])
        if changed := {f"new_{name}": value for name, value in row.items() if old[name] != value}:
            self._update[table].append({"key": old["id"]} | changed)
        return str(old["id"])

    def remove(self, table: Any, rows: Iterable[Row]) -> None:
        """Delete these rows."""
        self._delete[table] += [{"key": row["id"]} for row in rows]

    def write(self, connection: Connection) -> None:
        """Send everything, in the transaction of the connection: parents in first, children out first."""
        from sqlalchemy import bindparam  # noqa: PLC0415 - only recording needs it

        order = [one for table in (*self._delete, *self._insert) for one in table.metadata.sorted_tables]
        for table in reversed(list(dict.fromkeys(order))):
            if keys := self._delete.get(table):
                connection.execute(table.delete().where(table.c.id == bindparam("key")), keys)
        for table in dict.fromkeys(order):
            if rows := self._insert.get(table):
                connection.execute(table.insert(), rows)
        for table, rows in self._update.items():
            alike: dict[tuple[str, ...], list[Row]] = defaultdict(list)
            for row in rows:
                alike[tuple(row)].append(row)
            for (_, *names), some in alike.items():
                values: dict[str, Any] = {name.removeprefix("new_"): bindparam(name) for name in names}
                connection.execute(table.update().where(table.c.id == bindparam("key")).values(values), some)


def rows_of(connection: Connection, column: Any, values: Sequence[str], **where: str) -> list[Row]:
    """All rows of the column's table in which it has one of the values."""
    if not values:
        return []
    found = connection.execute(column.table.select().where(column.in_(values)).filter_by(**where))
    names = tuple(found.keys())
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def by_one(rows: Iterable[Row], name: str) -> dict[str, Row]:
    """Map the value of a column to its row."""
    return {row[name]: row for row in rows}


@dataclass(frozen=True)
class Cells:
    """The database's keys of one exercise: its assignment, its notebook, its cells by name."""

    tables: Tables
    exercise: Exercise
    assignment: str
    notebook: str
    grades: Mapping[str, str]
    solutions: Mapping[str, str]


@dataclass(frozen=True)
class _Recorded:
    """What the database holds of one exercise: cells by kind and name; ``foreign`` are names of others."""

    assignment: Row | None
    notebook: Row | None
    cells: Mapping[tuple[str, str], Row]
    foreign: tuple[str, ...]


def _read(connection: Connection, tables: Tables, exercise: Exercise) -> _Recorded:
    found = rows_of(connection, tables["assignment"].c.name, [exercise.name])
    notebooks = rows_of(connection, tables["notebook"].c.assignment_id, [row["id"] for row in found])
    ours = by_one(notebooks, "name").get(exercise.notebook.removesuffix(".ipynb"))
    cells = rows_of(connection, tables["base_cell"].c.notebook_id, [row["id"] for row in notebooks])
    mine = [cell for cell in cells if ours and cell["notebook_id"] == ours["id"]]
    known = {criterion.id for criterion in exercise.criteria}
    foreign = [
        cell["name"]
        for cell in cells
        if cell["type"] in {_GRADE, _TASK} and (cell not in mine or cell["name"] not in known)
    ]
    return _Recorded(
        found[0] if found else None,
        ours,
        {(cell["type"], cell["name"]): cell for cell in mine},
        tuple(sorted(foreign)),
    )


def is_recorded(connection: Connection, tables: Tables, exercise: Exercise) -> bool:
    """True if the exercise was recorded before. Writes nothing."""
    old = _read(connection, tables, exercise)
    return old.assignment is not None and old.notebook is not None


def ready_cells(
    connection: Connection,
    tables: Tables,
    course: Course,
    exercise: Exercise,
    sources: Iterable[NotebookCell] = (),
) -> Cells:
    """Find or make the assignment and its cells.

    ``sources`` are the cells of the source notebook, without solutions: what nbgrader puts over a handed-in
    notebook. Without them those that are there stay. A cell that is new to submissions recorded before gets
    an empty grade in each of them, which nbgrader takes for granted. Raises GraderError if the assignment is
    another course's, or has cells that the exercise does not have.
    """
    old, ours = _read(connection, tables, exercise), course_id(course)
    if old.assignment and old.assignment["course_id"] not in {ours, _NATIVE}:
        raise GraderError(
            f"In the gradebook, {exercise.name} belongs to the course {old.assignment['course_id']!r}, "
            f"not to {ours!r}; give each course a database of its own."
        )
    if old.foreign:  # their points would be added to everybody's score
        raise GraderError(
            f"In the gradebook, {exercise.name} has cells that the exercise does not have "
            f"({', '.join(old.foreign[:3])}); rename the exercise or remove that assignment with "
            "'nbgrader db assignment remove'."
        )
    changes = Changes()
    row: Row = {"name": exercise.name, "duedate": naive_utc(exercise.due)}
    assignment = changes.put(tables["assignment"], row, old.assignment, {"course_id": ours})
    row = {"name": exercise.notebook.removesuffix(".ipynb"), "assignment_id": assignment}
    notebook = changes.put(tables["notebook"], row, old.notebook, {"kernelspec": json.dumps(_KERNEL)})

    def put_cell(kind: str, name: str) -> str:
        cell: Row = {"name": name, "type": kind, "notebook_id": notebook}
        return changes.put(tables["base_cell"], cell, old.cells.get((kind, name)))

    graded = [cell["id"] for (kind, _), cell in old.cells.items() if kind == _GRADE]
    points = by_one(rows_of(connection, tables["grade_cells"].c.id, graded), "id")
    submitted = rows_of(
        connection, tables["submitted_notebook"].c.notebook_id, [old.notebook["id"]] if old.notebook else []
    )
    grades = {}
    for criterion in exercise.criteria:
        key = grades[criterion.id] = put_cell(_GRADE, criterion.id)
        row = {"id": key, "max_score": criterion.points}
        changes.put(tables["grade_cells"], row, points.get(key), {"cell_type": "code"})
        for one in submitted if key not in points else ():  # a grade that nobody gave yet
            empty: Row = dict.fromkeys(("auto_score", "manual_score", "extra_credit"))
            row = {"cell_id": key, "notebook_id": one["id"], "needs_manual_grade": True} | empty
            changes.put(tables["grade"], row, None)
    solutions = {}
    for task in exercise.tasks:
        key = solutions[task.name] = put_cell(_SOLUTION, task.name)
        if (_SOLUTION, task.name) not in old.cells:
            changes.put(tables["solution_cells"], {"id": key}, None)
    _put_sources(connection, changes, tables["source_cell"], notebook, sources)
    changes.write(connection)
    return Cells(tables, exercise, assignment, notebook, grades, solutions)


def _put_sources(
    connection: Connection, changes: Changes, table: Any, notebook: str, sources: Iterable[NotebookCell]
) -> None:
    """Make the source notebook's cells those of ``sources``; without any, those that are there stay."""
    wanted = {cell.id: cell for cell in sources if cell.kind in {"answer", "tests", "shown"}}
    known = by_one(rows_of(connection, table.c.notebook_id, [notebook] if wanted else []), "name")
    for name, cell in wanted.items():
        row: Row = {"name": name, "notebook_id": notebook, "cell_type": "code"}
        row |= {"locked": cell.kind != "answer", "source": cell.source, "checksum": cell_fingerprint(cell)}
        changes.put(table, row, known.get(name))
    # Once there are submissions, nbgrader accepts a source notebook with just the cells that it knows.
    changes.remove(table, [row for name, row in known.items() if name not in wanted])


def naive_utc(moment: datetime | None) -> datetime | None:
    """A time as nbgrader keeps it: in UTC, without saying so."""
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None)
