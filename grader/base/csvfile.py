"""Rows -> the bytes of one of our own CSV files: UTF-8, one line ending, the same bytes for the same rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_ACTS = ("=", "+", "-", "@", "\t", "\r")


def csv_bytes(header: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    """A header and its rows; cells stand as they are: a file that people open has :func:`harmless` ones."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def runs(text: str) -> bool:
    """Whether a spreadsheet would take a cell for a formula."""
    return text.lstrip(" \u00a0").startswith(_ACTS) or text.startswith("\uff1d")


def harmless(text: str) -> str:
    """A text that no spreadsheet runs; without the apostrophe in front it is what it was."""
    return f"'{text}" if runs(text.lstrip("'")) else text


def unharmed(text: str) -> str:
    """What :func:`harmless` was given."""
    return text[1:] if text.startswith("'") and runs(text.lstrip("'")) else text
