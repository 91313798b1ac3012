"""Select what a student's page says, in order; each text is bounded and safe to show as plain text.

Flags are for the instructor and never shown here. Of a hidden criterion a student sees its goal, passed or
open, and its fixed hint.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from grader.base.text import clean, one_line
from grader.bundle import hints, wording
from grader.bundle.draw import Picture
from grader.course.model import Criterion, Exercise, Task
from grader.feedback.closing import Section
from grader.grading.score import SHOWN_STATES, Change, CriterionResult, FinalResult, points_text

MESSAGE_LIMIT = 2000  # characters of one criterion's message that are shown
LINE_LIMIT = 300  # characters of a name, a title or a note

_HINTED = ("needs-work", "stopped", "open")  # states of a criterion that show a hint: something was tried
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
    """One criterion: its goal, state and points; if it is open also what happened and what to do."""

    goal: str
    hidden: bool
    state: str
    points: str
    max_points: int
    message: str
    hint: str
    where: str
    by_hand: str


@dataclass(frozen=True)
class TaskView:
    """One task: its criteria, the likely causes of what is wrong, and a picture of a wrong answer."""

    title: str
    points: str
    max_points: int
    state: str
    criteria: tuple[CriterionView, ...]
    causes: tuple[str, ...]
    picture: Picture | None
    comment: str

    @property
    def open(self) -> tuple[CriterionView, ...]:
        """The criteria that need work."""
        return tuple(one for one in self.criteria if one.state != "passed")

    @property
    def passed(self) -> tuple[CriterionView, ...]:
        """The criteria that are passed."""
        return tuple(one for one in self.criteria if one.state == "passed")


@dataclass(frozen=True)
class View:
    """A whole page."""

    exercise: str
    name: str
    student: str
    headline: str
    score: str  # the line with the points; empty unless graded, and so is ``tasks``
    late: str
    reasons: tuple[str, ...]  # why it was not graded
    faults: tuple[str, ...]  # what is wrong with whole files, each said once
    next_step: str  # the first thing to do
    step: TaskView | None  # the task in which that is
    tasks: tuple[TaskView, ...]
    closing: tuple[Section, ...]
    notes: tuple[str, ...]
    files: tuple[str, ...]
    submitted_at: str
    digest: str


def view(
    result: FinalResult, exercise: Exercise, student_name: str = "", closing: Sequence[Section] = ()
) -> View:
    """Select what a student's page says; ``closing`` is shown when everything is passed."""
    graded = result.status == "graded"
    headline = _headline(result)
    reasons: tuple[str, ...] = ()
    faults: dict[str, str] = {}
    if graded:
        faults = _file_faults(result, exercise)
    else:
        messages = dict.fromkeys(criterion.message for criterion in result.criteria if criterion.message)
        headline, reason = _NOT_GRADED[result.status]
        reasons = (reason,) if reason else tuple(clean(text, MESSAGE_LIMIT) for text in [*messages][:5])
        reasons += tuple(clean(f"From your instructor: {one.text}", MESSAGE_LIMIT) for one in result.comments)
    tasks = tuple(_tasks(result, exercise, set(faults))) if graded else ()
    step = next((task for task in tasks if task.open), None)
    late = ""
    if graded and result.taken_off:
        given = "given" if result.by_hand else "earned"
        late = f"{result.score} {given}, {points_text(result.taken_off)} taken off because it came late."
    everything = graded and all(one.status == "passed" for one in result.criteria)
    came = result.submission
    return View(
        exercise=one_line(exercise.title, LINE_LIMIT),
        name=one_line(student_name, LINE_LIMIT),
        student=one_line(result.student, LINE_LIMIT),
        headline=headline,
        score=f"{points_text(result.points)} of {result.max_score} points" if graded else "",
        late=late,
        reasons=reasons,
        faults=tuple(clean(text, MESSAGE_LIMIT) for text in dict.fromkeys(faults.values())),
        next_step=_next_step(step, bool(faults)),
        step=None if faults else step,
        tasks=tasks,
        closing=tuple(closing) if everything else (),
        notes=tuple(one_line(note, LINE_LIMIT) for note in result.notes),
        files=tuple(one_line(file, LINE_LIMIT) for file in came.files) if came else (),
        submitted_at=one_line(came.submitted_at, LINE_LIMIT) if came else "",
        digest=came.digest[:16] if came else "",
    )


def _headline(result: FinalResult) -> str:
    """What stands above the tasks of a graded submission."""
    if result.by_hand:
        whole = next((change for change in result.changes if not change.criterion), None)
        return f"Your instructor set the points by hand{_said(whole)}"
    if result.score == result.max_score:
        return "Everything works"
    return "Here is what to do next, and what works already" if result.score else "Here is how to begin"


