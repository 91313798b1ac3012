"""Brightspace's *Import Grades*: ids and each row's last cell begin with ``#``, so that they stay text."""

from __future__ import annotations

import re
from decimal import Decimal

from grader.base.errors import UsageError
from grader.base.files import csv_bytes
from grader.course.platforms import Brightspace
from grader.grading.score import points_text
from grader.lms.formats.sheet import column, rows_by, split_kept
from grader.lms.payload import ANY_ID, Key, scale_to, settings_of
from grader.lms.scorefile import Order, ScoreFile
from grader.sources.table import Table, fold_heading

KEY = Key("brightspace_id", lambda person: (person.brightspace_id or person.id).removeprefix("#"), ANY_ID)

_FORBIDDEN = '/"*<>+=|,%'
_EXPORTED = re.compile(r"(?P<title>.*\S) Points Grade(?:\s*<(?:.*?MaxPoints:(?P<points>[0-9.]+))?[^>]*>)?")


def make(order: Order) -> ScoreFile:
    """Make the file for Brightspace, which refuses ids that it does not know.

    Raises:
        UsageError: The grades export does not have the item, or has another maximum.
    """
    title = settings_of(order.exercise, Brightspace).title or order.exercise.title
    by_key, withheld = KEY.sort(order.sent)
    cell, most, rows = "", None, {}
    if order.worksheet is not None:
        cell, most = _column(order.worksheet, title)
        found = rows_by(order.worksheet, column(order.worksheet, "OrgDefinedId"))
        rows = {key.removeprefix("#"): row for key, row in found.items()}
    scale = scale_to(order.exercise, "brightspace", most, "MaxPoints in the grades export")
    written, stay = split_kept(order, rows, cell, by_key, scale)
    names = {key: one.person.more("Username").removeprefix("#") for key, (one, _) in written.items()}
    with_names = bool(names) and all(names.values())
    name_column = ["Username"] if with_names else []
    header = ["OrgDefinedId", *name_column, f"{title} Points Grade", "End-of-Line Indicator"]
    table, sent = [], {}
    for key, (one, points) in sorted(written.items()):
        name = [f"#{names[key]}"] if with_names else []
        table.append([f"#{key}", *name, points_text(points), "#"])
        sent[one.person.id] = points
    odd = "".join(mark for mark in _FORBIDDEN if mark in title)
    warnings = (f"Brightspace allows none of {odd} in a grade item's name",) if odd else ()
    return ScoreFile(csv_bytes(header, table), sent, (*withheld, *stay), warnings)


def _column(table: Table, title: str) -> tuple[str, Decimal | None]:
    """Find the item's column in Brightspace's grades export: the key of its cells, and its maximum."""
    for heading in table.headings.values():
        found = _EXPORTED.fullmatch(heading)
        if found and found["title"] == title:
            return fold_heading(heading), Decimal(found["points"]) if found["points"] else None
    raise UsageError(
        f"{table.file}: row 1 has no column {title + ' Points Grade'!r}; is it another course's?"
    )
