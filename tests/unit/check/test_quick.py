"""``grader check --task`` and ``--watch``: the same findings of the tests, and nothing is run twice."""

import queue
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from helpers import small_lesson
from helpers.paths import unmeasured
from helpers.small_lesson import edit

from grader.base.errors import UsageError
from grader.check import quick
from grader.cli import cli

VISIBLE, WRONG = "tests/visible/sums/test_sums.py", "solutions/sums/misconceptions.py"


@pytest.fixture
def root(tmp_path):
    """The small lesson."""
    small_lesson.write(tmp_path)
    return tmp_path


@pytest.fixture
def ran(monkeypatch):
    """The names of the versions that are run, and the criteria that they are run for, call by call."""
    calls = []
    original = quick.run_in_sandbox

    def run(course, exercise, tier, versions, **more):
        calls.append(([version.name for version in versions], [one.id for one in exercise.criteria]))
        return original(course, exercise, tier, versions, **more)

    monkeypatch.setattr(quick, "run_in_sandbox", run)
    return calls


def check(root, *more):
    """Run ``grader check`` on one task; return its exit status and lines."""
    words = ["check", "--course", str(root / "course.toml"), *more]
    done = CliRunner().invoke(cli, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output.splitlines()


@pytest.mark.slow
def test_only_what_changed_runs_again(root, ran):
    """All versions of the task run once, then what changed: a version, or all of them in a changed class."""
    sound = "sums, total is sound: 2 criteria, 2 tests, 3 wrong versions told apart. Looked at quickly."
    assert check(root, "--task", "total") == (0, [sound])
    every = ["solutions", "exercises", "first", "none_for_none", "error_for_none"]
    assert ran == [(every, ["total-some", "total-none"])]
    assert check(root, "--task", "total") == (0, [sound])
    edit(root, VISIBLE, "assert sums.double(3) == 6", "assert 6 == sums.double(3)")
    assert check(root, "--task", "total") == (0, [sound])
    assert len(ran) == 1
    edit(root, WRONG, "return sum(numbers) if numbers else None", "return sum(numbers) or None")
    assert check(root, "--task", "total") == (0, [sound])
    assert ran[1:] == [(["none_for_none"], ["total-some", "total-none"])]
    edit(root, VISIBLE, "assert sums.total([1, 2, 4]) == 7", "assert sums.total([1, 2, 6]) == 9")
    assert check(root, "--task", "total") == (0, [sound])
    assert ran[2:] == [(every, ["total-some"])]


@pytest.mark.slow
def test_findings_of_a_task(root):
    """A test that the solution fails and a wrong version with all points are found, remembered or not."""
    edit(root, WRONG, "    return number * number\n", "    return 2 * number\n")
    for _ in range(2):
        assert check(root, "--task", "double") == (
            2,
            [f"{WRONG}:29: squares earns all points of double; add a test that it does not pass"],
        )
    edit(root, VISIBLE, "assert sums.double(3) == 6", "assert sums.double(3) == 7")
    status, lines = check(root, "--task", "double")
    assert status == 2
    assert lines[0].startswith(f"{VISIBLE}:6: the solution does not pass it (")


def test_no_task_of_that_name(root):
    """A task that is not there is a mistake in the call, which lists the tasks."""
    done = CliRunner().invoke(cli, ["check", "--course", str(root / "course.toml"), "--task", "halve"])
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == "There is no task 'halve' with tests; there are: warm_up, double, total."


@pytest.mark.slow
def test_damaged_memory_is_no_obstacle(root, ran):
    """What cannot be read of the memory is run again."""
    (root / ".check").mkdir()
    (root / ".check/sums.json").write_text("[]")
    assert check(root, "--task", "double")[0] == 0
    assert len(ran[0][0]) == 4


@pytest.mark.slow
def test_watch(root):
    """--watch looks again at each change, goes on after a mistake in course.toml, and ends with Ctrl-C."""
    command = [sys.executable, "-m", "grader", "check", "--watch", "--course", str(root / "course.toml")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=unmeasured() | {"CI": "1"})
    lines = queue.Queue()
    reader = threading.Thread(target=lambda: [lines.put(line) for line in process.stderr], daemon=True)
    reader.start()

    def round_of_lines():
        found = []
        while not found or not found[-1].startswith("-- "):
            found.append(lines.get(timeout=120).strip())
        return found[:-1]

    try:
        assert round_of_lines()[0].startswith("sums is sound: 4 criteria, 6 tests, 5 wrong versions")
        edit(root, VISIBLE, "assert sums.double(3) == 6", "assert sums.double(3) == 7")
        assert any("the solution does not pass it" in line for line in round_of_lines())
        text = (root / "course.toml").read_text()
        (root / "course.toml").write_text(text.replace("points = 5", "points = 6"))
        assert round_of_lines() == [
            "course.toml: exercise.sums.points: the criteria add up to 5 points, not 6."
        ]
        (root / "course.toml").write_text(text)
        assert any("the solution does not pass it" in line for line in round_of_lines())
    finally:
        process.terminate()
        process.wait(30)
        reader.join(30)
        process.stderr.close()


@pytest.mark.slow
def test_watch_looks_once_a_change(root, monkeypatch, ran):
    """While nothing changes nothing is looked at, and Ctrl-C ends without an error."""
    waits = []

    def sleep(_seconds):
        waits.append(len(ran))
        if len(waits) == 2:
            (root / "course.toml").write_text("[course")
        if len(waits) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr("grader.commands.check.time", SimpleNamespace(sleep=sleep))
    status, lines = check(root, "--watch", "--task", "double")
    assert status == 0
    assert lines[0].startswith("sums, double is sound: 1 criteria, 3 tests, 2 wrong versions told apart.")
    assert lines[2].startswith("course.toml: is not a TOML file: ")
    assert [line[:3] for line in (lines[1], lines[3])] == ["-- ", "-- "]
    assert (len(lines), waits) == (4, [1, 1, 1, 1])
