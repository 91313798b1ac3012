"""The table that ``nbgrader export`` writes, made from our results: the same columns in the same order."""

from __future__ import annotations

from datetime import UTC, datetime

from grader.base.files import csv_bytes
from grader.gradebook.words import EXPORT_COLUMNS, gradebook_id, names_of, short
from grader.grading.score import points_text
from grader.lms.formats.sheet import ExportOrder, ScoreFile


def make(order: ExportOrder) -> ScoreFile:
    """Make one row for each student who has a score; times are UTC without a zone, as nbgrader keeps them."""
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
    return ScoreFile(
        csv_bytes(EXPORT_COLUMNS, rows), {one.person.id: one.result.points for one in order.sent}
    )


def _naive(moment: datetime | None) -> str:
    return str(moment.astimezone(UTC).replace(tzinfo=None)) if moment else ""
