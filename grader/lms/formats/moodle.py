r"""Moodle's offline grading worksheet: the one that the instructor downloaded, filled in.

Moodle silently skips rows that it does not know, and rows with another ``Last modified (grade)`` than it
wrote. It reads ``70,5`` as 70. In its CSV ``\"`` does not end a cell, so that a cell that ends in a backslash
swallows the next student's row.
"""

import codecs
from collections import Counter
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
from grader.lms.formats.sheet import (
    ExportOrder,
    ScoreFile,
    cell_number,
    column,
    lines_of,
    rows_by,
    score_file,
)
from grader.lms.payload import NUMBER, Payload, PersonKey, scale_to, settings_of
from grader.roster.worksheet import means_no, participant, worksheet_columns
from grader.sources.names import nothing_in_common, same_name
from grader.sources.table import Table, TableRow

KEY = PersonKey("moodle_id", lambda person: person.moodle_id, NUMBER)

_TICK = '"Update records that have been modified since", or it says that nothing changed'
_NEEDED: tuple[WorksheetColumn, ...] = ("Identifier", "Grade", "Last modified (grade)")


@dataclass(frozen=True)
class _Worksheet:
    """A worksheet: its rows by participant number, and the keys of its columns by their English names."""

    table: Table
    rows: Mapping[str, TableRow]
    columns: Mapping[WorksheetColumn, str]

    def cell(self, row: TableRow, name: WorksheetColumn) -> str:
        """Return a cell, or an empty text where there is no such column."""
        return row.cells[self.columns[name]] if name in self.columns else ""

    def place(self, row: TableRow, name: WorksheetColumn) -> str:
        """Name a cell's place, for messages."""
        return f"{self.table.file} row {row.number}, {self.table.headings[self.columns[name]]}"

    def maximum(self) -> tuple[Decimal | None, str]:
        """Find what the assignment is worth on Moodle, and the cell that says so."""
        found: dict[Decimal, str] = {}
        for row in self.rows.values() if "Maximum Grade" in self.columns else ():
            number = cell_number(self.table, row, self.columns["Maximum Grade"])
            if number is not None:
                found.setdefault(number, self.place(row, "Maximum Grade"))
        if len(found) > 1:
            maxima = ", ".join(map(points_text, sorted(found)))
            raise UsageError(f"{self.table.file} has several maxima: {maxima}.")
        return next(iter(found.items()), (None, ""))

    def why_not(self, row: TableRow, one: Payload) -> str:
        """Say why a row is not written: it is another person's, or is locked; else an empty text."""
        if means_no(self.cell(row, "Grade can be changed")):
            return f"is locked ({self.place(row, 'Grade can be changed')})"
        return self.why_another(row, one)

    def why_another(self, row: TableRow, one: Payload) -> str:
        """Say why a row is another person's, or return an empty text."""
        email, name, own = self.cell(row, "Email address"), self.cell(row, "Full name"), one.person.name
        if email and one.person.email:
            if email.casefold() != one.person.email.casefold():
                place = self.place(row, "Email address")
                return f"has another address there ({place}): another assignment's?"
        elif name and own and not same_name(name, own):
            names = (self.cell(other, "Full name") for other in self.rows.values())
            if nothing_in_common(name, own) or any(same_name(other, own) for other in names):
                return f"has another name there ({self.place(row, 'Full name')}): another assignment's?"
        return ""


def make(order: ExportOrder) -> ScoreFile:
    """Fill in the worksheet, with one row for each student who has a score and no other row."""
    if order.worksheet is None:
        raise UsageError(
            "Moodle takes its own worksheet back: name the downloaded one with --worksheet FILE."
        )
    settings = settings_of(order.exercise, Moodle)
    worksheet = _open(order.worksheet, settings.columns)
    scale = scale_to(order.exercise, "moodle", *worksheet.maximum())
    order = replace(order, sent=tuple(_joined(order.sent, worksheet)))
    if (known := KEY.sort(order.sent)[0].keys()) and not known & worksheet.rows.keys():
        raise UsageError(f"{worksheet.table.file} knows none of the students: is it another assignment's?")
    grade = worksheet.table.headings[worksheet.columns["Grade"]]
    lines, withheld = lines_of(order, KEY, scale, worksheet.rows, grade, why_not=worksheet.why_not)
    columns, table, warnings = worksheet.columns, [], []
    comments = columns.get("Feedback comments", "")
    for line in lines:
        cells = {key: cell.replace("\\", "&#92;") for key, cell in worksheet.rows[line.key].cells.items()}
        cells[columns["Grade"]] = points_text(line.points)
        if comments and (order.overwrite or not cells[comments]):
            cells[comments] = comment_html(short_comment(line.one.result, order.exercise))
        table.append(cells)
    was_graded = any(cells[columns["Last modified (grade)"]] not in ("", "-") for cells in table)
    if was_graded and columns["Identifier"] != "identifier":
        warnings = ["Moodle does not read its own dates in this language: when importing, tick " + _TICK]
    headings = dict(worksheet.table.headings)
    if settings.comment and not comments:
        warnings.append(f"{worksheet.table.file} has no column for comments: only scores are written")
    elif not settings.comment:
        headings.pop(comments, None)
    data = csv_bytes(list(headings.values()), ([cells[key] for key in headings] for cells in table))
    return score_file(codecs.BOM_UTF8 + data, lines, withheld, *warnings)


def participants(sent: Iterable[Payload], table: Table | None, exercise: Exercise) -> dict[str, Payload]:
    """Find those who are sent by the number in the worksheet's "Participant N", each in their own row."""
    if table is None:
        return KEY.sort(sent)[0]
    worksheet = _open(table, settings_of(exercise, Moodle).columns)
    return {
        number: one
        for number, one in KEY.sort(_joined(sent, worksheet))[0].items()
        if (row := worksheet.rows.get(number)) and not worksheet.why_another(row, one)
    }


def _open(table: Table, names: Mapping[WorksheetColumn, str]) -> _Worksheet:
    found = worksheet_columns(table, names)
    columns = {name: found[name] for name in get_args(WorksheetColumn) if name in found}
    for name in _NEEDED:
        columns[name] = columns.get(name) or column(table, names.get(name, name))
    rows = {}
    for text, row in rows_by(table, table.headings[columns["Identifier"]]).items():
        if not (number := participant(text)):
            raise table.mistake(
                columns["Identifier"], [row.number], f"{text[:40]!r} is not like 'Participant 8'"
            )
        rows[number] = row
    return _Worksheet(table, rows, columns)


def _joined(sent: Iterable[Payload], worksheet: _Worksheet) -> list[Payload]:
    """Give everyone the participant number of the only row with their address.

    The roster's ``moodle_id`` may be the number that they have in another assignment.
    """
    sent = list(sent)
    rows = {number: worksheet.cell(row, "Email address").casefold() for number, row in worksheet.rows.items()}
    there, here = Counter(rows.values()), Counter(one.person.email.casefold() for one in sent)
    own = {email: number for number, email in rows.items() if email and there[email] == here[email] == 1}
    taken, joined = {*own.values()}, []
    for one in sent:
        kept = "" if one.person.moodle_id in taken else one.person.moodle_id
        number = own.get(one.person.email.casefold(), kept)
        joined.append(replace(one, person=replace(one.person, moodle_id=number)))
    return joined
