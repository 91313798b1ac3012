"""Write a chunk of results into nbgrader's tables: read the rows, compare, and write only what differs.

nbgrader's own calls commit one by one and load whole objects, some 15 ms a submission. Here a chunk is read
with one query a table and written with one statement a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from grader.gradebook.by_hand import COLUMNS, TABLE, ByHand, from_known, merged, to_known, values_now
from grader.gradebook.tables import Cells, Changes, Row, Tables, by_one, naive_utc, rows_of
from grader.gradebook.words import comments_of, gradebook_id, names_of, short
from grader.grading.score import Result
from grader.results.adjust import Values
from grader.results.student import safe_name
from grader.roster.roster import Person

if TYPE_CHECKING:
    from sqlalchemy import Connection

_ASSIGNMENT, _NOTEBOOK, _GRADE, _COMMENT = "submitted_assignment", "submitted_notebook", "grade", "comment"
_ONE = ""  # the name of the row in tables where a student has just one

_Recorded = dict[str, dict[str, Row]]
"""What is recorded of one student: table -> name -> row; grades and comments by the name of their cell."""


@dataclass(frozen=True)
class ChunkReport:
    """What was recorded for some students: ``by_hand`` and ``overtaken`` as in ``RecordReport``.

    ``found`` is true if the gradebook had a submission of one of them before.
    """

    by_hand: Mapping[str, ByHand]
    overtaken: tuple[str, ...]
    found: bool


def record_people(connection: Connection, tables: Tables, people: Sequence[Person]) -> None:
    """Add the students that are new; take names and addresses from the roster where it has them.

    A student whom an earlier version recorded under a made id, because of an apostrophe say, is renamed.
    """
    table, submitted = tables["student"], tables[_ASSIGNMENT]
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
        changes.put(table, row, old.get(key), {"email": None, "lms_user_id": None})
    changes.write(connection)


def record_chunk(  # noqa: PLR0917 - a row needs all of it
    connection: Connection,
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
    keys = {result.student: gradebook_id(result.student) for result in results}
    recorded, tables = _recorded(connection, cells, [*keys.values()]), cells.tables
    by_hand: dict[str, ByHand] = {}
    names = [(what, name) for what in COLUMNS for name in cells.grades]
    names += [("comment", task) for task in cells.solutions]
    for student, key in keys.items():
        old = recorded[key]
        now = values_now(student, old[_GRADE], old[_COMMENT])
        if now or old[TABLE] or student in known:
            seen = from_known(old[TABLE][_ONE]["known"]) if old[TABLE] else None
            by_hand[student] = merged(known.get(student, ByHand()), seen, now, names)
    keep(by_hand)
    changes, overtaken = Changes(), []
    for result in results:
        old = recorded[keys[result.student]]
        given = by_hand.get(result.student, ByHand()).in_gradebook or {}
        if result.status == "missing" and not given:  # what is no longer there, and has nothing by hand
            for table, rows in old.items():
                changes.remove(tables[table], rows.values())
            continue
        points = _points_of(result)
        changed = {name for name, row in old[_GRADE].items() if row["auto_score"] != points.get(name)}
        if any(what in COLUMNS and name in changed for what, name in given):
            overtaken.append(result.student)
        moments = [times.get(result.student), *(row["timestamp"] for row in old[_ASSIGNMENT].values())]
        assignment = {"student_id": keys[result.student], "timestamp": _received(result, moments)}
        notebook = _put(changes, cells, result, assignment, given, old)
        if given or old[TABLE] or result.student in by_hand:
            changes.put(tables[TABLE], {"id": notebook, "known": to_known(given)}, old[TABLE].get(_ONE))
    changes.write(connection)
    return ChunkReport(by_hand, tuple(overtaken), any(old[_ASSIGNMENT] for old in recorded.values()))


def _recorded(connection: Connection, cells: Cells, keys: Sequence[str]) -> dict[str, _Recorded]:
    """Read what is recorded of these students."""
    tables = cells.tables
    found: dict[str, _Recorded] = {
        key: {table: {} for table in (_ASSIGNMENT, _NOTEBOOK, _GRADE, _COMMENT, TABLE)} for key in keys
    }
    by_assignment, by_notebook = {}, {}
    column = tables[_ASSIGNMENT].c.student_id
    for row in rows_of(connection, column, keys, assignment_id=cells.assignment):
        by_assignment[row["id"]] = found[row["student_id"]]
        found[row["student_id"]][_ASSIGNMENT][_ONE] = row
    column = tables[_NOTEBOOK].c.assignment_id
    for row in rows_of(connection, column, [*by_assignment], notebook_id=cells.notebook):
        by_notebook[row["id"]] = by_assignment[row["assignment_id"]]
        by_notebook[row["id"]][_NOTEBOOK][_ONE] = row
    for table, named in ((_GRADE, cells.grades), (_COMMENT, cells.solutions)):
        names = {cell: name for name, cell in named.items()}
        for row in rows_of(connection, tables[table].c.notebook_id, [*by_notebook]):
            if row["cell_id"] in names:
                by_notebook[row["notebook_id"]][table][names[row["cell_id"]]] = row
    for row in rows_of(connection, tables[TABLE].c.id, [*by_notebook]):
        by_notebook[row["id"]][TABLE][_ONE] = row
    return found


def _points_of(result: Result) -> Mapping[str, float]:
    """The points of each criterion; of a submission that is not graded, none."""
    return {one.id: float(one.points) for one in result.criteria} if result.status == "graded" else {}


def _received(result: Result, moments: Iterable[datetime | None]) -> datetime | None:
    """When it came; one of the ``moments`` if it differs in the fraction of a second only."""
    text = result.submission.submitted_at if result.submission else ""
    time = naive_utc(datetime.fromisoformat(text)) if text else None
    return next((one for one in moments if one is not None and one.replace(microsecond=0) == time), time)


def _put(  # noqa: PLR0917 - a row needs all of it
    changes: Changes, cells: Cells, result: Result, assignment: Row, given: Values, old: _Recorded
) -> str:
    """Put the rows of one submission; return the key of its notebook."""
    tables, assignment = cells.tables, assignment | {"assignment_id": cells.assignment}
    key = changes.put(tables[_ASSIGNMENT], assignment, old[_ASSIGNMENT].get(_ONE), {"extension": None})
    penalty = float(result.late_penalty or 0)
    row: Row = {"assignment_id": key, "notebook_id": cells.notebook, "late_submission_penalty": penalty}
    notebook = changes.put(tables[_NOTEBOOK], row, old[_NOTEBOOK].get(_ONE), {"flagged": False})
    points = _points_of(result)
    for criterion, cell in cells.grades.items():
        manual: Row = {column: given.get((what, criterion)) for what, column in COLUMNS.items()}
        auto = points.get(criterion)
        open_ = auto is None and all(value is None for value in manual.values())
        row = {"notebook_id": notebook, "cell_id": cell, "auto_score": auto, "needs_manual_grade": open_}
        changes.put(tables[_GRADE], row | manual, old[_GRADE].get(criterion))
    for task, text in comments_of(cells.exercise, result).items():
        row = {"notebook_id": notebook, "cell_id": cells.solutions[task], "auto_comment": text or None}
        manual = {"manual_comment": given.get(("comment", task))}
        changes.put(tables[_COMMENT], row | manual, old[_COMMENT].get(task))
    return notebook
