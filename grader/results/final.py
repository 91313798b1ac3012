"""Final results: what the grader found, with a person's points; all that people see is made from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from grader.base.files import csv_bytes, escape_formula
from grader.base.flags import MANUAL
from grader.grading.score import FinalResult, Result

SCORES_HEADER = ("student", "status", "score", "max_score", "late_penalty", "submitted_at", "flags")


def final_result(result: Result, by_hand: float | None = None) -> FinalResult:
    """The final result; ``by_hand`` are the points that a person gave, before the late penalty, if any.

    Points by hand make a graded result of any, with the flag ``manual``.
    """
    found = {field.name: getattr(result, field.name) for field in fields(Result)}
    if by_hand is None:
        return FinalResult(**found)
    found |= {
        "status": "graded",
        "score": int(by_hand) if by_hand == int(by_hand) else by_hand,
        "late_penalty": result.late_penalty or 0,
        "flags": tuple(sorted({*result.flags, MANUAL})),
    }
    return FinalResult(**found, by_hand=True)


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
