"""Platforms whose import is a plain table of ids and points: Blackboard, Brightspace, Open edX, nbgrader."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial

from grader.base.errors import CourseError, UsageError
from grader.base.files import csv_bytes
from grader.course.platforms import Blackboard, Brightspace, Edx
from grader.gradebook.words import EXPORT_COLUMNS, gradebook_id, names_of, short
from grader.grading.score import points_text
from grader.lms.formats.sheet import (
    ExportOrder,
    ScoreFile,
    lines_of,
    number_in,
    one_heading,
    rows_by,
    score_file,
)
from grader.lms.payload import ANY_ID, NUMBER, PersonKey, scale_to, settings_of
from grader.roster.roster import Person
from grader.sources.table import TableRow, fold_heading

EDX_BYTES = 4 << 20  # what Open edX accepts, in bytes

_BLACKBOARD = PersonKey("blackboard_id", lambda person: person.blackboard_id or person.id, ANY_ID)
_WAITING = re.compile(r"(?:Needs Grading|In Progress)\s*(?:\([^)]*\))?", re.IGNORECASE)
_TOTAL = re.compile(r"(?P<title>.*\S)\s*\[Total Pts: (?P<points>[0-9.,]+)[^\]]*\]\s*\|\s*(?P<id>\d+)")

_BRIGHTSPACE = PersonKey(
    "brightspace_id", lambda person: (person.brightspace_id or person.id).removeprefix("#"), ANY_ID
)
_EXPORTED = re.compile(r"(?P<title>.*\S) Points Grade(?:\s*<(?:.*?MaxPoints:(?P<points>[0-9.,]+))?[^>]*>)?")
_FORBIDDEN = '/"*<>+=|,%'

# Never the roster's own id: a matriculation number may be another learner's number there.
_EDX = PersonKey("edx_id", lambda person: person.more("edx_id") or person.more("user_id"), NUMBER)


def blackboard(order: ExportOrder) -> ScoreFile:
    """Make the file for *Upload Grades*: rows by user name, every cell in quotes.

    The heading is the one in Blackboard's own download, from course.toml or the worksheet.
    """
    table, title = order.worksheet, order.exercise.title
    key = f"course.toml: exercise.{order.exercise.name}.platform.blackboard.column"
    heading = settings_of(order.exercise, Blackboard).column
    if not heading:
        if table is None:
            raise CourseError(
                f"{key}: is missing; copy the heading from Blackboard's own download, or name that download "
                "with --worksheet FILE."
            )
        heading = one_heading(table, partial(_has_title, _TOTAL, title), title, f"name it under {key}")
    if not (found := _TOTAL.fullmatch(heading)):
        raise CourseError(f"{key}: {heading!r} is not like 'Lab 1 [Total Pts: 20 Score] |664617'.")
    scale = scale_to(order.exercise, "blackboard", _maximum(found), f"column {heading!r}")
    cell = fold_heading(heading)
    rows = {
        name: TableRow(row.number, {**row.cells, cell: _WAITING.sub("", row.cells.get(cell, ""))})
        for name, row in rows_by(table, "Username").items()
    }
    # Blackboard's user names are the same in any case; the download has them as they are written.
    written_so = {name.casefold(): name for name in rows}

    def name_of(person: Person) -> str:
        return written_so.get(_BLACKBOARD.of(person).casefold(), _BLACKBOARD.of(person))

    lines, withheld = lines_of(order, replace(_BLACKBOARD, of=name_of), scale, rows, heading)
    written = [(line.key, points_text(line.points)) for line in lines]
    return score_file(csv_bytes(("Username", heading), written, quote_all=True), lines, withheld)


def brightspace(order: ExportOrder) -> ScoreFile:
    """Make the file for *Import Grades*: ids and each row's last cell begin with ``#``, so they stay text."""
    title, table = settings_of(order.exercise, Brightspace).title or order.exercise.title, order.worksheet
    heading, maximum = "", None
    if table is not None:
        advice = f"set exercise.{order.exercise.name}.platform.brightspace.title in course.toml"
        fits = partial(_has_title, _EXPORTED, title)
        heading = one_heading(table, fits, f"{title} Points Grade", advice)
        maximum = _maximum(_EXPORTED.fullmatch(heading))
    scale = scale_to(order.exercise, "brightspace", maximum, "MaxPoints in the grades export")
    there = {key.removeprefix("#"): row for key, row in rows_by(table, "OrgDefinedId").items()}
    lines, withheld = lines_of(order, _BRIGHTSPACE, scale, there, heading)
    names = [line.one.person.more("Username").removeprefix("#") for line in lines]
    with_names = bool(names) and all(names)
    user = ["Username"] * with_names
    header = ["OrgDefinedId", *user, f"{title} Points Grade", "End-of-Line Indicator"]
    rows = [
        [f"#{line.key}", *[f"#{name}"] * with_names, points_text(line.points), "#"]
        for line, name in zip(lines, names, strict=True)
    ]
    odd = "".join(mark for mark in _FORBIDDEN if mark in title)
    warnings = [f"Brightspace allows none of {odd} in a grade item's name"] if odd else []
    return score_file(csv_bytes(header, rows), lines, withheld, *warnings)


def _has_title(pattern: re.Pattern[str], title: str, heading: str) -> bool:
    found = pattern.fullmatch(heading)
    return found is not None and found["title"] == title


def _maximum(heading: re.Match[str] | None) -> Decimal | None:
    """Read the points in a heading, None without any; UsageError for what can be read in two ways."""
    if not heading or not heading["points"]:
        return None
    try:
        return number_in(heading["points"])
    except ValueError as error:
        raise UsageError(f"column {heading[0]!r}: {error}.") from None


def edx(order: ExportOrder) -> ScoreFile:
    """Make the file for *Import scores* of a staff-graded block: rows by the learner's number."""
    block = settings_of(order.exercise, Edx).block_id
    if not block:
        raise CourseError(
            f"course.toml: exercise.{order.exercise.name}.platform.edx.block_id: is missing; "
            "copy it from the block's staff view."
        )
    lines, withheld = lines_of(order, _EDX, scale_to(order.exercise, "edx", None, ""))
    header = ("user_id", "New Points", "block_id", "Previous Points")
    data = csv_bytes(header, ((line.key, points_text(line.points), block, "") for line in lines))
    if len(data) > EDX_BYTES:
        raise UsageError(f"The file would have {len(data):,} bytes, and Open edX takes {EDX_BYTES:,}.")
    return score_file(data, lines, withheld)


def nbgrader(order: ExportOrder) -> ScoreFile:
    """Make the table that ``nbgrader export`` writes; times are UTC without a zone, as in its database."""
    rows = []
    for one in order.sent:
        result = one.result
        received = result.submission.submitted_at if result.submission else ""
        first, last = names_of(one.person)
        rows.append(
            (
                order.exercise.name,
                _naive(order.exercise.due),
                _naive(datetime.fromisoformat(received)) if received else "",
                gradebook_id(one.person.id),
                *(last, first, short(one.person.email)),
                *(result.score, points_text(result.taken_off), points_text(result.points), result.max_score),
            )
        )
    points = {one.person.id: one.result.points for one in order.sent}
    return ScoreFile(csv_bytes(EXPORT_COLUMNS, rows), points)


def _naive(moment: datetime | None) -> str:
    return str(moment.astimezone(UTC).replace(tzinfo=None)) if moment else ""
