"""Turn a run's report into a Result: the points and the state of every criterion.

A test counts as passed only if its call stage is reported as passed. Which tests there are is known from our
own list, never from the report.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal
from typing import Any, Literal

from grader.base.text import clean
from grader.bundle import wording
from grader.bundle.draw import Picture
from grader.course.model import Criterion, Exercise, Visibility
from grader.grading.messages import Messages, State, code_notes, import_flags
from grader.sources.submission import Submission
from grader.suite.run import Run

SHOWN_STATES = {**wording.STATES, "open": ("open", "\u2717", "x")}
"""The states that students may see with their words and symbols, as ``wording.STATES``; ``open`` is of hidden
criteria alone."""

GRADER_FAULT = "The grader itself failed here. It is not your code, and nothing was lost."

Status = Literal["graded", "missing", "unreadable", "grader-error"]


@dataclass(frozen=True)
class CriterionResult:
    """The points, the state and the message of one criterion."""

    id: str
    task: str
    visibility: Visibility
    points: int | float
    max_points: int
    status: State
    message: str  # plain text for the student, a sentence a line; of a hidden one no more than the state
    kind: str = ""  # that of ``judge.Verdict`` for the first failed visible test; it decides which hint helps

    @property
    def shown_state(self) -> str:
        """The state that a student may see: a hidden criterion is ``passed`` or ``open``."""
        return "open" if self.visibility == "hidden" and self.status != "passed" else self.status

    @property
    def shown_word(self) -> str:
        """The word for it, such as ``needs work``."""
        return SHOWN_STATES[self.shown_state][0]


@dataclass(frozen=True)
class Diagnosis:
    """A misconception recognised in a submission: its id and its fixed sentence, without values of tests."""

    task: str
    misconception: str
    explanation: str
    from_hidden: bool = False  # it took answers to hidden tests to recognise it: not shown at once


@dataclass(frozen=True)
class TaskPicture:
    """One of the student's own calls of a function, drawn: the first visible one that failed."""

    task: str
    picture: Picture


@dataclass(frozen=True)
class Received:
    """What was graded: the digest of all files, when they came (ISO 8601, UTC, or empty), their names."""

    digest: str
    submitted_at: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """What ``result.json`` holds, in this order.

    ``score`` is the sum of the earned points before ``late_penalty`` (points; 0 if nothing is taken off).
    Both are None unless ``status`` is ``graded``. If a submission could not be read, every criterion is
    ``not-run`` and its message says why. ``notes`` say which files were taken, which were
    not, and which statements of them were left out.
    """

    student: str
    exercise: str
    status: Status
    score: int | float | None
    max_score: int
    late_penalty: int | float | None
    criteria: tuple[CriterionResult, ...]
    diagnoses: tuple[Diagnosis, ...]
    flags: tuple[str, ...]
    submission: Received | None
    notes: tuple[str, ...] = ()
    pictures: tuple[TaskPicture, ...] = ()
    prediction: str = ""


@dataclass(frozen=True)
class Change:
    """Points that a person gave for one criterion, in place of those that its tests gave, or a comment."""

    criterion: str  # its id, or a comment's task; empty for the whole score, as earlier versions kept it
    points: float | None  # None where the person takes them back, and for a comment
    source: Literal["adjust", "formgrader", "kept"]  # ``kept``: formgrader's, of a lost gradebook
    by: str = ""
    because: str = ""  # the reason, for the student
    at: str = ""  # ISO 8601, UTC, as far as known
    what: Literal["points", "extra", "comment"] = "points"  # ``extra`` points come on top of the others
    text: str = ""  # a comment's text; empty where it is taken back

    @property
    def value(self) -> float | str | None:
        """The points, or a comment's text; None where it is taken back."""
        return self.text or None if self.what == "comment" else self.points


@dataclass(frozen=True)
class FinalResult(Result):
    """A Result as everybody sees it: score and points include the changes by hand that count.

    States and messages stay as the grader found them.
    """

    by_hand: bool = False  # a person gave points
    changes: tuple[Change, ...] = ()  # one for each changed criterion, with all points that it then has
    comments: tuple[Change, ...] = ()  # a person's comments on tasks

    @property
    def points(self) -> Decimal:
        """The points that count: the score less lateness, never below 0; 0 unless graded."""
        return max(Decimal(0), Decimal(str(self.score or 0)) - self.taken_off)

    @property
    def taken_off(self) -> Decimal:
        """The points that lateness costs, as they were rounded."""
        return Decimal(str(self.late_penalty or 0))


