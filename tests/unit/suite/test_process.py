"""Our own list of tests, and worker processes that end or hang."""

import os
import signal
import sys
from contextlib import closing

import pytest
from helpers import jail, sums_course

from grader.base.errors import CourseError
from grader.course.model import class_id
from grader.suite import process as process_module
from grader.suite.process import WorkerError, WorkerProcess, group_tests

pytestmark = pytest.mark.slow


@pytest.fixture
def course(tmp_path):
    """The course of sums."""
    return sums_course.course_at(tmp_path)


@pytest.fixture
def exercise(course):
    """Its exercise."""
    return course.exercise("sums")


def started(course):
    """Start a worker for the course."""
    with jail.opened() as zygote:
        tier = zygote.tier
    return WorkerProcess(course, course.exercise("sums"), tier)


def test_file_and_class_of_a_criterion(course, exercise):
    """They follow from visibility, exercise and the task's file."""
    by_id = {criterion.id: criterion for criterion in exercise.criteria}
    assert (
        process_module.test_file(course, exercise, by_id["add-any"])
        == course.root / "tests/hidden/sums/test_lab.py"
    )
    assert class_id(exercise, by_id["add-any"]) == "hidden/sums/test_lab.py::TestAny"
    assert class_id(exercise, by_id["facts-half"]) == "visible/sums/test_facts.py::TestHalf"


def test_tests_are_grouped_by_criterion(exercise):
    """Each criterion has the tests of its class, in order."""
    tests = sums_course.TESTS
    assert group_tests(exercise, tests) == {
        "facts-half": (tests[0],),
        "add-two": (tests[1], tests[2]),
        "add-any": (tests[6], tests[7]),
        "mean-list": (tests[3], tests[4], tests[5]),
    }


def test_a_class_without_tests(exercise):
    """A criterion without tests is an error, even if another class begins with the same name."""
    tests = [test.replace("TestAny::", "TestAnything::") for test in sums_course.TESTS]
    with pytest.raises(CourseError, match=r"add-any\.tests: there is no test in tests/hidden/.*::TestAny;"):
        group_tests(exercise, tests)


def test_a_test_without_points(exercise):
    """A test that belongs to no criterion is an error."""
    with pytest.raises(CourseError, match=r"tests/visible/x\.py::TestX::test: its class earns no points"):
        group_tests(exercise, [*sums_course.TESTS, "visible/x.py::TestX::test"])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("import lab\n", "import lab\nimport no_such_module\n", "no_such_module"),
        ("import lab\n", "from lab import add\n", "was read while tests were collected"),
        ("class TestAny", "class TestAny(", "SyntaxError"),
    ],
)
def test_tests_that_cannot_be_collected(tmp_path, old, new, said):
    """A file that cannot be collected is a CourseError with the first reason."""
    course = sums_course.course_at(tmp_path, hidden=sums_course.HIDDEN.replace(old, new))
    with pytest.raises(CourseError, match=rf"(?s)could not be collected: hidden/sums/test_lab\.py: .*{said}"):
        started(course)


def test_a_worker_that_ends(course):
    """A killed worker is a WorkerError with the signal, also when it is asked again."""
    with closing(started(course)) as worker:
        os.kill(worker._process.pid, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(WorkerError, match=r"ended unexpectedly \(-9\)$"):
                worker.run(sums_course.RIGHT)


def test_the_tail_of_a_workers_stderr_is_in_the_error(course, monkeypatch):
    """The last 200 characters, on one line, with control characters shown as escapes."""
    script = "import sys; sys.exit('x' * 9_000 + '\\n  Key\\x1bError:\\n  no answer')"
    monkeypatch.setattr(process_module.sys, "executable", _program(course.root / "python", script))
    with pytest.raises(WorkerError) as caught:
        started(course)
    head, _, tail = str(caught.value).partition("; its last error output: ")
    assert head == "a worker of the grader ended unexpectedly (1)"
    assert len(tail) == 200
    assert tail.endswith(r"xxx Key\x1bError: no answer")


def _program(path, script):
    """A program that runs this script and ignores its arguments."""
    path.write_text(f"#!{sys.executable}\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_kill(course):
    """After ``kill``, ``run`` raises WorkerError."""
    with closing(started(course)) as worker:
        worker.kill()
        with pytest.raises(WorkerError):
            worker.run(sums_course.RIGHT)


def test_a_worker_that_hangs(course, monkeypatch):
    """A worker that does not answer in time is killed."""
    monkeypatch.setattr(process_module, "_ENDING_SECONDS", 0.1)
    worker = started(course)
    os.kill(worker._process.pid, signal.SIGSTOP)
    worker._patience = 0.2
    with pytest.raises(WorkerError):
        worker.run(sums_course.RIGHT)
    assert worker._process.returncode == -signal.SIGKILL


def test_time_limit_of_an_answer(course):
    """The limit is the submission's wall seconds and two minutes."""
    with closing(started(course)) as worker:
        assert worker._patience == 24 + 120


def test_environment_without_pytests_variables(monkeypatch):
    """Variables that change pytest's behaviour or output are dropped; others are kept."""
    for name in ("CI", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "COLUMNS", "FORCE_COLOR", "PYTHONHASHSEED"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("KIT_OTHER", "1")
    found = process_module._environment()
    assert found["KIT_OTHER"] == "1"
    assert found["COLUMNS"] == "80"
    assert found["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] == "1"
    assert not {"CI", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "FORCE_COLOR", "PYTHONHASHSEED"} & set(found)
