"""Many submissions -> their Results: as many workers as processors, each result handed over as it is done.

A worker that ends is replaced and its submission tried once more, alone; if that fails too, it is a fault
of the grader for this one submission, and the others go on. Workers end with whoever asks for the results.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from grader.base.errors import GraderError
from grader.bundle.wording import grader_fault
from grader.course.model import Course, Exercise, test_file
from grader.grading.diagnosis import diagnose, read_table
from grader.grading.score import Result, score, unscored
from grader.sandbox.tiers import Tier
from grader.sources.submission import Submission
from grader.suite.process import WorkerProcess, group_tests
from grader.suite.run import Run

# Sentences are made with Python's own parser, which counts its depth for the whole process: in two threads at
# once it fails now and then ("recursion depth mismatch", CPython 3.11 and 3.12).
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Graded:
    """One submission's result and the report that it was made from; CPU seconds of its own process.

    ``fault`` says, for the instructor, what failed in the grader itself.
    """

    submission: Submission
    result: Result
    report: dict[str, Any]
    cpu_seconds: float
    fault: str = ""


def ungraded(exercise: Exercise, submission: Submission, fault: str) -> Graded:
    """What there is of a submission that could not be graded for a fault of the grader."""
    return Graded(submission, unscored(exercise, submission, "grader-error", grader_fault()), {}, 0.0, fault)


class Grader:
    """Grades submissions of one exercise with one worker."""

    def __init__(self, course: Course, exercise: Exercise, tier: Tier) -> None:
        self.course, self.exercise, self.tier = course, exercise, tier
        # Only visible tests' lines are ever read, to say what they expect.
        files = {test_file(course, exercise, c) for c in exercise.criteria if c.visibility == "visible"}
        root = course.root / "tests"
        self._sources = {str(file.relative_to(root)): file.read_text(encoding="utf-8") for file in files}
        self._table = read_table(course, exercise)
        self._worker: WorkerProcess | None = WorkerProcess(course, exercise, tier)
        self.stopped = False
        try:
            self._tests = group_tests(exercise, self._worker.tests)
        except Exception:
            self.close()
            raise

    def grade(self, submission: Submission) -> Graded:
        """Run the suite on a submission and score it; trouble with one costs no other its result."""
        try:
            return self._grade(submission)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
            return ungraded(self.exercise, submission, f"{type(error).__name__}: {error}")

    def _grade(self, submission: Submission) -> Graded:
        if not submission.files:
            return Graded(submission, self._nothing_to_run(submission), {}, 0.0)
        run = self._run(submission)
        with _one_at_a_time:
            result = score(self.exercise, submission, run, self._tests, self._sources)
        if result.status == "graded":
            result = replace(result, diagnoses=diagnose(self._table, run.answers))
        fault = run.fault or "the report lacks a test" if result.status == "grader-error" else ""
        return Graded(submission, result, dict(run.report), run.cpu_seconds, fault)

    def _nothing_to_run(self, submission: Submission) -> Result:
        reasons = dict.fromkeys(submission.problems.values()) or {
            "Nothing that could be graded was handed in.": None
        }
        return unscored(self.exercise, submission, "unreadable", "\n".join(reasons))

    def _run(self, submission: Submission) -> Run:
        files = {**submission.helpers, **submission.files}
        run = Run(fault="not run")
        for _attempt in range(2):
            try:
                self._worker = self._worker or WorkerProcess(self.course, self.exercise, self.tier)
                if self.stopped:
                    break
                run = self._worker.run(files)
            except (GraderError, OSError) as error:
                run, self._worker = Run(fault=str(error)), None
            if not run.fault:
                break
        return run

    def stop(self) -> None:
        """End the worker at once, whatever it is at; to be called while another thread grades."""
        self.stopped = True
        if worker := self._worker:
            worker.kill()

    def close(self) -> None:
        """End the worker."""
        if self._worker:
            self._worker.close()


def grade_all(
    course: Course, exercise: Exercise, tier: Tier, submissions: Sequence[Submission], jobs: int
) -> Iterator[Graded]:
    """Grade submissions on ``jobs`` workers; results come in the order in which they are done.

    Raises:
        CourseError: The tests cannot be collected, or are not those that earn points.
    """
    crew = _start(lambda: Grader(course, exercise, tier), max(1, min(jobs, len(submissions))))
    waiting: queue.SimpleQueue[Submission] = queue.SimpleQueue()
    done: queue.SimpleQueue[Graded | BaseException] = queue.SimpleQueue()
    for submission in submissions:
        waiting.put(submission)

    threads = [threading.Thread(target=_work, args=(grader, waiting, done), daemon=True) for grader in crew]
    for thread in threads:
        thread.start()
    try:
        for _submission in submissions:
            yield _graded(done.get())
    except BaseException:  # an interrupt, or nobody wants the rest
        for grader in crew:
            grader.stop()
        raise
    finally:
        for thread in threads:
            thread.join()


def _work(
    grader: Grader,
    waiting: queue.SimpleQueue[Submission],
    done: queue.SimpleQueue[Graded | BaseException],
) -> None:
    """Grade what is waiting until nothing is; what goes wrong is told, or it would be waited for in vain."""
    with closing(grader):
        while not grader.stopped:
            try:
                submission = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                done.put(grader.grade(submission))
            except BaseException as error:
                done.put(error)
                raise


def _graded(one: Graded | BaseException) -> Graded:
    if isinstance(one, BaseException):
        raise GraderError(f"A worker of the grader failed ({type(one).__name__}); run it again.") from one
    return one


def _start(make: Callable[[], Grader], count: int) -> list[Grader]:
    """Start workers side by side, since each takes a third of a second to collect."""
    crew: list[Grader] = []
    errors: list[Exception] = []

    def start() -> None:
        try:
            crew.append(make())
        except Exception as error:  # noqa: BLE001 - it is raised again below, for the caller to see
            errors.append(error)

    threads = [threading.Thread(target=start) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        for grader in crew:
            grader.close()
        raise errors[0]
    return crew
