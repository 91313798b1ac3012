"""A run's report and the course's own list of criteria -> a Result of integer points and stated states.

Only a call stage that passed counts, for every test that our own list names; whatever else a report holds,
or fails to hold, earns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache
from typing import Any, Literal, cast

from grader.base.text import clean
from grader.bundle import display, wording
from grader.bundle.failure import expected_at
from grader.course.model import Criterion, Exercise, Visibility
from grader.grading.explain import failed_import, failed_test
from grader.sources.submission import Submission
from grader.suite.run import Exchange, Run

Status = Literal["graded", "missing", "unreadable", "grader-error"]
State = Literal["passed", "needs-work", "not-started", "not-run", "stopped"]


@dataclass(frozen=True)
class CriterionResult:
    """What one criterion earned.

    ``message`` is plain text for the student, one sentence a line, empty for a passed criterion; for a
    hidden one it never says more than the state does.
    """

    id: str
    task: str
    visibility: Visibility
    points: int
    max_points: int
    status: State
    message: str


@dataclass(frozen=True)
class Diagnosis:
    """What the student seems to believe: a misconception's id and its fixed sentence, without values."""

    task: str
    misconception: str
    explanation: str


@dataclass(frozen=True)
class Received:
    """Which bytes were graded: their digest, when they came (ISO 8601, UTC, or empty), the files' names."""

    digest: str
    submitted_at: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """What ``result.json`` holds, in this order.

    ``score`` is the sum of the earned points before ``late_penalty`` (points, 0 when nothing is taken off);
    both are None unless ``status`` is ``graded``. Of a submission that could not be read, every criterion
    is ``not-run`` and its message says why. ``notes`` tell the student what was taken and what was not.
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


MOST_SENTENCES = 3
_LONGEST = 4000
"""Characters of one message or note; whatever went into it, nothing in it acts unseen."""
_expected_at = lru_cache(maxsize=4096)(expected_at)
_PRINTED = 240
_UNEXPLAINED = "Not all of its calls gave what was expected."


def score(
    exercise: Exercise,
    submission: Submission,
    run: Run,
    tests: Mapping[str, tuple[str, ...]],
    sources: Mapping[str, str],
) -> Result:
    """The Result of a run; ``tests`` is our own list, a criterion's id -> the node ids of its tests.

    ``sources`` holds the test files' texts, by their part of a node id, from which a failing line is read.
    A report that lacks one of the tests is the grader's fault, and costs no points.
    """
    entries = {entry["nodeid"]: entry for entry in run.report.get("tests", ())}
    if run.fault or any(test not in entries for group in tests.values() for test in group):
        return unscored(exercise, submission, "grader-error", wording.grader_fault())
    told = _Told(exercise, submission, run, sources)
    criteria = tuple(told.criterion(c, [entries[test] for test in tests[c.id]]) for c in exercise.criteria)
    return Result(
        student=submission.student,
        exercise=exercise.name,
        status="graded",
        score=sum(criterion.points for criterion in criteria),
        max_score=exercise.points,
        late_penalty=0,
        criteria=criteria,
        diagnoses=(),
        flags=tuple(sorted({*submission.flags, *run.flags})),
        submission=received(submission),
        notes=tuple(clean(note, _LONGEST) for note in submission.notes),
    )


def unscored(exercise: Exercise, submission: Submission, status: Status, message: str) -> Result:
    """The Result of a submission that was not graded; ``message`` is a sentence for its student."""
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
        submission=None if status == "missing" else received(submission),
        notes=tuple(clean(note, _LONGEST) for note in submission.notes),
    )


def received(submission: Submission) -> Received:
    """Which bytes came in, and when."""
    time = submission.submitted_at
    try:
        stamp = time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if time else ""
    except OverflowError:  # at the ends of the calendar there is no such time
        stamp = ""
    return Received(submission.digest, stamp, tuple(sorted((*submission.files, *submission.helpers))))


def _criterion(criterion: Criterion, points: int, state: State, message: str) -> CriterionResult:
    """One criterion's line of a Result."""
    text = clean(message, _LONGEST)
    return CriterionResult(
        criterion.id, criterion.task, criterion.visibility, points, criterion.points, state, text
    )


