"""Select what a student's page says, in order; each text is bounded and safe to show as plain text.

Flags are for the instructor and never shown here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from grader.base.text import clean, one_line
from grader.bundle import wording
from grader.course.model import Criterion, Exercise, Task
from grader.grading.score import CriterionResult, FinalResult, Result

MESSAGE_LIMIT = 2000
"""Characters of one criterion's message that are shown."""
LINE_LIMIT = 300
"""Characters of a name, a title or a note."""

_HINTED = ("needs-work", "stopped")
"""States of a criterion that show a hint: something was tried."""
_NOT_GRADED = {
    "missing": (
        "Not graded: nothing was handed in",
        "Nothing was found under your name. If you did hand it in, tell your instructor.",
    ),
    "unreadable": ("Not graded: your files could not be read", ""),
    "grader-error": (
        "Not graded yet: the grader failed",
        "This is not about your code, and nothing was lost: it will be graded again.",
    ),
}
"""For each status but ``graded`` the headline and the reason; where that is empty, the messages say why."""


@dataclass(frozen=True)
class CriterionView:
    """One criterion: its sentence, state and points; for a visible one also what happened and what to do."""

    sentence: str
    hidden: bool
    state: str
    points: int
    max_points: int
    message: str
    hint: str
    where: str


@dataclass(frozen=True)
class TaskView:
    """One task: its criteria, and the sentences of the misconceptions recognised in it."""

    title: str
    criteria: tuple[CriterionView, ...]
    diagnoses: tuple[str, ...]

    @property
    def points(self) -> int:
        """The points earned."""
        return sum(criterion.points for criterion in self.criteria)

    @property
    def max_points(self) -> int:
        """The points there are."""
        return sum(criterion.max_points for criterion in self.criteria)

    @property
    def state(self) -> str:
        """The state of the task as a whole, that of its worst criterion."""
        return wording.worst({criterion.state for criterion in self.criteria})


@dataclass(frozen=True)
class View:
    """A whole page.

    ``score`` is the line with the points. It is empty unless the submission was graded, and so is ``tasks``;
    ``reasons`` say why it was not graded.
    """

    exercise: str
    name: str
    student: str
    headline: str
    score: str
    late: str
    reasons: tuple[str, ...]
    tasks: tuple[TaskView, ...]
    notes: tuple[str, ...]
    files: tuple[str, ...]
    submitted_at: str
    digest: str


def view(result: FinalResult, exercise: Exercise, student_name: str = "") -> View:
    """Select what a student's page says; ``student_name`` is shown beside the id when it is known."""
    graded = result.status == "graded"
    headline = _headline(result)
    reasons: tuple[str, ...] = ()
    if not graded:
        messages = dict.fromkeys(criterion.message for criterion in result.criteria if criterion.message)
        headline, reason = _NOT_GRADED[result.status]
        reasons = (reason,) if reason else tuple(clean(text, MESSAGE_LIMIT) for text in [*messages][:5])
    late = ""
    if graded and result.taken_off:
        given = "given" if result.by_hand else "earned"
        late = f"{result.score} {given}, {_number(result.taken_off)} taken off because it came late."
    came = result.submission
    return View(
        exercise=one_line(exercise.title, LINE_LIMIT),
        name=one_line(student_name, LINE_LIMIT),
        student=one_line(result.student, LINE_LIMIT),
        headline=headline,
        score=f"{_number(result.points)} of {result.max_score} points" if graded else "",
        late=late,
        reasons=reasons,
        tasks=tuple(_tasks(result, exercise)) if graded else (),
        notes=tuple(one_line(note, LINE_LIMIT) for note in result.notes),
        files=tuple(one_line(file, LINE_LIMIT) for file in came.files) if came else (),
        submitted_at=one_line(came.submitted_at, LINE_LIMIT) if came else "",
        digest=came.digest[:16] if came else "",
    )


def _headline(result: FinalResult) -> str:
    """What stands above the tasks of a graded submission."""
    if result.by_hand:
        return "Your instructor set the points by hand"
    if result.score == result.max_score:
        return "Everything works"
    return "Here is what works, and what to do next"


def _number(points: Decimal) -> str:
    """Points without needless zeros: 12, 11.5."""
    return f"{points:f}".rstrip("0").rstrip(".") if "." in f"{points:f}" else f"{points:f}"


def _tasks(result: Result, exercise: Exercise) -> Iterable[TaskView]:
    """The tasks in the course's order, then any that the course no longer has."""
    tasks = {task.name: task for task in exercise.tasks}
    names = [*tasks, *dict.fromkeys(c.task for c in result.criteria if c.task not in tasks)]
    known = {criterion.id: criterion for criterion in exercise.criteria}
    for name in names:
        found = [criterion for criterion in result.criteria if criterion.task == name]
        if found:
            task = tasks.get(name)
            yield TaskView(
                title=one_line(task.title if task else name, LINE_LIMIT),
                criteria=tuple(_criteria(found, known, task)),
                diagnoses=tuple(
                    one_line(each.explanation, MESSAGE_LIMIT)
                    for each in result.diagnoses
                    if each.task == name
                ),
            )


def _criteria(
    found: Sequence[CriterionResult], known: dict[str, Criterion], task: Task | None
) -> Iterable[CriterionView]:
    """The criteria of one task; a message that all of them share is shown once."""
    shown: set[str] = set()
    for criterion in found:
        course = known.get(criterion.id)
        hidden = criterion.visibility == "hidden"
        message = "" if hidden or criterion.message in shown else criterion.message
        shown.add(message)
        hinted = course is not None and not hidden and criterion.status in _HINTED
        yield CriterionView(
            sentence=one_line(course.sentence if course else criterion.id, LINE_LIMIT),
            hidden=hidden,
            state=criterion.status,
            points=criterion.points,
            max_points=criterion.max_points,
            message=clean(message, MESSAGE_LIMIT),
            hint=one_line(course.hint, LINE_LIMIT * 2) if course and hinted else "",
            where=wording.where(task.name, task.file, task.title) if task and hinted else "",
        )
