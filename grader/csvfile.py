"""Rows -> the bytes of one of our own CSV files: UTF-8, one line ending, the same bytes for the same rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A header and its rows; cells stand as they are, so a file for spreadsheets escapes its own first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()
