"""Read a CSV as people and programs save it: any usual separator and encoding; every cell is text."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.base.errors import UsageError
from grader.base.text import marked_encoding, printable
from grader.sources.folder import read_file
from grader.sources.reader import LimitError, read_one
from grader.sources.tree import UnreadableError

_LOOKED_AT, _MAX_LINES = 1 << 16, 50  # characters and lines in which the separator is looked for
_MAX_BYTES = 32 << 20
_SECONDS = 20.0
_END = "\x1e"  # is white space, so that its row is empty
_FORMULA = re.compile(r'\A="(.*)"\Z', re.DOTALL)  # what spreadsheets write to keep a number as text


@dataclass(frozen=True)
class TableRow:
    """One row: its ``number`` in a spreadsheet (the headings are row 1), its cells by folded heading."""

    number: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """A table: the ``file``'s name, each heading as written by its folded form, and the rows."""

    file: str
    headings: Mapping[str, str]
    rows: tuple[TableRow, ...]

    def mistake(self, column: str, numbers: Iterable[int], what: str) -> UsageError:
        """Build an error that names the file, the column and up to five rows."""
        listed = sorted(numbers)
        rows = ", ".join(map(str, listed[:5])) + (" ..." if len(listed) > 5 else "")
        heading = self.headings.get(column, column)
        return UsageError(f"{self.file}: column {heading!r}, row{'s' * (len(listed) > 1)} {rows}: {what}.")


def fold_heading(heading: str) -> str:
    """Return a heading for comparison: lower case, single spaces, ``_`` as a space."""
    return " ".join(unicodedata.normalize("NFKC", heading).replace("_", " ").casefold().split())


def read_table(path: Path) -> Table:
    """Read a CSV: comma, semicolon or tab, UTF-8 or UTF-16; leave out empty rows and columns without heading.

    Students choose some of its words, so it is read in a process with limits.
    """
    try:
        return read_one(partial(_parse, path), Table, _SECONDS)
    except LimitError:
        raise UsageError(f"{path.name} takes too much time or memory to read; is it a table?") from None


def _parse(path: Path) -> Table:
    lines = _lines(path)
    width, columns = len(lines[0][1]), dict[str, int]()
    for at, heading in enumerate(lines[0][1]):
        key = fold_heading(heading)
        if key and columns.setdefault(key, at) != at:
            raise UsageError(f"{path.name}: the column {printable(heading)!r} is there twice; remove one.")
    rows = []
    for number, cells in lines[1:]:
        if any(cells[width:]):
            raise UsageError(
                f"{path.name}: row {number} has {len(cells)} cells, and there are {width} columns; "
                "a cell that holds the separator needs quotes."
            )
        row = {key: cells[at] if at < len(cells) else "" for key, at in columns.items()}
        rows.append(TableRow(number, row))
    return Table(path.name, {key: lines[0][1][at] for key, at in columns.items()}, tuple(rows))


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty with their numbers; the first holds the headings."""
    text = _text(path)
    first = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    hinted = first.lower() in ("sep=,", "sep=;", "sep=\t")  # Excel's way to name the separator
    separator = first[-1] if hinted else _separator(text)
    # The row behind the last one stays alone if all quotes are closed.
    reader = csv.reader(io.StringIO(f"{text}\n{_END}", newline=""), delimiter=separator)
    lines: list[tuple[int, list[str]]] = []
    try:
        for number, cells in enumerate(reader, 0 if hinted else 1):
            plain = (cell.strip().replace("\r\n", "\n").replace("\r", "\n") for cell in cells)
            cleaned = [_FORMULA.sub(r"\1", cell).strip() for cell in plain]
            if number > 0 and any(cleaned):
                lines.append((number, cleaned))
    except csv.Error as error:
        raise UsageError(f"{path.name}: line {reader.line_num} is damaged: {error}.") from None
    if cells != [_END]:
        raise UsageError(f"{path.name}: row {number} begins a cell with a quote that never ends.")
    if not lines:
        raise UsageError(f"{path.name} is empty; it needs a row of headings and a row for each person.")
    return lines


def _separator(text: str) -> str:
    """Return the mark that is outside quotes in most of the first lines, and of two the more frequent one."""
    unquoted = re.sub(r'"[^"]*"?', "", text[:_LOOKED_AT])
    lines = [line for line in re.split(r"[\r\n]+", unquoted) if line][:_MAX_LINES] or [""]
    return max(",;\t", key=lambda mark: (sum(mark in line for line in lines), lines[0].count(mark)))


def _text(path: Path) -> str:
    try:
        data = read_file(path, _MAX_BYTES)
    except UnreadableError as error:
        raise UsageError(f"{path} {error}.") from None
    if data.startswith(b"PK\x03\x04"):
        raise UsageError(f"{path.name} is a workbook, not a CSV; save it as 'CSV UTF-8'.")
    if re.match(rb"\s*<(?:!doctype html|html|table)\b", data, re.IGNORECASE):
        raise UsageError(f"{path.name} is a web page, not a CSV; download the file again.")
    encoding = marked_encoding(data) or "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path.name}: line {row} is not {encoding[:6].upper()}; save it as 'CSV UTF-8'."
        ) from None
    if "\0" in text:
        raise UsageError(f"{path.name} holds NUL characters; save it as 'CSV UTF-8'.")
    return text
