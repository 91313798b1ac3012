"""Canvas's gradebook *Import*: a CSV with one score column, found by the assignment's number.

Canvas guesses the separator from the first three lines, silently drops a column named like one of its own
totals, and makes a new assignment of any title that it does not know.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from grader.base.errors import CourseError, UsageError
from grader.base.files import csv_bytes
from grader.base.text import one_line
from grader.course.model import Exercise
from grader.course.platforms import Canvas
from grader.grading.score import points_text
from grader.lms.formats.sheet import column, number_in, rows_by, split_kept
from grader.lms.payload import NUMBER, Key, Payload, scale_to, settings_of
from grader.lms.scorefile import Order, ScoreFile
from grader.sources.table import Table, fold_heading

KEY = Key("canvas_id", lambda person: person.canvas_id, NUMBER)

_TOTALS = re.compile(r"(?:Current|Final) (?:Score|Points|Grade)|Override (?:Score|Grade|Status)")
_NUMBERED = re.compile(r"(.*)\s\((\d+)\)", re.DOTALL)
_POINTS = "Points Possible"
_NAME_LIMIT = 200


def make(order: Order) -> ScoreFile:
    """Make the file for Canvas, after a look at the downloaded gradebook where there is one.

    Raises:
        UsageError: The title or the gradebook does not fit.
    """
    settings = settings_of(order.exercise, Canvas)
    heading = _heading(order.exercise, settings)
    by_key, withheld = KEY.sort(order.sent)
    warnings: tuple[str, ...] = ()
    found: Decimal | None = None
    if order.worksheet is not None:
        heading = _heading_in(order.worksheet, heading)
        found = _points_possible(order.worksheet, heading)
    elif settings.assignment_id is None:
        new = f"Canvas makes a new assignment {heading!r} unless one has exactly that title"
        warnings = (f"no assignment_id in course.toml: {new}",)
    scale = scale_to(order.exercise, "canvas", found, f"{_POINTS} in the gradebook")
    rows = rows_by(order.worksheet, column(order.worksheet, "ID")) if order.worksheet else {}
    written, stay = split_kept(order, rows, fold_heading(heading), by_key, scale)
    names = _names(by_key.values())
    table, sent = [], {}
    for key, (one, points) in sorted(written.items(), key=lambda item: int(item[0])):
        table.append([names[one.person.id], key, "", points_text(points)])
        sent[one.person.id] = points
    data = csv_bytes(("Student", "ID", "Section", heading), table)
    return ScoreFile(data, sent, (*withheld, *stay), warnings)


def _heading(exercise: Exercise, settings: Canvas) -> str:
    title = settings.title or exercise.title
    key = f"course.toml: exercise.{exercise.name}.platform.canvas"
    if wrong := _why_refused(title):
        raise CourseError(f"{key}.title: {wrong}")
    if settings.assignment_id is not None:
        return f"{title} ({settings.assignment_id})"
    if _NUMBERED.fullmatch(title):
        raise CourseError(
            f"{key}.assignment_id: is missing, and Canvas would take the number that ends {title!r} for it."
        )
    return title


def _why_refused(title: str) -> str:
    """Say what Canvas would do to a column of this title, or return ""."""
    if found := _TOTALS.search(title):
        return (
            f"{title!r} holds {found[0]!r}, and Canvas silently drops such a column; "
            "give the assignment another title."
        )
    return f"{title!r} holds a semicolon, which Canvas may take for a separator." if ";" in title else ""


def _heading_in(table: Table, heading: str) -> str:
    """Find our column's heading in the gradebook: by its number, else by exactly its title."""
    wanted = _NUMBERED.fullmatch(heading)
    for cell in table.headings.values():
        numbered = _NUMBERED.fullmatch(cell)
        same_number = wanted is not None and numbered is not None and numbered[2] == wanted[2]
        same_title = wanted is None and heading in (cell, numbered[1] if numbered else None)
        if (same_number or same_title) and (wrong := _why_refused(cell)):
            raise UsageError(f"{table.file}: row 1: {wrong}")
        if same_number or same_title:
            return cell
    raise UsageError(f"{table.file}: row 1 has no column for {heading!r}; is it another course's gradebook?")


def _points_possible(table: Table, heading: str) -> Decimal | None:
    student, scores = column(table, "Student"), column(table, heading)
    for row in table.rows:
        if row.cells[student] == _POINTS:
            return number_in(table, row, scores)
    return None


def _names(ones: Iterable[Payload]) -> dict[str, str]:
    """Give each student a name that no other has: Canvas looks for the name when the id fails."""
    names = {one.person.id: one_line(one.person.name, _NAME_LIMIT) or one.person.id for one in ones}
    count = Counter(name.casefold() for name in names.values())
    return {
        student: student if _POINTS in name else f"{name} ({student})" if count[name.casefold()] > 1 else name
        for student, name in names.items()
    }
