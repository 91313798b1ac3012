"""Coursera's feedback for one submission: a fraction of the points, and a text."""

from __future__ import annotations

import json
from fractions import Fraction

from grader.base.errors import UsageError
from grader.lms.comment import short_comment
from grader.lms.formats.gradescope import only_result
from grader.lms.formats.sheet import ExportOrder, ScoreFile
from grader.lms.payload import Payload
from grader.roster.roster import Person


def make(order: ExportOrder) -> ScoreFile:
    """Make the file for Coursera's grader interface.

    Raises:
        UsageError: No one student can be told, or that student was not graded.
    """
    result = only_result(order)
    if result.status != "graded":
        raise UsageError(f"{result.student} has no score ({result.status}), and Coursera takes nothing else.")
    one = Payload(Person(result.student), result)
    document = {
        "fractionalScore": float(Fraction(one.points) / result.max_score),
        "feedback": short_comment(one, order.exercise),
    }
    return ScoreFile((json.dumps(document, ensure_ascii=False) + "\n").encode(), {result.student: one.points})
