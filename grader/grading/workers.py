"""Grade many submissions on several workers, and yield each result as soon as it is there.

A worker that ends is replaced, and its submission is tried once more. If that fails too, this submission's
status is ``grader-error``, and the others are graded. All workers end when the caller stops asking.
"""

import queue
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from grader.base.errors import GraderError
from grader.base.files import read_text
from grader.bundle.draw import load_slot_map
from grader.course.model import Course, Exercise, test_file
from grader.grading.diagnosis import diagnose, known_constants, load_answer_table, reflect
from grader.grading.pictures import pictures
from grader.grading.readings import has_second_reading, joined, parts_with_more, read_at_end, tasks_told
from grader.grading.score import GRADER_FAULT, Result, score, unscored
from grader.sandbox.tiers import Tier
from grader.sources.submission import Submission
from grader.suite.memory import Shared
from grader.suite.notebook import Notebook, as_it_ends, as_jupyter_runs_it
from grader.suite.process import WorkerProcess, group_tests
from grader.suite.run import Run

# Scoring uses Python's parser to make sentences. In two threads at once the parser can fail ("recursion depth
# mismatch", CPython 3.11 and 3.12).
_scoring = threading.Lock()

_LEAST_SHARE = 0.02  # with less of its seconds an attempt is not run


@dataclass(frozen=True)
class Graded:
    """One submission's result, and the report that it was made from."""

    submission: Submission
    result: Result
    report: dict[str, Any]
    cpu_seconds: float  # of the submission's own process
    fault: str = ""  # what failed in the grader itself, for the instructor
    spent: Mapping[str, float] = field(default_factory=dict)  # CPU seconds by stage (``run.stages``)
    peak_kib: int = 0  # the most memory in KiB that a process of the submission held


def ungraded(exercise: Exercise, submission: Submission, fault: str) -> Graded:
    """Return the result of a submission that could not be graded because of a fault of the grader."""
    return Graded(submission, unscored(exercise, submission, "grader-error", GRADER_FAULT), {}, 0.0, fault)


class Grader:
    """Grades submissions of one exercise with one worker."""

    def __init__(self, course: Course, exercise: Exercise, tier: Tier, shared: Shared | None = None) -> None:
        self.course, self.exercise, self.tier = course, exercise, tier
        self._shared = shared or Shared()
        # Scoring reads lines of visible tests, to say what they expect.
        files = {test_file(course, exercise, c) for c in exercise.criteria if c.visibility == "visible"}
        root = course.root / "tests"
        names = [str(file.relative_to(root)) for file in files]
        self._sources = {name: read_text(root / name, f"tests/{name}") for name in names}
        self._table = load_answer_table(course, exercise)
        self._slot_map = load_slot_map(course.root / "exercises" / exercise.name)
        self._constants = known_constants(self._table, exercise)
        self._worker: WorkerProcess | None = self._start()
        self.stopped = False
        try:
            self._tests = group_tests(exercise, self._worker.tests)
        except Exception:
            self.close()
            raise

    def _start(self) -> WorkerProcess:
        return WorkerProcess(self.course, self.exercise, self.tier, self._constants, shared=self._shared)

    def grade_attempts(self, attempts: Sequence[Submission]) -> Iterator[Graded]:
        """Grade one student's attempts, the latest first, within twice the seconds of a single one.

        Each may use half of what is left, so that one that hangs leaves time for the others. When hardly
        anything is left, the rest is not run.
        """
        left = 2.0
        limits = self.exercise.limits
        for submission in reversed(attempts):
            if left < _LEAST_SHARE:
                why = "The other attempts used up the time for grading."
                yield Graded(submission, unscored(self.exercise, submission, "unreadable", why), {}, 0.0)
                continue
            begun = time.monotonic()
            graded = self.grade(submission, min(1.0, left / 2))
            used = time.monotonic() - begun
            left -= max(
                graded.cpu_seconds / limits.submission_cpu_seconds, used / limits.submission_wall_seconds
            )
            yield graded

    def grade(self, submission: Submission, share: float = 1.0) -> Graded:
        """Run the suite within this share of a submission's seconds; an error becomes ``grader-error``."""
        begun = time.thread_time()
        try:
            graded = self._grade(submission, share)
            return replace(graded, spent={**graded.spent, "points": time.thread_time() - begun})
        except Exception as error:  # noqa: BLE001 - the other submissions are graded all the same
            return ungraded(self.exercise, submission, f"{type(error).__name__}: {error}")

    def _grade(self, submission: Submission, share: float) -> Graded:
        if not (submission.files or submission.cells):
            reasons = dict.fromkeys(submission.problems.values())
            why = "\n".join(reasons) or "Nothing that could be graded was handed in."
            return Graded(submission, unscored(self.exercise, submission, "unreadable", why), {}, 0.0)
        notebook = as_jupyter_runs_it(submission.cells, self.exercise) if submission.cells else None
        run = self._run(submission, share, notebook)
        result = self._score(submission, run)
        if notebook and has_second_reading(self.exercise, notebook, run, result):
            second = self._run(submission, share, as_it_ends(notebook))
            if parts := parts_with_more(result, self._score(submission, second)):
                run = joined(self.exercise, run, second, parts)
                result = self._score(submission, run)
                if tasks := tasks_told(parts):
                    result = replace(result, notes=(*result.notes, read_at_end(tasks)))
        if result.status == "graded":
            with _scoring:
                drawn = pictures(self._slot_map, self.exercise, result, run, self._tests, self._sources)
            result = replace(result, diagnoses=diagnose(self._table, run.answers, run.seen), pictures=drawn)
            if said := reflect(self._table, run.seen):
                notes = (*result.notes, said.sentence)
                result = replace(result, notes=notes, prediction=said.name)
        fault = run.fault or "the report lacks a test" if result.status == "grader-error" else ""
        spent = {**run.spent, "submission": run.cpu_seconds}
        return Graded(submission, result, dict(run.report), run.cpu_seconds, fault, spent, run.peak_kib)

    def _score(self, submission: Submission, run: Run) -> Result:
        with _scoring:
            return score(self.exercise, submission, run, self._tests, self._sources)

    def _run(self, submission: Submission, share: float, notebook: Notebook | None) -> Run:
        files = {**submission.helpers, **submission.files}
        run = Run(fault="not run")
        for _attempt in range(2):
            try:
                self._worker = self._worker or self._start()
                if self.stopped:
                    break
                run = self._worker.run(files, share, notebook)
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


