"""Rows -> the bytes of one of our own CSV files: UTF-8, one line ending, the same bytes for the same rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_bytes(header: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    """A header and its rows; cells stand as they are: a file that people open has :func:`harmless` ones."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def harmless(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula: such a text has a ``'`` before it."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def unharmed(text: str) -> str:
    """What :func:`harmless` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text
