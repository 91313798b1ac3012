"""Cells of a table that a platform wrote: columns by heading, rows by key, numbers as people write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from grader.base.errors import UsageError
from grader.grading.score import points_text
from grader.lms.payload import Payload, Scale, Withheld
from grader.lms.scorefile import Order
from grader.sources.table import Row, Table, fold_heading

_GROUPED = re.compile(r"-?\d{1,3}(?:[.,'\u00a0 ]\d{3})+(?:[.,]\d+)?")


def column(table: Table, heading: str) -> str:
    """Find a column by its heading, whatever its case; return the key of its cells.

    Raises:
        UsageError: There is none.
    """
    if fold_heading(heading) in table.headings:
        return fold_heading(heading)
    listed = ", ".join(table.headings.values())[:400]
    raise UsageError(f"{table.file}: row 1 has no column {heading!r}; the columns are: {listed}.")


def rows_by(table: Table, key: str) -> dict[str, Row]:
    """Map the cells of one column to their rows; rows with an empty cell are left out.

    Raises:
        UsageError: Two rows have the same cell.
    """
    found: dict[str, Row] = {}
    for row in table.rows:
        if not row.cells[key]:
            continue
        if row.cells[key] in found:
            first = found[row.cells[key]].number
            raise table.mistake(key, [first, row.number], f"both rows are {row.cells[key]!r}; remove one")
        found[row.cells[key]] = row
    return found


def kept(order: Order, row: Row, column: str, student: str, points: Decimal) -> Withheld | None:
    """Return why what stands in a cell of the worksheet stays; None if ``points`` may replace it.

    A word like EX always stays. A score that never was ours stays without ``--overwrite``.

    Raises:
        UsageError: It is a number that can be read in two ways.
    """
    table = order.worksheet
    if table is None:
        return None
    place = f"{table.file} row {row.number}, {table.headings[column]}"
    try:
        there = number_in(table, row, column)
    except UsageError:
        if re.search(r"\d", row.cells[column]):
            raise
        why = f"has {row.cells[column][:20]!r} ({place}), which no score replaces; change it there"
        return Withheld(student, why, lost=True)
    if there in (None, points) or order.overwrite or there in order.ours(student):
        return None
    why = (
        f"has {row.cells[column]} already ({place}); {points_text(points)} replaces it with --overwrite only"
    )
    return Withheld(student, why, lost=True)


def split_kept(
    order: Order, rows: Mapping[str, Row], column: str, by_key: Mapping[str, Payload], scale: Scale
) -> tuple[dict[str, tuple[Payload, Decimal]], list[Withheld]]:
    """Split those who are sent, by key: who is written, with the points, and who is not there or stays."""
    written, withheld = {}, []
    for key, one in by_key.items():
        points = scale(one.points)
        if order.worksheet and key not in rows:
            withheld.append(Withheld(one.person.id, f"is not in {order.worksheet.file}", lost=True))
        elif stays := key in rows and kept(order, rows[key], column, one.person.id, points):
            withheld.append(stays)
        else:
            written[key] = (one, points)
    return written, withheld


def number_in(table: Table, row: Row, key: str) -> Decimal | None:
    """Read a number, written with a point or a comma; None for an empty cell or a dash.

    Raises:
        UsageError: It is not a number, or like 1,000 it can be read in two ways.
    """
    text = row.cells[key]
    if text in ("", "-"):
        return None
    if _GROUPED.fullmatch(text):
        raise table.mistake(key, [row.number], f"{text!r} can be read in two ways; write it without grouping")
    try:
        number = Decimal(text.replace(",", "."))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise table.mistake(key, [row.number], f"{text[:40]!r} is not a number")
    return number
