"""The table that ``nbgrader export`` writes, from our own results: the same columns in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from grader.lms.formats.sheet import csv_bytes
from grader.lms.payload import Leaving, plain
from grader.lms.scorefile import Order, ScoreFile

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


def make(order: Order) -> ScoreFile:
    """One row for each student with a score; times are UTC without a zone, as nbgrader keeps them."""
    rows = [list(_row(one, order)) for one in order.sent]
    return ScoreFile(csv_bytes([COLUMNS, *rows]), tuple(one.person.id for one in order.sent))


def names(name: str) -> tuple[str, str]:
    """Last and first name: ``Lovelace, Ada`` and ``Ada Lovelace`` are the same person."""
    if "," in name:
        last, _, first = name.partition(",")
    else:
        first, _, last = name.strip().rpartition(" ")
    return last.strip(), first.strip()


def _row(one: Leaving, order: Order) -> Iterator[str]:
    result = one.result
    received = result.submission.submitted_at if result.submission else ""
    yield order.exercise.name
    yield _naive(order.exercise.due)
    yield _naive(datetime.fromisoformat(received)) if received else ""
    yield one.person.id
    yield from names(one.person.name)
    yield one.person.email
    yield str(result.score)
    yield plain(one.taken_off)
    yield plain(one.points)
    yield str(result.max_score)


def _naive(moment: datetime | None) -> str:
    return str(moment.astimezone(UTC).replace(tzinfo=None)) if moment else ""
