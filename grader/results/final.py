"""Final results: what the grader found, with a person's points; all that people see is made from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from decimal import Decimal

from grader.base.files import csv_bytes, escape_formula
from grader.base.flags import MANUAL
from grader.grading.score import Change, FinalResult, Result
from grader.results.adjust import counting

SCORES_HEADER = ("student", "status", "score", "max_score", "late_penalty", "submitted_at", "flags")


def final_result(result: Result, changes: Iterable[Change] = ()) -> FinalResult:
    """The final result, with the changes by hand that count, before the late penalty.

    A change of a criterion that the result does not have is left aside. Points by hand make a graded result
    of any, with the flag ``manual``.
    """
    found = {field.name: getattr(result, field.name) for field in fields(Result)}
    points = {one.id: _exact(one.points) for one in result.criteria}
    counts = tuple(change for change in counting(changes) if change.criterion in {"", *points})
    if not counts:
        return FinalResult(**found)
    total = sum(points.values(), Decimal(0))
    for change in counts:
        total = _exact(change.points) + (total - points[change.criterion] if change.criterion else 0)
    found |= {
        "status": "graded",
        "score": int(total) if total == int(total) else float(total),
        "late_penalty": result.late_penalty or 0,
        "flags": tuple(sorted({*result.flags, MANUAL})),
    }
    return FinalResult(**found, by_hand=True, changes=counts)


def _exact(points: float | None) -> Decimal:
    return Decimal(str(points or 0))


def scores_bytes(results: Iterable[FinalResult]) -> bytes:
    """``scores.csv``: one row for each result, sorted by student; a score is blank unless graded.

    It is for people, so that no id is a formula in it; programs read the results.
    """
    return csv_bytes(SCORES_HEADER, map(_row, sorted(results, key=lambda result: result.student)))


def _row(result: FinalResult) -> list[object]:
    received = result.submission.submitted_at if result.submission else ""
    numbers = (result.score, result.max_score, result.late_penalty)
    shown = ["" if number is None else number for number in numbers]
    return [escape_formula(result.student), result.status, *shown, received, " ".join(result.flags)]
