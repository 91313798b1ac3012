"""Grading many submissions on several workers: faults of one, early ends, worker processes."""

import os
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import small_lesson
from helpers.paths import ROOT, TESTS

from grader.base.errors import CourseError, GraderError
from grader.course.load import load_course
from grader.grading import workers
from grader.grading.diagnosis import table_path
from grader.grading.workers import Grader, by_student, grade_all
from grader.sandbox.host import choose_tier
from grader.sources.submission import Submission
from grader.suite.process import WorkerError, WorkerProcess

pytestmark = pytest.mark.slow


@pytest.fixture
def course(tmp_path):
    """A small course."""
    small_lesson.write(tmp_path)
    return load_course(tmp_path / "course.toml")


class Made(list):
    """The Graders that were made, and the threads that existed before."""

    def __init__(self):
        super().__init__()
        self.before = set(threading.enumerate())


@pytest.fixture
def graders(monkeypatch):
    """Collect the Graders that are made."""
    made = Made()

    class Noted(Grader):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(workers, "Grader", Noted)
    return made


def hand_in(course, student, **files):
    """Make a submission of the solution's files, some of them replaced."""
    folder = course.root / "solutions" / "sums"
    right = {name: (folder / name).read_bytes() for name in ("warm_up.py", "sums.py")}
    return Submission(student, right | {f"{name}.py": data for name, data in files.items()})


def start(course, submissions, jobs=1):
    """Start grading; return the iterator of results."""
    exercise = course.exercise(None)
    tier = choose_tier("auto", exercise.limits, unsafe=False)
    return grade_all(course, exercise, tier, submissions, jobs)


def ended(graders):
    """Return True if no thread is left and every worker's process has ended."""
    processes = [grader._worker._process for grader in graders if grader._worker]
    left = set(threading.enumerate()) - graders.before
    return not left and all(process.poll() is not None for process in processes)


def test_everyone_gets_one_result(course, graders):
    """Five submissions on two workers give five results; then both workers have ended."""
    class_ = [hand_in(course, f"s{number}") for number in range(4)]
    class_.append(hand_in(course, "half", warm_up=b"ANSWER = None\n"))
    found = {graded.submission.student: graded.result.score for graded in start(course, class_, jobs=2)}
    assert found == {"s0": 5, "s1": 5, "s2": 5, "s3": 5, "half": 4}
    assert len(graders) == 2
    assert ended(graders)


def test_all_attempts_of_a_student_share_the_time_of_two(course):
    """The latest is graded first; each has half of what is left, and in the end an attempt is not run."""
    small_lesson.edit(
        course.root,
        "course.toml",
        "points = 5\n",
        "points = 5\nlimits = { call_cpu_seconds = 0.2, submission_cpu_seconds = 0.2 }\n",
    )
    course = load_course(course.root / "course.toml")
    endless = b"while True:\n    pass\n"
    attempts = [replace(hand_in(course, "m", warm_up=endless, sums=endless), attempt=n) for n in range(30)]
    attempts[-2] = replace(hand_in(course, "m"), attempt=28)
    everything = [*start(course, [*attempts, hand_in(course, "zoe")])]
    found = [graded for graded in everything if graded.submission.student == "m"]
    assert [graded.submission.attempt for graded in found] == [*reversed(range(30))]
    scores = {graded.submission.attempt: graded.result.score for graded in found}
    assert scores[28] == 5
    assert [one.result.score for one in everything if one not in found] == [5]
    run = [graded for graded in found if graded.result.status == "graded"]
    assert 2 < len(run) < 20
    assert {graded.result.status for graded in found[len(run) :]} == {"unreadable"}
    assert sum(graded.cpu_seconds for graded in run) < 3 * 0.2


