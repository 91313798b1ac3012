"""Canvas's gradebook *Import*: a CSV with one score column, found by the assignment's number.

Canvas guesses the separator from the first three lines, silently drops a column named like one of its own
totals, and makes a new assignment of any title that it does not know.
"""

import re
from collections import Counter
from collections.abc import Iterable

from grader.base.errors import CourseError, UsageError
from grader.base.files import csv_bytes
from grader.base.text import one_line
from grader.course.platforms import Canvas
from grader.grading.score import points_text
from grader.lms.formats.sheet import (
    ExportOrder,
    ScoreFile,
    cell_number,
    column,
    lines_of,
    one_heading,
    rows_by,
    score_file,
)
from grader.lms.payload import NUMBER, Payload, PersonKey, scale_to, settings_of
from grader.sources.table import Table

KEY = PersonKey("canvas_id", lambda person: person.canvas_id, NUMBER)

_TOTALS = re.compile(r"(?:Current|Final) (?:Score|Points|Grade)|Override (?:Score|Grade|Status)")
_NUMBERED = re.compile(r"(.*)\s\((\d+)\)", re.DOTALL)
_POINTS = "Points Possible"
_NAME_LIMIT = 200


def make(order: ExportOrder) -> ScoreFile:
    """Make the file for Canvas, after a look at the downloaded gradebook where there is one."""
    settings = settings_of(order.exercise, Canvas)
    heading = settings.title or order.exercise.title
    key = f"course.toml: exercise.{order.exercise.name}.platform.canvas"
    if wrong := _why_refused(heading):
        raise CourseError(f"{key}.title: {wrong}")
    if settings.assignment_id is not None:
        heading = f"{heading} ({settings.assignment_id})"
    elif _NUMBERED.fullmatch(heading):
        raise CourseError(
            f"{key}.assignment_id: is missing, and Canvas would take the number that ends {heading!r} for it."
        )
    maximum, warnings, table = None, [], order.worksheet
    if table is not None:
        heading = _heading_in(table, heading, key)
        first, scores = next(iter(table.headings)), column(table, heading)
        most = (cell_number(table, row, scores) for row in table.rows if row.cells[first] == _POINTS)
        maximum = next(most, None)
    elif settings.assignment_id is None:
        new = f"Canvas makes a new assignment {heading!r} unless one has exactly that title"
        warnings = [f"no assignment_id in course.toml: {new}"]
    scale = scale_to(order.exercise, "canvas", maximum, f"{_POINTS} in the gradebook")
    lines, withheld = lines_of(order, KEY, scale, rows_by(table, "ID"), heading)
    names = _names(order.sent)
    rows = [(names[line.one.person.id], line.key, "", points_text(line.points)) for line in lines]
    data = csv_bytes(("Student", "ID", "Section", heading), rows)
    return score_file(data, lines, withheld, *warnings)


def _why_refused(title: str) -> str:
    """Say what Canvas would do to a column of this title, or return ""."""
    if found := _TOTALS.search(title):
        return (
            f"{title!r} holds {found[0]!r}, and Canvas silently drops such a column; "
            "give the assignment another title."
        )
    return f"{title!r} holds a semicolon, which Canvas may take for a separator." if ";" in title else ""


def _heading_in(table: Table, heading: str, key: str) -> str:
    """Find our column's heading in the gradebook: by its number, else by exactly its title."""
    wanted = _NUMBERED.fullmatch(heading)

    def fits(cell: str) -> bool:
        title, number = found.groups() if (found := _NUMBERED.fullmatch(cell)) else (cell, "")
        return number == wanted[2] if wanted else heading in (cell, title)

    cell = one_heading(table, fits, heading, f"set assignment_id under {key}")
    if wrong := _why_refused(cell):
        raise UsageError(f"{table.file}: row 1: {wrong}")
    return cell


def _names(ones: Iterable[Payload]) -> dict[str, str]:
    """Give each student a name that no other has: Canvas looks for the name when the id fails."""
    names = {one.person.id: one_line(one.person.name, _NAME_LIMIT) for one in ones}
    names = {student: name if name and _POINTS not in name else student for student, name in names.items()}
    count = Counter(name.casefold() for name in names.values())
    return {
        student: f"{name} ({student})" if count[name.casefold()] > 1 else name
        for student, name in names.items()
    }
