"""A table that a platform wrote and a person may have opened in between: read as text, checked before use.

UTF-8 with or without a mark, UTF-16, commas, semicolons and tabs are all read. Cells stay as they are.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal

from grader.errors import UsageError

MAX_BYTES = 16 << 20

_MANGLED = re.compile(r"\d+(?:[.,]\d+)?[eE]\+?\d+")
_GROUPED = re.compile(r"-?\d{1,3}(?:([.,'\u00a0 ])\d{3})+(?:[.,]\d+)?")


@dataclass(frozen=True)
class Row:
    """One row: the line of the file on which it begins, and its cells."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """A table with its headings; ``name`` is the file's, for messages."""

    name: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]

    def column(self, title: str) -> int:
        """Where the column of that heading stands; case and outer blanks don't count.

        Raises:
            UsageError: It is not there, or twice.
        """
        places = [i for i, cell in enumerate(self.header) if _same(cell, title)]
        if len(places) == 1:
            return places[0]
        have = ", ".join(cell for cell in self.header if cell.strip())
        wrong = f"has the column {title!r} {len(places)} times" if places else f"has no column {title!r}"
        raise UsageError(f"{self.name} row 1 {wrong}; its columns are: {have[:300]}.")

    def has(self, title: str) -> bool:
        """Whether there is a column of that heading."""
        return any(_same(cell, title) for cell in self.header)

    def keyed(self, column: int) -> dict[str, Row]:
        """The rows by the text in one column, empty ones left out.

        Raises:
            UsageError: A key is there twice, or a spreadsheet has turned it into another one.
        """
        found: dict[str, Row] = {}
        for row in self.rows:
            key, title = row.cells[column].strip(), self.header[column]
            if not key:
                continue
            if _MANGLED.fullmatch(key):
                raise UsageError(
                    f"{self.name} line {row.line}, column {title!r}: {key!r} was an id before a spreadsheet "
                    "rewrote it; use the file as it was downloaded."
                )
            if key in found:
                raise UsageError(
                    f"{self.name} line {row.line}, column {title!r}: {key!r} stands there already in line "
                    f"{found[key].line}; a person must have one row."
                )
            found[key] = row
        return found


def read_sheet(path: Path) -> Sheet:
    """Read a table.

    Raises:
        UsageError: It cannot be read, is no table, or a row has more or fewer cells than the heading.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path.name} cannot be read: {error.strerror}.") from None
    return parse_sheet(data, path.name)


def parse_sheet(data: bytes, name: str) -> Sheet:
    """A table from its bytes; ``name`` is for messages.

    Raises:
        UsageError: It is no table, or a row has more or fewer cells than the heading.
    """
    text = _decoded(data, name)
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, begin = [], 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(Row(begin, tuple(cells)))
            begin = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{name} line {reader.line_num}: is not a row of a table: {error}.") from None
    if not rows:
        raise UsageError(f"{name} is empty; use the file as the platform wrote it.")
    header, *body = rows
    for row in body:
        if len(row.cells) != len(header.cells):
            raise UsageError(
                f"{name} line {row.line} has {len(row.cells)} cells and the heading has {len(header.cells)}; "
                "use the file as the platform wrote it."
            )
    return Sheet(name, header.cells, tuple(body))


def number_in(cell: str, where: str) -> Decimal | None:
    """A number written with a point or a comma; None for an empty cell or a dash.

    Raises:
        UsageError: It is no number, or one like 1,000 that can be read in two ways.
    """
    text = cell.strip()
    if text in ("", "-"):
        return None
    if _GROUPED.fullmatch(text):
        raise UsageError(f"{where}: {text!r} can be read in two ways; write it without thousands marks.")
    try:
        number = Decimal(text.replace(",", "."))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise UsageError(f"{where}: {text[:40]!r} is no number.")
    return number


def csv_bytes(rows: Iterable[Iterable[str]], delimiter: str = ",", *, quote_all: bool = False) -> bytes:
    """Rows as UTF-8 text, one line ending throughout."""
    text = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting).writerows(rows)
    return text.getvalue().encode()


def _decoded(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name} is larger than {MAX_BYTES >> 20} MiB; that is no class list.")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif data[1:2] == b"\0":
        encoding = "utf-16-le"
    else:
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name}: byte {error.start} is not {encoding.removesuffix('-sig').upper()}; "
            "save the file as UTF-8."
        ) from None
    if "\0" in text:
        raise UsageError(f"{name} is not a text file.")
    return text


def _same(cell: str, title: str) -> bool:
    return cell.strip().casefold() == title.strip().casefold()