def points_text(points: Decimal | float) -> str:
    """Write points as every platform reads them: ``18.5``, ``20``; no exponent, no comma."""
    text = f"{Decimal(str(points)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def points_number(points: Decimal) -> int | float:
    """Return points as a number for JSON: a whole number as an int."""
    return int(points) if points == int(points) else float(points)


_LONGEST = 4000  # characters of one message or note
_UNEXPLAINED = "Not all of its calls gave what was expected."


def score(
    exercise: Exercise,
    submission: Submission,
    run: Run,
    tests: Mapping[str, tuple[str, ...]],
    sources: Mapping[str, str],
) -> Result:
    """Score a run; if the report lacks one of the tests, the Result's status is ``grader-error``.

    ``tests`` is our own list: a criterion's id -> the node ids of its tests. ``sources`` are the texts of the
    test files by their part of a node id: they say what a failed line expects.
    """
    entries = {entry["nodeid"]: entry for entry in run.report.get("tests", ())}
    if run.fault or any(test not in entries for group in tests.values() for test in group):
        return unscored(exercise, submission, "grader-error", GRADER_FAULT)
    messages = Messages(exercise, submission, run, sources)
    criteria = tuple(_judge(c, [entries[test] for test in tests[c.id]], messages) for c in exercise.criteria)
    return Result(
        student=submission.student,
        exercise=exercise.name,
        status="graded",
        score=sum(criterion.points for criterion in criteria),
        max_score=exercise.points,
        late_penalty=0,
        criteria=criteria,
        diagnoses=(),
        flags=tuple(sorted({*submission.flags, *run.flags, *import_flags(submission, run)})),
        submission=received(exercise, submission),
        notes=tuple(
            clean(note, _LONGEST) for note in dict.fromkeys([*submission.notes, *code_notes(exercise, run)])
        ),
    )


def unscored(exercise: Exercise, submission: Submission, status: Status, message: str) -> Result:
    """Make the Result of a submission that was not graded; ``message`` tells its student why."""
    return Result(
        student=submission.student,
        exercise=exercise.name,
        status=status,
        score=None,
        max_score=exercise.points,
        late_penalty=None,
        criteria=tuple(_criterion(c, 0, "not-run", message) for c in exercise.criteria),
        diagnoses=(),
        flags=tuple(sorted(submission.flags)),
        submission=None if status == "missing" else received(exercise, submission),
        notes=tuple(clean(note, _LONGEST) for note in submission.notes),
    )


def received(exercise: Exercise, submission: Submission) -> Received:
    """Describe the files that came in, and when."""
    time = submission.submitted_at
    try:
        stamp = time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if time else ""
    except OverflowError:  # at the ends of the calendar there is no such time
        stamp = ""
    cells = {c.name if c.name.endswith(".py") else exercise.notebook for c in submission.cells}
    return Received(submission.digest, stamp, tuple(sorted({*submission.files, *submission.helpers, *cells})))


def _judge(criterion: Criterion, entries: list[Mapping[str, Any]], messages: Messages) -> CriterionResult:
    """Give a criterion its points if all of its tests passed; else its state and its message."""
    failed = [entry for entry in entries if not passed(entry)]
    if entries and not failed:
        return _criterion(criterion, criterion.points, "passed", "")
    state = messages.state(criterion, failed)
    try:
        message, kind = messages.of(criterion, failed)
    except Exception:  # noqa: BLE001 - a message that cannot be made must not cost the submission its score
        message, kind = _UNEXPLAINED if criterion.visibility == "visible" else "", ""
    return _criterion(criterion, 0, state, message, kind)


def _criterion(
    criterion: Criterion, points: int, state: State, message: str, kind: str = ""
) -> CriterionResult:
    text = clean(message, _LONGEST)
    return CriterionResult(
        criterion.id, criterion.task, criterion.visibility, points, criterion.points, state, text, kind
    )


def passed(entry: Mapping[str, Any]) -> bool:
    """True if a test's call stage ran and passed, and nothing around it failed."""
    stages = [entry.get(stage, {}).get("outcome") for stage in ("setup", "call", "teardown")]
    return entry.get("outcome") == "passed" and stages == ["passed"] * 3
