r"""Moodle's offline grading worksheet, filled in from the one that the instructor downloaded.

Moodle skips rows that it does not know, and rows whose ``Last modified (grade)`` is not the one it wrote,
without a word; it reads ``70,5`` as 70; and its CSV reader takes ``\"`` for no end of a cell, so that a cell
that ends in a backslash swallows the next student's row.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from grader.course import Exercise
from grader.errors import UsageError
from grader.lms.comment import comment_html, short_comment
from grader.lms.leaving import NUMBER, Key, Leaving, Staying, plain, scale_to, settings_of
from grader.lms.scorefile import Order, ScoreFile, conflict
from grader.lms.settings import Moodle, WorksheetColumn
from grader.lms.sheet import Row, Sheet, csv_bytes, number_in

KEY = Key("moodle_id", lambda person: person.moodle_id, NUMBER)

_PARTICIPANT = re.compile(r"\D*?([1-9][0-9]*)")


@dataclass(frozen=True)
class _Worksheet:
    """A worksheet: its rows by participant, and where its columns are, -1 for one that it has not."""

    sheet: Sheet
    rows: Mapping[str, Row]
    columns: Mapping[WorksheetColumn, int]

    def cell(self, row: Row, column: WorksheetColumn) -> str:
        """A cell without its outer blanks; empty where there is no such column."""
        return row.cells[self.columns[column]].strip() if self.columns[column] >= 0 else ""

    def place(self, row: Row, column: WorksheetColumn) -> str:
        """Where a cell stands, for the reader."""
        return f"{self.sheet.name} line {row.line}, column {self.sheet.header[self.columns[column]]!r}"


def make(order: Order) -> ScoreFile:
    """The worksheet with one row for each student who has a score, and nobody else.

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
    by_key, kept = KEY.sort(_joined(order.sent, worksheet))
    if by_key and not by_key.keys() & worksheet.rows.keys():
        raise UsageError(f"{order.worksheet.name} knows none of the students: is it another assignment's?")
    table, written = [], []
    for key, one in sorted(by_key.items(), key=lambda item: int(item[0])):
        filled = _filled(worksheet, key, one, scale(one.points), order)
        if isinstance(filled, Staying):
            kept.append(filled)
        else:
            table.append(filled)
            written.append(one.person.id)
    place = worksheet.columns["Feedback comments"]
    warnings: tuple[str, ...] = ()
    if settings.comment and place < 0:
        warnings = (f"{worksheet.sheet.name} has no column for comments: only scores are written",)
    rows = [list(worksheet.sheet.header), *table]
    if not settings.comment and place >= 0:
        rows = [[*cells[:place], *cells[place + 1 :]] for cells in rows]
    return ScoreFile(codecs.BOM_UTF8 + csv_bytes(rows), tuple(written), tuple(kept), warnings)


def participants(sent: Iterable[Leaving], sheet: Sheet | None, exercise: Exercise) -> dict[str, Leaving]:
    """Who is sent, by the number in the worksheet's "Participant N"."""
    if sheet is not None:
        sent = _joined(sent, _open(sheet, settings_of(exercise, Moodle).columns))
    return KEY.sort(sent)[0]


def _open(sheet: Sheet, names: Mapping[WorksheetColumn, str]) -> _Worksheet:
    columns: dict[WorksheetColumn, int] = {}
    needed: tuple[WorksheetColumn, ...] = ("Identifier", "Grade", "Last modified (grade)")
    for column in needed:
        columns[column] = sheet.column(names.get(column, column))
    optional: tuple[WorksheetColumn, ...] = (
        "Email address",
        "Maximum Grade",
        "Grade can be changed",
        "Feedback comments",
    )
    for column in optional:
        title = names.get(column, column)
        columns[column] = sheet.column(title) if sheet.has(title) else -1
    rows = {}
    for text, row in sheet.keyed(columns["Identifier"]).items():
        if not (found := _PARTICIPANT.fullmatch(text)):
            raise UsageError(
                f"{sheet.name} line {row.line}, column {sheet.header[columns['Identifier']]!r}: "
                f"{text[:40]!r} is not like 'Participant 8'."
            )
        rows[found[1]] = row
    return _Worksheet(sheet, rows, columns)


def _maximum(worksheet: _Worksheet) -> tuple[Decimal | None, str]:
    """What the assignment is worth on Moodle, and where that is said."""
    found: dict[Decimal, str] = {}
    if worksheet.columns["Maximum Grade"] >= 0:
        for row in worksheet.rows.values():
            place = worksheet.place(row, "Maximum Grade")
            number = number_in(worksheet.cell(row, "Maximum Grade"), place)
            if number is not None:
                found.setdefault(number, place)
    if len(found) > 1:
        raise UsageError(
            f"{worksheet.sheet.name} has several maxima: {', '.join(map(plain, sorted(found)))}."
        )
    return next(iter(found.items()), (None, ""))


def _joined(sent: Iterable[Leaving], worksheet: _Worksheet) -> list[Leaving]:
    """Everyone, those without a ``moodle_id`` joined by an address that one row alone has."""
    by_email: dict[str, list[str]] = {}
    for participant, row in worksheet.rows.items():
        by_email.setdefault(worksheet.cell(row, "Email address").casefold(), []).append(participant)
    joined = []
    for one in sent:
        fitting = by_email.get(one.person.email.casefold(), []) if one.person.email else []
        if not one.person.moodle_id and len(fitting) == 1:
            joined.append(replace(one, person=replace(one.person, moodle_id=fitting[0])))
        else:
            joined.append(one)
    return joined


def _filled(
    worksheet: _Worksheet, key: str, one: Leaving, points: Decimal, order: Order
) -> list[str] | Staying:
    """One student's row with score and comment in it, or why it is not written."""
    student, row = one.person.id, worksheet.rows.get(key)
    if row is None:
        return Staying(student, "is not in the worksheet", lost=True)
    email = worksheet.cell(row, "Email address")
    if email and one.person.email and email.casefold() != one.person.email.casefold():
        place = worksheet.place(row, "Email address")
        return Staying(student, f"has another address there ({place}): another assignment's?", lost=True)
    if worksheet.cell(row, "Grade can be changed").casefold() == "no":
        return Staying(student, f"is locked ({worksheet.place(row, 'Grade can be changed')})", lost=True)
    place = worksheet.place(row, "Grade")
    there = number_in(worksheet.cell(row, "Grade"), place)
    if there not in (None, points) and not order.overwrite:
        return conflict(student, worksheet.cell(row, "Grade"), points, place)
    cells = [cell.replace("\\", "&#92;") for cell in row.cells]
    for column in ("Identifier", "Last modified (grade)"):
        cells[worksheet.columns[column]] = row.cells[worksheet.columns[column]]
    cells[worksheet.columns["Grade"]] = plain(points)
    comments = worksheet.columns["Feedback comments"]
    if comments >= 0 and (order.overwrite or not cells[comments].strip()):
        cells[comments] = comment_html(short_comment(one, order.exercise))
    return cells