def test_nobody_can_foresee_the_order():
    """Students come in an order of chance, and the attempts of each in their own."""
    class_ = [Submission(f"s{number % 50}", {}, attempt=number // 50) for number in range(100)]
    orders = [by_student(class_) for _ in range(2)]
    assert orders[0] != orders[1]
    for order in orders:
        assert sorted(order, key=lambda some: int(some[0].student[1:])) == [class_[n::50] for n in range(50)]


def test_forged_frames_cost_the_trusted_side_little():
    """Whatever a submission sends, checking it takes half a second of CPU time at most."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise("contiguous_reservation")
    grader = Grader(course, exercise, choose_tier("auto", exercise.limits, unsafe=False))

    def spent():
        fields = Path(f"/proc/{grader._worker._process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + time.process_time()

    with closing(grader):
        right = (ROOT / "solutions/contiguous_reservation/hands_on.py").read_bytes()
        for name in ("costly", "dense"):
            data = (TESTS / f"hostile/channel_{name}_frames.py").read_bytes()
            before = spent()
            graded = grader.grade(Submission(name, {"hands_on.py": right, "reservation.py": data}))
            # The jailed child is the zygote's, not the worker's: its time is not in it.
            assert spent() - before < 0.75  # half a second, and what other programs on the machine add
            assert "tampered-channel" in graded.result.flags


def test_no_more_workers_than_submissions(course, graders):
    """Two submissions with eight jobs start two workers."""
    assert len([*start(course, [hand_in(course, "ada"), hand_in(course, "zoe")], jobs=8)]) == 2
    assert len(graders) == 2


def test_nothing_to_grade(course):
    """An empty class gives no results."""
    assert [*start(course, [])] == []


def test_closing_the_iterator_ends_the_workers(course, graders, monkeypatch):
    """A busy worker is ended at once, and no other is started."""
    monkeypatch.setattr(workers, "by_student", lambda some: [[one] for one in some])
    waiting = "limits = { call_wall_seconds = 60, submission_wall_seconds = 60 }"
    small_lesson.edit(course.root, "course.toml", "points = 5\n", f"points = 5\n{waiting}\n")
    course = load_course(course.root / "course.toml")
    slow = b"import time\ndef double(number):\n    time.sleep(60)\n"
    results = start(
        course, [hand_in(course, "ada"), *(hand_in(course, f"s{n}", sums=slow) for n in range(9))]
    )
    assert next(results).submission.student == "ada"
    before = time.monotonic()
    results.close()
    assert time.monotonic() - before < 30  # one call alone may take 60 seconds of waiting
    assert len(graders) == 1
    assert ended(graders)


def test_an_error_in_one_submission_changes_no_other(course, monkeypatch):
    """An exception becomes the fault of its submission; the others have their results."""
    score = workers.score

    def odd(exercise, submission, *rest):
        if submission.student == "bob":
            raise RuntimeError("no such thing")
        return score(exercise, submission, *rest)

    monkeypatch.setattr(workers, "score", odd)
    class_ = [hand_in(course, student) for student in ("ada", "bob", "zoe")]
    found = {graded.submission.student: graded for graded in start(course, class_)}
    assert found["bob"].result.status == "grader-error"
    assert found["bob"].result.score is None
    assert found["bob"].fault == "RuntimeError: no such thing"
    assert (found["ada"].result.score, found["zoe"].result.score) == (5, 5)
    assert found["ada"].fault == ""


@pytest.mark.parametrize(("deaths", "status"), [(1, "graded"), (2, "grader-error")])
def test_worker_that_dies(course, monkeypatch, deaths, status):
    """The submission is tried once more on a new worker; if that ends, too, it is a grader-error."""
    run, died = WorkerProcess.run, []

    def dying(worker, *rest):
        if len(died) < deaths:
            died.append(worker)
            worker.kill()
        return run(worker, *rest)

    monkeypatch.setattr(WorkerProcess, "run", dying)
    first, second = start(course, [hand_in(course, "ada"), hand_in(course, "zoe")])
    assert (first.result.status, second.result.status) == (status, "graded")
    assert first.fault == ("" if status == "graded" else "a worker of the grader ended unexpectedly (-9)")
    assert len({id(worker) for worker in died}) == deaths


def test_an_error_in_a_thread_ends_the_run(course, monkeypatch):
    """An unexpected error in a thread is a GraderError; nothing waits forever."""

    class Broken(Grader):
        def grade(self, _submission, _share=1.0):
            raise MemoryError

    monkeypatch.setattr(workers, "Grader", Broken)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with pytest.raises(GraderError, match=r"A worker of the grader failed \(MemoryError\); run it again"):
        list(start(course, [hand_in(course, "ada"), hand_in(course, "zoe")]))


def test_damaged_table_of_diagnoses(course):
    """A damaged diagnoses.json is a CourseError."""
    table_path(course, course.exercise(None)).write_text("{")
    with pytest.raises(CourseError) as caught:
        next(start(course, [hand_in(course, "ada")]))
    assert str(caught.value) == "solutions/sums/diagnoses.json is damaged; make it again with: grader build."


def test_an_error_at_the_start_ends_all_workers(course, graders, monkeypatch):
    """If one of two workers cannot start, the error is raised and the other one ends."""
    group_tests, calls = workers.group_tests, []

    def odd(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise ValueError("odd")
        return group_tests(*arguments)

    monkeypatch.setattr(workers, "group_tests", odd)
    with pytest.raises(ValueError, match="odd"):
        next(start(course, [hand_in(course, "ada"), hand_in(course, "zoe")], jobs=2))
    assert ended(graders)


def test_worker_error_is_a_grader_error():
    """The command line prints a WorkerError as one sentence."""
    assert issubclass(WorkerError, GraderError)
