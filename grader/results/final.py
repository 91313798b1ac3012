"""Final results: what the grader found, with a person's points; all that people see is made from them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields, replace
from decimal import Decimal

from grader.base.files import csv_bytes, escape_formula
from grader.base.flags import MANUAL
from grader.grading.score import Change, FinalResult, Result, points_number
from grader.results.adjust import counting

SCORES_HEADER = ("student", "status", "score", "max_score", "late_penalty", "submitted_at", "flags")
_FOUND = tuple(field.name for field in fields(Result))


@dataclass(frozen=True)
class FinalPart:
    """What ``result.json`` says of the final result; ``points`` are those that count, lateness taken off."""

    status: str
    score: float | None
    late_penalty: float | None
    points: float
    changes: tuple[Change, ...]
    comments: tuple[Change, ...]


def final_result(result: Result, changes: Collection[Change] = ()) -> FinalResult:
    """Apply the changes by hand that count to a result; the late penalty is not taken off here.

    Points that a person gave replace a criterion's points; extra points are added. A change that names a
    criterion or task that the result does not have is ignored. Points by hand set the status to ``graded``
    and add the flag ``manual``.
    """
    found = {name: getattr(result, name) for name in _FOUND}
    if not changes:
        return FinalResult(**found)
    tasks = {one.task for one in result.criteria}
    counts = counting(changes)
    comments = tuple(one for one in counts if one.what == "comment" and one.criterion in tasks)
    points = {one.id: _exact(one.points) for one in result.criteria}
    given: dict[str, Change] = {}
    whole = next((one for one in counts if one.what == "points" and not one.criterion), None)
    for kind in ("points", "extra"):
        for change in counts:
            if change.what == kind and change.criterion in points:
                before = points[change.criterion] if kind == "extra" else 0
                points[change.criterion] = before + _exact(change.points)
                given[change.criterion] = replace(
                    change, points=points_number(points[change.criterion]), what="points"
                )
    if whole is None and not given:
        return FinalResult(**found, comments=comments)
    total = sum(points.values(), Decimal(0))
    if whole is not None:
        total += _exact(whole.points) - sum(_exact(one.points) for one in result.criteria)
    found |= {
        "status": "graded",
        "score": points_number(total),
        "late_penalty": result.late_penalty or 0,
        "criteria": tuple(replace(one, points=points_number(points[one.id])) for one in result.criteria),
        "flags": tuple(sorted({*result.flags, MANUAL})),
    }
    counted = ((whole,) if whole else ()) + tuple(given.values())
    return FinalResult(**found, by_hand=True, changes=counted, comments=comments)


def final_part(final: FinalResult) -> FinalPart:
    """What ``result.json`` says of a final result."""
    points = points_number(final.points)
    return FinalPart(final.status, final.score, final.late_penalty, points, final.changes, final.comments)


def _exact(points: float | None) -> Decimal:
    return Decimal(str(points or 0))


def scores_bytes(results: Iterable[FinalResult]) -> bytes:
    """``scores.csv``: one row for each result, sorted by student; a score is blank unless graded.

    It is for people, so that no id is a formula in it; programs read the results.
    """
    rows = []
    for result in sorted(results, key=lambda result: result.student):
        received = result.submission.submitted_at if result.submission else ""
        numbers = (result.score, result.max_score, result.late_penalty)
        shown = ["" if number is None else number for number in numbers]
        flags = " ".join(result.flags)
        rows.append([escape_formula(result.student), result.status, *shown, received, flags])
    return csv_bytes(SCORES_HEADER, rows)