def grade_all(  # noqa: PLR0917 - what to grade, and how
    course: Course,
    exercise: Exercise,
    tier: Tier,
    submissions: Sequence[Submission],
    jobs: int,
    shared: Shared | None = None,
) -> Iterator[Graded]:
    """Grade submissions on at most ``jobs`` workers; yield results in the order in which they are done.

    Without ``shared`` the workers remember for each other what they learn in this call alone. Raises
    CourseError if the tests cannot be collected, or are not those that earn points.
    """
    students = by_student(submissions)
    shared = shared or Shared()
    graders = _start(lambda: Grader(course, exercise, tier, shared), max(1, min(jobs, len(students))))
    waiting: queue.SimpleQueue[Sequence[Submission]] = queue.SimpleQueue()
    done: queue.SimpleQueue[Graded | BaseException] = queue.SimpleQueue()
    for attempts in students:
        waiting.put(attempts)

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


def by_student(submissions: Iterable[Submission]) -> list[list[Submission]]:
    """Return each student's attempts in their order; the order of the students is random.

    Two submissions that work together by timing then do not know whether they run side by side.
    """
    students: dict[str, list[Submission]] = {}
    for submission in submissions:
        students.setdefault(submission.student, []).append(submission)
    return random.SystemRandom().sample([*students.values()], len(students))


def _work(
    grader: Grader,
    waiting: queue.SimpleQueue[Sequence[Submission]],
    done: queue.SimpleQueue[Graded | BaseException],
) -> None:
    """Grade until no submission waits; pass an error on, or the caller would wait forever."""
    with closing(grader):
        while not grader.stopped:
            try:
                attempts = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                for graded in grader.grade_attempts(attempts):
                    done.put(graded)
            except BaseException as error:
                done.put(error)
                raise


def _start(make: Callable[[], Grader], count: int) -> list[Grader]:
    """Start workers side by side: each takes a third of a second to collect the tests."""
    with ThreadPoolExecutor(count) as threads:
        started = [threads.submit(make) for _ in range(count)]
    errors = [error for one in started if (error := one.exception())]
    for one in started if errors else ():
        if not one.exception():
            one.result().close()
    if errors:
        raise errors[0]
    return [one.result() for one in started]
