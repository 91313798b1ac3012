"""What every format takes and gives, and the cells of a platform's own table: columns, rows, numbers."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from grader.base.errors import UsageError
from grader.base.text import one_line
from grader.course.model import Exercise
from grader.grading.score import FinalResult, points_text
from grader.lms.payload import NUMBER, Payload, PersonKey, Scale, Withheld
from grader.sources.table import Table, TableRow, fold_heading

_THOUSAND = Fraction(1000)
_GROUPED = re.compile(r"-?\d{1,3}(?:[.,'\u00a0 ]\d{3})+(?:[.,]\d+)?")


@dataclass(frozen=True)
class ExportOrder:
    """What was asked for."""

    exercise: Exercise
    sent: tuple[Payload, ...]  # those with a score to send
    results: tuple[FinalResult, ...] = ()  # serve files about one student, as does ``student``
    worksheet: Table | None = None  # the platform's own file, where one was given
    overwrite: bool = False  # replace what the platform holds; otherwise only points of ``ours``
    ours: Callable[[str], Collection[Decimal]] = lambda _: ()  # a student's points that we sent before
    columns: str = ""  # shape the plain table, as do ``delimiter`` and ``decimal``
    delimiter: str = ","
    decimal: str = "."
    student: str = ""


@dataclass(frozen=True)
class ScoreFile:
    """A file for a platform: its bytes, the points in it by student, who is left out, and warnings."""

    data: bytes
    points: Mapping[str, Decimal]
    withheld: tuple[Withheld, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoreLine:
    """One student's line of a score file: how the platform knows them, and the points there."""

    key: str
    one: Payload
    points: Decimal


def lines_of(
    order: ExportOrder,
    key: PersonKey,
    scale: Scale,
    rows: Mapping[str, TableRow] | None = None,
    scores: str = "",
    *,
    why_not: Callable[[TableRow, Payload], str] | None = None,
) -> tuple[list[ScoreLine], list[Withheld]]:
    """Sort those who are sent into lines, by ``key``, and those who are not written.

    The order's worksheet, if there is one, has these ``rows`` by key, and its scores under the heading
    ``scores``. ``why_not`` says what else keeps a student's row from being written, or returns an empty text.
    """
    by_key, withheld = key.sort(order.sent)
    table, lines = order.worksheet, []
    for number, one in by_key.items():
        line, row = ScoreLine(number, one, scale(one.result.points)), (rows or {}).get(number)
        why = f"is not in {table.file}" if table and not row else ""
        if table and row:
            why = (why_not(row, one) if why_not else "") or _kept(
                order, table, row, scores, line, most=scale.theirs
            )
        if why:
            withheld.append(Withheld(one.person.id, why, lost=True))
        else:
            lines.append(line)
    is_number = key.form is NUMBER
    return sorted(lines, key=lambda line: (int(line.key) if is_number else 0, line.key)), withheld


def _kept(
    order: ExportOrder, table: Table, row: TableRow, scores: str, line: ScoreLine, *, most: Fraction
) -> str:
    """Return why what stands in a row stays: a word like EX, or without ``--overwrite`` another's score."""
    cell = column(table, scores)
    place = f"{table.file} row {row.number}, {table.headings[cell]}"
    try:
        there = cell_number(table, row, cell, most)
    except UsageError:
        if not re.search(r"\d", row.cells[cell]):
            return f"has {row.cells[cell][:20]!r} ({place}), which no score replaces; change it there"
        if order.overwrite:  # some score, whatever it is
            return ""
        raise
    if there in (None, line.points) or order.overwrite or there in order.ours(line.one.person.id):
        return ""
    replaces = f"{points_text(line.points)} replaces it with --overwrite only"
    return f"has {row.cells[cell]} already ({place}); {replaces}"


def score_file(data: bytes, lines: list[ScoreLine], withheld: list[Withheld], *warnings: str) -> ScoreFile:
    """Make the file of these lines."""
    return ScoreFile(data, {one.one.person.id: one.points for one in lines}, tuple(withheld), warnings)


def column(table: Table, heading: str) -> str:
    """Find a column by its heading, whatever its case; return the key of its cells, or raise UsageError."""
    if fold_heading(heading) in table.headings:
        return fold_heading(heading)
    listed = _listed(table.headings.values())
    raise UsageError(f"{table.file}: row 1 has no column {heading!r}; the columns are: {listed}.")


def _listed(headings: Iterable[str]) -> str:
    return one_line(", ".join(headings), 400)


def one_heading(table: Table, fits: Callable[[str], bool], title: str, advice: str) -> str:
    """Return the one heading that fits; UsageError with ``advice`` if none does, or several."""
    found = [heading for heading in table.headings.values() if fits(heading)]
    if len(found) == 1:
        return found[0]
    some, listed = ("several columns", found) if found else ("no column", table.headings.values())
    raise UsageError(
        f"{table.file}: row 1 has {some} for {title!r}; {advice}. The columns are: {_listed(listed)}."
    )


def rows_by(table: Table | None, heading: str) -> dict[str, TableRow]:
    """Map the cells of one column to their rows, without empty ones; without a table there are none."""
    found: dict[str, TableRow] = {}
    if table is None:
        return found
    key = column(table, heading)
    for row in table.rows:
        if cell := row.cells[key]:
            first = found.setdefault(cell, row)
            if first is not row:
                raise table.mistake(key, [first.number, row.number], f"both rows are {cell!r}; remove one")
    return found


def cell_number(table: Table, row: TableRow, key: str, most: Fraction = _THOUSAND) -> Decimal | None:
    """Read a number, written with a point or a comma; None for an empty cell or a dash.

    Anything else, or what like 1,000 can be read in two ways, raises UsageError. Where nobody has ``most``
    points or more, and that is less than a thousand, 16.667 can be read in one way only.
    """
    text = row.cells[key]
    if text in ("", "-"):
        return None
    try:
        return number_in(text, most)
    except ValueError as error:
        raise table.mistake(key, [row.number], str(error)) from None


def number_in(text: str, most: Fraction = _THOUSAND) -> Decimal:
    """Read a number as ``cell_number`` does; ValueError says why it is none."""
    if _GROUPED.fullmatch(text) and not (most < _THOUSAND and re.fullmatch(r"\d+\.\d+", text)):
        raise ValueError(f"{text!r} can be read in two ways; write it without grouping")
    with suppress(InvalidOperation):
        if (number := Decimal(text.replace(",", "."))).is_finite():
            return number
    raise ValueError(f"{text[:40]!r} is not a number")
