"""Canvas's gradebook import: a CSV whose one score column is found by the assignment's number.

Canvas takes the separator from the first three lines, drops a column named like one of its own totals
without a word, and makes a new assignment of any title that it does not know.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from grader.course import Exercise
from grader.errors import CourseError, UsageError
from grader.lms.leaving import NUMBER, Key, Leaving, Staying, plain, scale_to, settings_of
from grader.lms.scorefile import Order, ScoreFile, conflict
from grader.lms.settings import Canvas
from grader.lms.sheet import Sheet, csv_bytes, number_in
from grader.text import one_line

KEY = Key("canvas_id", lambda person: person.canvas_id, NUMBER)

_TOTALS = re.compile(r"(?:Current|Final) (?:Score|Points|Grade)|Override (?:Score|Grade|Status)")
_NUMBERED = re.compile(r"(.*)\s\((\d+)\)", re.DOTALL)
_POINTS = "Points Possible"
_NAME_LIMIT = 200


def make(order: Order) -> ScoreFile:
    """The file for Canvas's *Import*.

    Raises:
        UsageError: The title or the downloaded gradebook does not fit.
    """
    settings = settings_of(order.exercise, Canvas)
    heading, warnings = _heading(order.exercise, settings), []
    found: Decimal | None = None
    if order.worksheet is not None:
        heading = _heading_in(order.worksheet, heading)
        found = _points_possible(order.worksheet, heading)
    elif settings.assignment_id is None:
        warnings.append(
            f"no assignment_id in course.toml: Canvas makes a new assignment {heading!r} unless one has "
            "exactly that title"
        )
    scale = scale_to(order.exercise, "canvas", found, f"{_POINTS} in the gradebook")
    by_key, kept = KEY.sort(order.sent)
    scores = {key: scale(one.points) for key, one in by_key.items()}
    if order.worksheet is not None:
        taken = _taken(order.worksheet, heading, scores, by_key)
        kept += [] if order.overwrite else taken
        missing = set(by_key) - set(order.worksheet.keyed(order.worksheet.column("ID")))
        kept += [Staying(by_key[key].person.id, "is not in the gradebook", lost=True) for key in missing]
    out = {staying.student for staying in kept}
    rows = sorted((int(key), key) for key, one in by_key.items() if one.person.id not in out)
    names = _names(by_key.values())
    table = [[names[by_key[key].person.id], key, "", plain(scores[key])] for _, key in rows]
    written = tuple(by_key[key].person.id for _, key in rows)
    data = csv_bytes([["Student", "ID", "Section", heading], *table])
    return ScoreFile(data, written, tuple(kept), tuple(warnings))


def _heading(exercise: Exercise, settings: Canvas) -> str:
    title = settings.title or exercise.title
    key = f"course.toml: exercise.{exercise.name}.platform.canvas"
    if found := _TOTALS.search(title):
        raise CourseError(
            f"{key}.title: {title!r} holds {found[0]!r}, and Canvas drops such a column without a word; "
            "give the assignment another title."
        )
    if ";" in title:
        raise CourseError(f"{key}.title: {title!r} holds a semicolon, which Canvas may take for a separator.")
    if settings.assignment_id is not None:
        return f"{title} ({settings.assignment_id})"
    if _NUMBERED.fullmatch(title):
        raise CourseError(
            f"{key}.assignment_id: is missing, and Canvas would take the number that ends {title!r} for it."
        )
    return title


def _heading_in(sheet: Sheet, heading: str) -> str:
    """The heading of our column as the gradebook has it: by its number, else by its very title."""
    wanted = _NUMBERED.fullmatch(heading)
    for cell in sheet.header:
        numbered = _NUMBERED.fullmatch(cell)
        same_number = wanted is not None and numbered is not None and numbered[2] == wanted[2]
        same_title = wanted is None and heading in (cell, numbered[1] if numbered else None)
        if same_number or same_title:
            return cell
    raise UsageError(f"{sheet.name} row 1 has no column for {heading!r}; is it another course's gradebook?")


def _points_possible(sheet: Sheet, heading: str) -> Decimal | None:
    column = sheet.header.index(heading)
    for row in sheet.rows:
        if row.cells[0].strip() == _POINTS:
            return number_in(row.cells[column], f"{sheet.name} line {row.line}, column {heading!r}")
    return None


def _taken(
    sheet: Sheet, heading: str, scores: dict[str, Decimal], by_key: dict[str, Leaving]
) -> list[Staying]:
    """Those who have something else in the gradebook: another score, or a word such as EX."""
    column, taken = sheet.header.index(heading), []
    for key, row in sheet.keyed(sheet.column("ID")).items():
        cell = row.cells[column].strip()
        if key not in scores or not cell:
            continue
        try:
            same = number_in(cell, "") in (scores[key], None)
        except UsageError:
            same = False
        if not same:
            place = f"{sheet.name} line {row.line}"
            taken.append(conflict(by_key[key].person.id, cell[:20], scores[key], place))
    return taken


def _names(ones: Iterable[Leaving]) -> dict[str, str]:
    """A name for each, that no other has: Canvas goes by names where it does not find the number."""
    names = {one.person.id: one_line(one.person.name, _NAME_LIMIT) or one.person.id for one in ones}
    count = Counter(name.casefold() for name in names.values())
    return {
        student: student if _POINTS in name else f"{name} ({student})" if count[name.casefold()] > 1 else name
        for student, name in names.items()
    }
