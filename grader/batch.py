"""Many submissions -> their Results: as many workers as processors, each result handed over as it is done.

A worker that ends is replaced and its submission tried once more, alone; if that fails too, it is a fault
of the grader for this one submission, and the others go on.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.course import Course, Exercise
from grader.diagnosis import diagnose, read_table
from grader.errors import GraderError
from grader.intake.submission import Submission
from grader.sandbox.tiers import Tier
from grader.scoring import Result, score, unscored
from grader.suite.crew import WorkerError, WorkerProcess, grouped, test_file
from grader.suite.run import Run
from grader.wording import grader_fault


@dataclass(frozen=True)
class Graded:
    """One submission's result and the report that it was made from; CPU seconds of its own process."""

    submission: Submission
    result: Result
    report: dict[str, Any]
    cpu_seconds: float


class Grader:
    """Grades submissions of one exercise with one worker."""

    def __init__(self, course: Course, exercise: Exercise, tier: Tier) -> None:
        self.course, self.exercise, self.tier = course, exercise, tier
        self._worker: WorkerProcess | None = WorkerProcess(course, exercise, tier)
        self._tests = grouped(exercise, self._worker.tests)
        # Only visible tests' lines are ever read, to say what they expect.
        files = {test_file(course, exercise, c) for c in exercise.criteria if c.visibility == "visible"}
        root = course.root / "tests"
        self._sources = {str(file.relative_to(root)): file.read_text(encoding="utf-8") for file in files}
        self._table = read_table(course, exercise)

    def grade(self, submission: Submission) -> Graded:
        """Run the suite on a submission and score it."""
        if not submission.files:
            return Graded(submission, self._nothing_to_run(submission), {}, 0.0)
        run = self._run(submission)
        result = score(self.exercise, submission, run, self._tests, self._sources)
        if result.status == "graded":
            result = replace(result, diagnoses=diagnose(self._table, run.answers))
        return Graded(submission, result, dict(run.report), run.cpu_seconds)

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
                run = self._worker.run(files)
            except (WorkerError, GraderError, OSError) as error:
                run, self._worker = Run(fault=str(error)), None
            if not run.fault:
                break
        return run

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
    waiting: queue.SimpleQueue[Submission | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[Graded] = queue.SimpleQueue()
    for item in (*submissions, *[None] * len(crew)):
        waiting.put(item)

    def work(grader: Grader) -> None:
        while (submission := waiting.get()) is not None:
            try:
                graded = grader.grade(submission)
            except Exception:  # noqa: BLE001 - one submission's trouble must not cost the others theirs
                result = unscored(exercise, submission, "grader-error", grader_fault())
                graded = Graded(submission, result, {}, 0.0)
            done.put(graded)

    threads = [threading.Thread(target=work, args=(grader,), daemon=True) for grader in crew]
    try:
        for thread in threads:
            thread.start()
        for _submission in submissions:
            yield done.get()
    finally:
        for _thread in threads:
            waiting.put(None)
        for grader in crew:
            grader.close()


def _start(make: Callable[[], Grader], count: int) -> list[Grader]:
    """Start workers side by side, since each takes a third of a second to collect."""
    crew: list[Grader] = []
    errors: list[BaseException] = []

    def start() -> None:
        try:
            crew.append(make())
        except (GraderError, WorkerError, OSError) as error:
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
