"""Grade many submissions on several workers, and yield each result as soon as it is there.

A worker that ends is replaced, and its submission is tried once more. If that fails too, this submission's
status is ``grader-error``, and the others are graded. All workers end when the caller stops asking.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from grader.base.errors import GraderError
from grader.base.files import read_text
from grader.bundle.draw import load_slot_map
from grader.bundle.wording import grader_fault
from grader.course.model import Course, Exercise, test_file
from grader.grading.diagnosis import diagnose, load_answer_table
from grader.grading.pictures import pictures
from grader.grading.score import Result, score, unscored
from grader.sandbox.tiers import Tier
from grader.sources.submission import Submission
from grader.suite.process import WorkerProcess, group_tests
from grader.suite.run import Run

# Scoring uses Python's parser to make sentences. In two threads at once the parser can fail ("recursion depth
# mismatch", CPython 3.11 and 3.12).
_scoring = threading.Lock()


@dataclass(frozen=True)
class Graded:
    """One submission's result, the report it was made from, and the CPU seconds of the submission's process.

    ``fault`` tells the instructor what failed in the grader itself.
    """

    submission: Submission
    result: Result
    report: dict[str, Any]
    cpu_seconds: float
    fault: str = ""


def ungraded(exercise: Exercise, submission: Submission, fault: str) -> Graded:
    """Return the result of a submission that could not be graded because of a fault of the grader."""
    return Graded(submission, unscored(exercise, submission, "grader-error", grader_fault()), {}, 0.0, fault)


class Grader:
    """Grades submissions of one exercise with one worker."""

    def __init__(self, course: Course, exercise: Exercise, tier: Tier) -> None:
        self.course, self.exercise, self.tier = course, exercise, tier
        # Scoring reads lines of visible tests, to say what they expect.
        files = {test_file(course, exercise, c) for c in exercise.criteria if c.visibility == "visible"}
        root = course.root / "tests"
        names = [str(file.relative_to(root)) for file in files]
        self._sources = {name: read_text(root / name, f"tests/{name}") for name in names}
        self._table = load_answer_table(course, exercise)
        self._slot_map = load_slot_map(course.root / "exercises" / exercise.name)
        self._worker: WorkerProcess | None = WorkerProcess(course, exercise, tier)
        self.stopped = False
        try:
            self._tests = group_tests(exercise, self._worker.tests)
        except Exception:
            self.close()
            raise

    def grade(self, submission: Submission) -> Graded:
        """Run the suite on a submission and score it; any error becomes a ``grader-error`` of this one."""
        try:
            return self._grade(submission)
        except Exception as error:  # noqa: BLE001 - the other submissions are graded all the same
            return ungraded(self.exercise, submission, f"{type(error).__name__}: {error}")

    def _grade(self, submission: Submission) -> Graded:
        if not submission.files:
            reasons = dict.fromkeys(submission.problems.values())
            why = "\n".join(reasons) or "Nothing that could be graded was handed in."
            return Graded(submission, unscored(self.exercise, submission, "unreadable", why), {}, 0.0)
        run = self._run(submission)
        with _scoring:
            result = score(self.exercise, submission, run, self._tests, self._sources)
            if result.status == "graded":
                drawn = pictures(self._slot_map, self.exercise, result, run, self._tests, self._sources)
                result = replace(result, diagnoses=diagnose(self._table, run.answers), pictures=drawn)
        fault = run.fault or "the report lacks a test" if result.status == "grader-error" else ""
        return Graded(submission, result, dict(run.report), run.cpu_seconds, fault)

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
        """End the worker at once; may be called while another thread grades."""
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
    """Grade submissions on at most ``jobs`` workers; yield results in the order in which they are done.

    Raises:
        CourseError: The tests cannot be collected, or are not those that earn points.
    """
    graders = _start(lambda: Grader(course, exercise, tier), max(1, min(jobs, len(submissions))))
    waiting: queue.SimpleQueue[Submission] = queue.SimpleQueue()
    done: queue.SimpleQueue[Graded | BaseException] = queue.SimpleQueue()
    for submission in submissions:
        waiting.put(submission)

    threads = [
        threading.Thread(target=_work, args=(grader, waiting, done), daemon=True) for grader in graders
    ]
    for thread in threads:
        thread.start()
    try:
        for _submission in submissions:
            graded = done.get()
            if isinstance(graded, BaseException):
                error = type(graded).__name__
                text = f"A worker of the grader failed ({error}); run it again."
                raise GraderError(text) from graded  # noqa: TRY301 - the other workers have to end, too
            yield graded
    except BaseException:  # an error, an interrupt, or the caller stops asking
        for grader in graders:
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
    """Grade until no submission waits; pass an error on, or the caller would wait forever."""
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


def _start(make: Callable[[], Grader], count: int) -> list[Grader]:
    """Start workers side by side: each takes a third of a second to collect the tests."""
    graders: list[Grader] = []
    errors: list[Exception] = []

    def start() -> None:
        try:
            graders.append(make())
        except Exception as error:  # noqa: BLE001 - raised again below
            errors.append(error)

    threads = [threading.Thread(target=start) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        for grader in graders:
            grader.close()
        raise errors[0]
    return graders
