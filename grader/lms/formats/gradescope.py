"""Files about one student: Gradescope's ``results.json``, and Coursera's feedback.

On Gradescope hidden criteria stay hidden until grades are published. Students see everything at the top at
once, so nothing there depends on a hidden criterion. ``score`` replaces the sum of the tests: it is the total
less lateness, and Gradescope does not show it while tests are hidden.
"""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

from grader.base.errors import UsageError
from grader.base.text import clean
from grader.course.model import Exercise
from grader.grading.score import FinalResult, points_number, points_text
from grader.lms.comment import short_comment
from grader.lms.formats.sheet import ExportOrder, ScoreFile
from grader.lms.gradescope.container import NO_RESULT
from grader.lms.payload import Scale, scale_to

_LONGEST = 2000  # characters of a comment by hand


def make(order: ExportOrder) -> ScoreFile:
    """Make ``results.json`` of the one student in OUT, or of the one that was named."""
    result = only_result(order)
    document = results_json(result, order.exercise, scale_to(order.exercise, "gradescope", None, ""))
    data = (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
    return ScoreFile(data, {result.student: result.points})


def make_coursera(order: ExportOrder) -> ScoreFile:
    """Make Coursera's feedback: a fraction of the points, and a text; UsageError without a score."""
    result = only_result(order)
    if result.status != "graded":
        raise UsageError(f"{result.student} has no score ({result.status}), and Coursera takes nothing else.")
    document = {
        "fractionalScore": float(Fraction(result.points) / result.max_score),
        "feedback": short_comment(result, order.exercise),
    }
    data = (json.dumps(document, ensure_ascii=False) + "\n").encode()
    return ScoreFile(data, {result.student: result.points})


def only_result(order: ExportOrder) -> FinalResult:
    """Return the named student's result, or the only one; UsageError if no one student can be told."""
    found = [r for r in order.results if order.student in ("", r.student)]
    if len(found) == 1:
        return found[0]
    if order.student:
        raise UsageError(f"There is no result of {order.student!r}.")
    raise UsageError(
        f"The file is about one student, and there are {len(found)}: name one with --student ID."
    )


def results_json(result: FinalResult, exercise: Exercise, scale: Scale) -> dict[str, Any]:
    """Make the JSON document; a submission that is itself the reason why it cannot be graded has 0 points.

    A fault of the grader has no score: Gradescope then says that the autograder failed.
    """
    document: dict[str, Any] = {"visibility": "visible", "stdout_visibility": "hidden"}
    document |= {"output": _summary(result, exercise), "output_format": "text"}
    if result.status == "grader-error":
        return document
    document["score"] = points_number(scale(result.points))
    sentences = {criterion.id: criterion.sentence for criterion in exercise.criteria}
    given = {change.criterion for change in result.changes}
    causes = {one.task: f" {one.explanation}" for one in result.diagnoses if one.from_hidden}
    document["tests"] = tests = []
    for place, criterion in enumerate(result.criteria, start=1):
        is_hidden = criterion.visibility == "hidden"
        hand = "Points set by hand.\n" if criterion.id in given else ""
        cause = causes.pop(criterion.task, "") if is_hidden else ""  # with the task's first hidden one
        tests.append(
            {
                "number": str(place),
                "name": f"{criterion.task} {sentences.get(criterion.id, criterion.id)}",
                "name_format": "text",
                "score": points_number(scale(Decimal(str(criterion.points)))),
                "max_score": points_number(scale(Decimal(criterion.max_points))),
                "status": "passed" if criterion.status == "passed" else "failed",
                "output": hand + (criterion.message or f"{criterion.shown_word.capitalize()}.") + cause,
                "output_format": "text",
                "visibility": "after_published" if is_hidden else "visible",
            }
        )
    return document


def _summary(result: FinalResult, exercise: Exercise) -> str:
    """Say what students may read at once: the points by visible criteria, and how many are still to come."""
    if result.status == "grader-error":
        return NO_RESULT
    visible = [criterion for criterion in result.criteria if criterion.visibility == "visible"]
    hidden = sum(c.points for c in exercise.criteria if c.visibility == "hidden")
    earned, most = sum(c.points for c in visible), sum(c.max_points for c in visible)
    lines = [f"{exercise.title}: {earned:g} of {most} points by what you can see."]
    if hidden:
        lines.append(
            f"{hidden} further points are earned by hidden tests and shown when grades are published."
        )
    shown = {"", *(criterion.id for criterion in visible)}
    if any(change.criterion in shown for change in result.changes):
        lines.append("Your instructor set points by hand.")
    if result.status != "graded":
        lines.append("Nothing of this submission could be graded; each line below says why.")
    if result.late_penalty:
        lines.append(f"{points_text(result.late_penalty)} points are taken off for lateness.")
    lines += [
        f"{one.criterion}, from your instructor: {clean(one.text, _LONGEST)}" for one in result.comments
    ]
    lines += [f"{d.task}: {d.explanation}" for d in result.diagnoses if not d.from_hidden]
    return "\n".join(lines)
