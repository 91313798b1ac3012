"""Brightspace's *Import Grades*: ids and each row's last cell begin with ``#``, so that they stay text."""

from __future__ import annotations

import re
from decimal import Decimal

from grader.base.errors import UsageError
from grader.base.files import csv_bytes
from grader.course.platforms import Brightspace
from grader.grading.score import points_text
from grader.lms.formats.sheet import ExportOrder, ScoreFile, lines_of, rows_by, score_file
from grader.lms.payload import ANY_ID, PersonKey, scale_to, settings_of
from grader.sources.table import Table

KEY = PersonKey(
    "brightspace_id", lambda person: (person.brightspace_id or person.id).removeprefix("#"), ANY_ID
)

_FORBIDDEN = '/"*<>+=|,%'
_EXPORTED = re.compile(r"(?P<title>.*\S) Points Grade(?:\s*<(?:.*?MaxPoints:(?P<points>[0-9.]+))?[^>]*>)?")


def make(order: ExportOrder) -> ScoreFile:
    """Make the file for Brightspace, which refuses ids that it does not know.

    Raises:
        UsageError: The grades export does not have the item, or has another maximum.
    """
    title = settings_of(order.exercise, Brightspace).title or order.exercise.title
    heading, maximum = _column(order.worksheet, title) if order.worksheet else ("", None)
    scale = scale_to(order.exercise, "brightspace", maximum, "MaxPoints in the grades export")
    there = {key.removeprefix("#"): row for key, row in rows_by(order.worksheet, "OrgDefinedId").items()}
    lines, withheld = lines_of(order, KEY, scale, there, heading)
    names = [line.one.person.more("Username").removeprefix("#") for line in lines]
    with_names = bool(names) and all(names)
    header = [
        "OrgDefinedId",
        *["Username"] * with_names,
        f"{title} Points Grade",
        "End-of-Line Indicator",
    ]
    rows = [
        [f"#{line.key}", *[f"#{name}"] * with_names, points_text(line.points), "#"]
        for line, name in zip(lines, names, strict=True)
    ]
    odd = "".join(mark for mark in _FORBIDDEN if mark in title)
    warnings = [f"Brightspace allows none of {odd} in a grade item's name"] if odd else []
    return score_file(csv_bytes(header, rows), lines, withheld, *warnings)


def _column(table: Table, title: str) -> tuple[str, Decimal | None]:
    """Find the item's column in Brightspace's grades export: its heading and its maximum."""
    for heading in table.headings.values():
        found = _EXPORTED.fullmatch(heading)
        if found and found["title"] == title:
            return heading, Decimal(found["points"]) if found["points"] else None
    raise UsageError(
        f"{table.file}: row 1 has no column {title + ' Points Grade'!r}; is it another course's?"
    )
