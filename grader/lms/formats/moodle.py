r"""Moodle's offline grading worksheet: the one that the instructor downloaded, filled in.

Moodle silently skips rows that it does not know, and rows with another ``Last modified (grade)`` than it
wrote. It reads ``70,5`` as 70. In its CSV ``\"`` does not end a cell, so that a cell that ends in a backslash
swallows the next student's row.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import get_args

from grader.base.errors import UsageError
from grader.base.files import csv_bytes
from grader.course.model import Exercise
from grader.course.platforms import Moodle, WorksheetColumn
from grader.grading.score import points_text
from grader.lms.comment import comment_html, short_comment
from grader.lms.formats.sheet import column, kept, number_in, rows_by
from grader.lms.payload import NUMBER, Key, Payload, Withheld, scale_to, settings_of
from grader.lms.scorefile import Order, ScoreFile
from grader.roster.worksheet import means_no, participant, worksheet_columns
from grader.sources.table import Row, Table

KEY = Key("moodle_id", lambda person: person.moodle_id, NUMBER)

_TICK = '"Update records that have been modified since", or it says that nothing changed'
_NEEDED: tuple[WorksheetColumn, ...] = ("Identifier", "Grade", "Last modified (grade)")


@dataclass(frozen=True)
class _Worksheet:
    """A worksheet: its rows by participant number, and the keys of its columns by their English names."""

    table: Table
    rows: Mapping[str, Row]
    columns: Mapping[WorksheetColumn, str]

    def cell(self, row: Row, name: WorksheetColumn) -> str:
        """Return a cell, or an empty text where there is no such column."""
        return row.cells[self.columns[name]] if name in self.columns else ""

    def place(self, row: Row, name: WorksheetColumn) -> str:
        """Name a cell's place, for messages."""
        return f"{self.table.file} row {row.number}, {self.table.headings[self.columns[name]]}"


def make(order: Order) -> ScoreFile:
    """Fill in the worksheet, with one row for each student who has a score and no other row.

    Raises:
        UsageError: There is no worksheet, or it is not one, or another assignment's.
    """
    if order.worksheet is None:
        raise UsageError(
            "Moodle takes its own worksheet back: name the downloaded one with --worksheet FILE."
        )
    settings = settings_of(order.exercise, Moodle)
    worksheet = _open(order.worksheet, settings.columns)
    scale = scale_to(order.exercise, "moodle", *_maximum(worksheet))
    by_key, withheld = KEY.sort(_joined(order.sent, worksheet))
    if by_key and not by_key.keys() & worksheet.rows.keys():
        raise UsageError(f"{order.worksheet.file} knows none of the students: is it another assignment's?")
    table, written = [], {}
    for key, one in sorted(by_key.items(), key=lambda item: int(item[0])):
        points = scale(one.points)
        filled = _filled(worksheet, key, one, points, order)
        if isinstance(filled, Withheld):
            withheld.append(filled)
        else:
            table.append(filled)
            written[one.person.id] = points
    warnings: tuple[str, ...] = ()
    last = worksheet.columns["Last modified (grade)"]
    if worksheet.columns["Identifier"] != "identifier" and any(
        cells[last] not in ("", "-") for cells in table
    ):
        warnings = ("Moodle does not read its own dates in this language: when importing, tick " + _TICK,)
    headings = dict(worksheet.table.headings)
    if settings.comment and "Feedback comments" not in worksheet.columns:
        warnings = (*warnings, f"{worksheet.table.file} has no column for comments: only scores are written")
    elif not settings.comment:
        headings.pop(worksheet.columns.get("Feedback comments", ""), None)
    data = csv_bytes(list(headings.values()), ([cells[key] for key in headings] for cells in table))
    return ScoreFile(codecs.BOM_UTF8 + data, written, tuple(withheld), warnings)


def participants(sent: Iterable[Payload], table: Table | None, exercise: Exercise) -> dict[str, Payload]:
    """Find those who are sent by the number in the worksheet's "Participant N"."""
    if table is not None:
        sent = _joined(sent, _open(table, settings_of(exercise, Moodle).columns))
    return KEY.sort(sent)[0]


def _open(table: Table, names: Mapping[WorksheetColumn, str]) -> _Worksheet:
    found = worksheet_columns(table, names)
    columns = {name: found[name] for name in get_args(WorksheetColumn) if name in found}
    for name in _NEEDED:
        columns[name] = columns.get(name) or column(table, names.get(name, name))
    rows = {}
    for text, row in rows_by(table, columns["Identifier"]).items():
        if not (number := participant(text)):
            raise table.mistake(
                columns["Identifier"], [row.number], f"{text[:40]!r} is not like 'Participant 8'"
            )
        rows[number] = row
    return _Worksheet(table, rows, columns)


def _maximum(worksheet: _Worksheet) -> tuple[Decimal | None, str]:
    """Find what the assignment is worth on Moodle, and the cell that says so."""
    found: dict[Decimal, str] = {}
    for row in worksheet.rows.values() if "Maximum Grade" in worksheet.columns else ():
        number = number_in(worksheet.table, row, worksheet.columns["Maximum Grade"])
        if number is not None:
            found.setdefault(number, worksheet.place(row, "Maximum Grade"))
    if len(found) > 1:
        raise UsageError(
            f"{worksheet.table.file} has several maxima: {', '.join(map(points_text, sorted(found)))}."
        )
    return next(iter(found.items()), (None, ""))


def _joined(sent: Iterable[Payload], worksheet: _Worksheet) -> list[Payload]:
    """Give those without a ``moodle_id`` the participant number of the only row with their address."""
    by_email: dict[str, list[str]] = {}
    for number, row in worksheet.rows.items():
        by_email.setdefault(worksheet.cell(row, "Email address").casefold(), []).append(number)
    joined = []
    for one in sent:
        fitting = by_email.get(one.person.email.casefold(), []) if one.person.email else []
        if not one.person.moodle_id and len(fitting) == 1:
            joined.append(replace(one, person=replace(one.person, moodle_id=fitting[0])))
        else:
            joined.append(one)
    return joined


def _filled(
    worksheet: _Worksheet, key: str, one: Payload, points: Decimal, order: Order
) -> dict[str, str] | Withheld:
    """Fill in one student's row, or say why it is not written."""
    student, row = one.person.id, worksheet.rows.get(key)
    if row is None:
        return Withheld(student, f"is not in {worksheet.table.file}", lost=True)
    email = worksheet.cell(row, "Email address")
    if email and one.person.email and email.casefold() != one.person.email.casefold():
        place = worksheet.place(row, "Email address")
        return Withheld(student, f"has another address there ({place}): another assignment's?", lost=True)
    if means_no(worksheet.cell(row, "Grade can be changed")):
        return Withheld(student, f"is locked ({worksheet.place(row, 'Grade can be changed')})", lost=True)
    if stays := kept(order, row, worksheet.columns["Grade"], student, points):
        return stays
    cells = {key: cell.replace("\\", "&#92;") for key, cell in row.cells.items()}
    cells[worksheet.columns["Grade"]] = points_text(points)
    comments = worksheet.columns.get("Feedback comments")
    if comments is not None and (order.overwrite or not cells[comments]):
        cells[comments] = comment_html(short_comment(one, order.exercise))
    return cells
