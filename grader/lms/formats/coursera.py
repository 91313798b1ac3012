"""Coursera's feedback for one submission: a fraction of the points, and a text."""

from __future__ import annotations

import json
from fractions import Fraction

from grader.base.errors import UsageError
from grader.lms.comment import short_comment
from grader.lms.formats.gradescope import only_result
from grader.lms.formats.sheet import ExportOrder, ScoreFile


def make(order: ExportOrder) -> ScoreFile:
    """Make the file for Coursera's grader interface; UsageError if that student was not graded."""
    result = only_result(order)
    if result.status != "graded":
        raise UsageError(f"{result.student} has no score ({result.status}), and Coursera takes nothing else.")
    document = {
        "fractionalScore": float(Fraction(result.points) / result.max_score),
        "feedback": short_comment(result, order.exercise),
    }
    return ScoreFile(
        (json.dumps(document, ensure_ascii=False) + "\n").encode(), {result.student: result.points}
    )
