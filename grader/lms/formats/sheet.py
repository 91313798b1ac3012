"""Cells of a platform's table: rows by a key, numbers as people write them, and rows back into a CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Literal

from grader.base.errors import UsageError
from grader.sources.table import Row, Table, fold

_GROUPED = re.compile(r"-?\d{1,3}(?:[.,'\u00a0 ]\d{3})+(?:[.,]\d+)?")


def column(table: Table, heading: str) -> str:
    """The key of the column of that heading, whatever its case.

    Raises:
        UsageError: There is none.
    """
    if fold(heading) in table.headings:
        return fold(heading)
    listed = ", ".join(table.headings.values())[:400]
    raise UsageError(f"{table.file}: row 1 has no column {heading!r}; the columns are: {listed}.")


def rows_by(table: Table, key: str) -> dict[str, Row]:
    """The rows by their cell in one column, without those where it is empty.

    Raises:
        UsageError: Two rows have the same one.
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
    """The number in a cell, written with a point or a comma; None when it is empty or a dash.

    Raises:
        UsageError: It is no number, or one like 1,000 that can be read in two ways.
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
        raise table.mistake(key, [row.number], f"{text[:40]!r} is no number")
    return number


def csv_bytes(rows: Iterable[Iterable[str]], delimiter: str = ",", *, quote_all: bool = False) -> bytes:
    """Rows as UTF-8 text, one line ending throughout, within cells too."""
    text = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    # A lone CR would end the row for most readers, and csv does not put it in quotes here.
    writer.writerows([cell.replace("\r\n", "\n").replace("\r", "\n") for cell in row] for row in rows)
    return text.getvalue().encode()
