"""Cells of a table that a platform wrote: columns by heading, rows by key, numbers as people write them."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from grader.base.errors import UsageError
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
