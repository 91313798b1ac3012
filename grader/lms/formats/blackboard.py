"""Blackboard's *Upload Grades*: rows by user name, under the same heading as in Blackboard's download."""

from __future__ import annotations

import re
from decimal import Decimal

from grader.base.errors import CourseError, UsageError
from grader.base.files import csv_bytes
from grader.course.model import Exercise
from grader.course.platforms import Blackboard
from grader.grading.score import points_text
from grader.lms.formats.sheet import ExportOrder, ScoreFile, lines_of, rows_by, score_file
from grader.lms.payload import ANY_ID, PersonKey, scale_to, settings_of
from grader.sources.table import Table, TableRow, fold_heading

KEY = PersonKey("blackboard_id", lambda person: person.blackboard_id or person.id, ANY_ID)

_WAITING = re.compile(r"(?:Needs Grading|In Progress)\s*(?:\([^)]*\))?", re.IGNORECASE)
_COLUMN = re.compile(r"(?P<title>.*\S)\s*\[Total Pts: (?P<points>[0-9.,]+)[^\]]*\]\s*\|\s*(?P<id>\d+)")


def make(order: ExportOrder) -> ScoreFile:
    """Make the file for Blackboard, with every cell in quotes.

    Raises:
        UsageError: The column's heading is not known, or unlike Blackboard's.
    """
    heading, maximum = _column(order.exercise, order.worksheet)
    scale = scale_to(order.exercise, "blackboard", maximum, f"column {heading!r}")
    cell = fold_heading(heading)
    rows = {
        name: TableRow(row.number, {**row.cells, cell: _WAITING.sub("", row.cells.get(cell, ""))})
        for name, row in rows_by(order.worksheet, "Username").items()
    }
    lines, withheld = lines_of(order, KEY, scale, rows, heading)
    table = [(line.key, points_text(line.points)) for line in lines]
    return score_file(csv_bytes(("Username", heading), table, quote_all=True), lines, withheld)


def _column(exercise: Exercise, table: Table | None) -> tuple[str, Decimal]:
    wanted = settings_of(exercise, Blackboard).column
    key = f"course.toml: exercise.{exercise.name}.platform.blackboard.column"
    if wanted:
        found = _COLUMN.fullmatch(wanted)
        if not found:
            raise CourseError(f"{key}: {wanted!r} is not like 'Lab 1 [Total Pts: 20 Score] |664617'.")
        return wanted, Decimal(found["points"].replace(",", "."))
    for heading in table.headings.values() if table else ():
        found = _COLUMN.fullmatch(heading)
        if found and found["title"] == exercise.title:
            return heading, Decimal(found["points"].replace(",", "."))
    if table is not None:
        raise UsageError(f"{table.file}: row 1 has no column for {exercise.title!r}; name it under {key}.")
    raise CourseError(
        f"{key}: is missing; copy the heading from Blackboard's own download, or name that download with "
        "--worksheet FILE."
    )