def _passed(entry: Mapping[str, Any]) -> bool:
    """Whether a test provably passed: its call stage ran and passed, and nothing around it failed."""
    stages = [entry.get(stage, {}).get("outcome") for stage in ("setup", "call", "teardown")]
    return entry.get("outcome") == "passed" and stages == ["passed"] * 3


class _Told:
    """One run, with what may be told of it."""

    def __init__(
        self, exercise: Exercise, submission: Submission, run: Run, sources: Mapping[str, str]
    ) -> None:
        self.exercise, self.submission, self.sources = exercise, submission, sources
        self.latest: dict[str, Exchange] = {
            exchange.test: exchange for exchange in run.exchanges if exchange.test
        }
        self.imports = {f"{e.request['module']}.py": e for e in run.exchanges if not e.test}

    def criterion(self, criterion: Criterion, entries: list[Mapping[str, Any]]) -> CriterionResult:
        """All of the class's tests passed, or its points are not earned."""
        failed = [entry for entry in entries if not _passed(entry)]
        if entries and not failed:
            return _criterion(criterion, criterion.points, "passed", "")
        state = cast("State", wording.worst([_state(entry) for entry in failed]) or "not-started")
        try:
            message = self._message(criterion, failed)
        except Exception:  # noqa: BLE001 - what is said of a submission must not decide whether it is scored
            message = _UNEXPLAINED if criterion.visibility == "visible" else ""
        return _criterion(criterion, 0, state, message)

    def _message(self, criterion: Criterion, failed: list[Mapping[str, Any]]) -> str:
        """What a student reads: of a hidden criterion no more than its file's state, which is no secret."""
        file = self.exercise.task(criterion.task).file
        if file in self.submission.problems:
            return self.submission.problems[file]
        if file not in self.submission.files:
            return wording.missing_file(file)
        if not self.submission.files[file].strip():
            return wording.empty_file(file)
        if self.imports[file].verdict["kind"] != "loaded":
            return failed_import(file, self.imports[file], self.exercise.limits)
        if criterion.visibility == "hidden":
            return ""
        if any(_state(entry) == "stopped" for entry in failed):
            # The rest of the class was not run: it says nothing.
            failed = [entry for entry in failed if _state(entry) == "stopped"][:1]
        sentences = dict.fromkeys(self._sentence(entry) for entry in failed)
        shown = [*sentences][:MOST_SENTENCES]
        if more := len(sentences) - len(shown):
            shown.append(f"{more} more {'call is' if more == 1 else 'calls are'} not right yet.")
        return "\n".join([*shown, *self._printed(failed[0])])

    def _sentence(self, entry: Mapping[str, Any]) -> str:
        exchange = self.latest.get(entry["nodeid"])
        if exchange is None:
            return "A test failed before it called anything."
        source = self.sources.get(entry["nodeid"].partition("::")[0], "")
        line = entry["call"].get("crash", {}).get("lineno", 0)
        file = f"{exchange.request['module']}.py"
        return failed_test(
            exchange,
            entry["metadata"]["failure"],
            self.exercise.limits,
            _expected_at(source, line),
            self.exercise.functions.get(file, ()),
        )

    def _printed(self, entry: Mapping[str, Any]) -> list[str]:
        """What the first failed call printed, which is often what its author wants to see."""
        exchange = self.latest.get(entry["nodeid"])
        printed = exchange.aside.get("printed", "") if exchange else ""
        if not printed.strip():
            return []
        return [f"It printed: {display.display_text(printed, _PRINTED)}"]


def _state(entry: Mapping[str, Any]) -> State:
    """The state that one failed test speaks for."""
    failure = entry.get("metadata", {}).get("failure", {})
    if failure.get("verdict") == "stopped":
        return "stopped"
    if failure.get("verdict") in ("not-loaded", "missing", "uncallable"):
        return "not-run"
    return "not-started" if failure.get("error") == "NotImplementedError" else "needs-work"