def _said(change: Change | None) -> str:
    """Who changed the points, and why, as far as that is known."""
    if change is None:
        return ""
    by = f" by {one_line(change.by, LINE_LIMIT)}" if change.by else ""
    because = f": {one_line(change.because, LINE_LIMIT).rstrip('.')}" if change.because else ""
    return f"{by}{because}"


def _file_faults(result: FinalResult, exercise: Exercise) -> dict[str, str]:
    """Files of which nothing was run, for one and the same reason, with that reason."""
    faults = {}
    for file in exercise.files:
        tasks = {task.name for task in exercise.tasks if task.file == file}
        mine = [one for one in result.criteria if one.task in tasks and one.visibility == "visible"]
        messages = {one.message for one in mine}
        if mine and all(one.status == "not-run" for one in mine) and len(messages) == 1:
            faults[file] = messages.pop()
    return {file: message for file, message in faults.items() if message}


def _next_step(step: TaskView | None, broken: bool) -> str:
    if broken:
        return "Put this right first; what depends on it could not be run"
    if step is None:
        return ""
    one = step.open[0]
    state = "a hidden test is still open" if one.state == "open" else SHOWN_STATES[one.state][0]
    return f"{one.where}: {state}"


def _tasks(result: FinalResult, exercise: Exercise, broken: set[str]) -> Iterable[TaskView]:
    """The tasks in the course's order, then any that the course no longer has."""
    tasks = {task.name: task for task in exercise.tasks}
    names = [*tasks, *dict.fromkeys(c.task for c in result.criteria if c.task not in tasks)]
    known = {criterion.id: criterion for criterion in exercise.criteria}
    given = {change.criterion: change for change in result.changes}
    comments = {one.criterion: clean(one.text, MESSAGE_LIMIT) for one in result.comments}
    for name in names:
        found = [criterion for criterion in result.criteria if criterion.task == name]
        if not found:
            continue
        task = tasks.get(name)
        quiet = task is not None and task.file in broken
        points = sum(Decimal(str(one.points)) for one in found)
        drawn = (one.picture for one in result.pictures if one.task == name)
        yield TaskView(
            title=one_line(task.title if task else name, LINE_LIMIT),
            points=points_text(points),
            max_points=sum(one.max_points for one in found),
            state=_state_of(found),
            criteria=tuple(_criteria(found, known, given, task, quiet=quiet)),
            causes=tuple(
                one_line(each.explanation, MESSAGE_LIMIT) for each in result.diagnoses if each.task == name
            ),
            picture=next(drawn, None),
            comment=comments.get(name, ""),
        )


def _state_of(found: Sequence[CriterionResult]) -> str:
    """The state of a task, its worst; hidden criteria that are open add no more than that."""
    states = {one.status for one in found if one.visibility == "visible"}
    is_open = any(one.shown_state == "open" for one in found)
    states = {*states, "needs-work"} if is_open and states != {"not-started"} else states
    return wording.worst(states) or "passed"  # no visible criteria, and no hidden one is open


def _criteria(
    found: Sequence[CriterionResult],
    known: Mapping[str, Criterion],
    given: Mapping[str, Change],
    task: Task | None,
    *,
    quiet: bool,
) -> Iterable[CriterionView]:
    """The criteria of one task; a message that all of them share is shown once, one on top not at all."""
    shown: set[str] = set()
    # Hints on a function that nobody has begun would bury the one step that counts. Whether it is begun shows
    # in visible criteria alone, so that a hidden one's hint is the same for everyone who sees it.
    begun = _state_of(found) != "not-started"
    for criterion in found:
        course = known.get(criterion.id)
        hidden = criterion.visibility == "hidden"
        state = criterion.shown_state
        message = "" if hidden or quiet or criterion.message in shown else criterion.message
        shown.add(message)
        hint = hints.hint(course.hint, criterion.kind) if course and not quiet and begun else ""
        subject = "your answer" if task and task.of_constants else "your function"
        change = given.get(criterion.id)
        yield CriterionView(
            goal=one_line(f"{subject} {course.sentence}" if course else criterion.id, LINE_LIMIT),
            hidden=hidden,
            state=state,
            points=points_text(criterion.points),
            max_points=criterion.max_points,
            message=clean(message, MESSAGE_LIMIT),
            hint=one_line(hint, LINE_LIMIT * 2) if state in _HINTED else "",
            where=wording.where(task.name, task.file, task.title) if task else criterion.task,
            by_hand=f"Points set by hand{_said(change)}." if change else "",
        )
