"""Write a final result in at most a thousand characters, for a platform's comment field.

Nothing of a submission is quoted: only the course's own sentences, fixed words, and an instructor's comments.
"""

import html
from collections.abc import Iterator

from grader.base.text import one_line
from grader.course.model import Exercise
from grader.grading.score import CriterionResult, FinalResult, points_text

COMMENT_LIMIT = 1000  # characters of a short comment, all of it counted
_REASON = 300  # characters of the reason why a file could not be run, and of a comment by hand


def short_comment(result: FinalResult, exercise: Exercise, limit: int = COMMENT_LIMIT) -> str:
    """The score, the points by task, what is still open and why, in whole lines of at most ``limit``."""
    lines = list(_lines(result, exercise))
    text = lines[0][:limit]
    for place, line in enumerate(lines[1:], start=1):
        rest = f"\nAnd {len(lines) - place} more."
        room = limit if place == len(lines) - 1 else limit - len(rest)
        if len(text) + 1 + len(line) > room:
            return text + rest if len(text) + len(rest) <= limit else text
        text += f"\n{line}"
    return text


def comment_html(text: str) -> str:
    """A comment as one line of HTML that survives Moodle's worksheet: no backslash, no line break."""
    lines = html.escape(text).replace("\\", "&#92;").splitlines()
    return f"<p>{'<br>'.join(lines)}</p>"


def _lines(result: FinalResult, exercise: Exercise) -> Iterator[str]:
    # Why a file could not be run comes first: everything else follows from it.
    unrun = (c for c in result.criteria if c.status == "not-run" and c.visibility == "visible" and c.message)
    reasons = [one_line(text, _REASON) for text in dict.fromkeys(c.message.splitlines()[0] for c in unrun)]
    if result.status == "unreadable":
        yield f"{exercise.title}: your hand-in could not be read, so it has no points."
        yield from reasons
        yield f"Hand in {' and '.join(exercise.files)}, or {exercise.notebook}."
        return
    off = f" {points_text(result.taken_off)} taken off for lateness." if result.taken_off else ""
    hand = " Your instructor set these points by hand." if result.by_hand else ""
    yield f"{exercise.title}: {points_text(result.points)} of {result.max_score} points.{off}{hand}"
    if result.status == "missing":
        yield "Nothing was handed in."
        return
    yield from reasons
    tasks: dict[str, list[CriterionResult]] = {}
    for criterion in result.criteria:
        tasks.setdefault(criterion.task, []).append(criterion)
    if tasks:
        whole = any(not change.criterion for change in result.changes)
        found = "By part, as the tests found it: " if whole else "By part: "
        earned = (
            f"{t} {sum(c.points for c in ones):g}/{sum(c.max_points for c in ones)}"
            for t, ones in tasks.items()
        )
        yield found + ", ".join(earned) + "."
    for one_comment in result.comments:
        text = one_line(one_comment.text, _REASON)
        yield f"{one_comment.criterion}, from your instructor: {text}"
    for diagnosis in result.diagnoses:
        yield f"{diagnosis.task}: {diagnosis.explanation}"
    sentences = {criterion.id: criterion.sentence for criterion in exercise.criteria}
    lost = [criterion for criterion in result.criteria if criterion.status != "passed"]
    for criterion in lost:
        promise = sentences.get(criterion.id, criterion.id)
        state = "a hidden test" if criterion.shown_state == "open" else criterion.shown_word
        yield f"Still open: {criterion.task} {promise} ({state})."
    if tasks and not lost and not result.by_hand:
        yield "Everything works."
