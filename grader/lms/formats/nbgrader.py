"""The table that ``nbgrader export`` writes, made from our results: the same columns in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from grader.base.files import csv_bytes
from grader.gradebook.words import EXPORT_COLUMNS, gradebook_id, names_of, short
from grader.grading.score import points_text
from grader.lms.formats.sheet import ExportOrder, ScoreFile
from grader.lms.payload import Payload


def make(order: ExportOrder) -> ScoreFile:
    """Make one row for each student who has a score; times are UTC without a zone, as nbgrader keeps them."""
    rows = [list(_row(one, order)) for one in order.sent]
    return ScoreFile(csv_bytes(EXPORT_COLUMNS, rows), {one.person.id: one.points for one in order.sent})


def _row(one: Payload, order: ExportOrder) -> Iterator[str]:
    result = one.result
    received = result.submission.submitted_at if result.submission else ""
    yield order.exercise.name
    yield _naive(order.exercise.due)
    yield _naive(datetime.fromisoformat(received)) if received else ""
    yield gradebook_id(one.person.id)
    first, last = names_of(one.person)
    yield from (last, first, short(one.person.email))
    yield str(result.score)
    yield points_text(one.taken_off)
    yield points_text(one.points)
    yield str(result.max_score)


def _naive(moment: datetime | None) -> str:
    return str(moment.astimezone(UTC).replace(tzinfo=None)) if moment else ""
