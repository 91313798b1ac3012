"""``grader grade`` that is interrupted, killed, or run where the terminal knows few letters."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from helpers import small_lesson

from grader.results.student import student_folder

pytestmark = pytest.mark.slow

STUDENTS = ("ada", "bea", "cleo", "dora", "zoë")
SLOW = "def double(number):\n    while True:\n        pass\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A small course and a class in which ``bea`` takes a while."""
    root = tmp_path_factory.mktemp("course")
    small_lesson.write(root)
    for student in STUDENTS:
        folder = root / "class" / student
        folder.mkdir(parents=True)
        for name in ("warm_up.py", "sums.py"):
            (folder / name).write_bytes((root / "solutions/sums" / name).read_bytes())
    (root / "class/bea/sums.py").write_text(SLOW, encoding="utf-8")
    return root


def start(root, out, **environment):
    """The command in a process of its own, with one worker."""
    call = [sys.executable, "-m", "grader", "grade", str(root / "class"), "--out", str(out), "--jobs", "1"]
    call += ["--course", str(root / "course.toml"), "--no-gradebook"]
    return subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment}
    )


def ended(process):
    """Exit status and what was said on both streams."""
    said, complaints = process.communicate(timeout=120)
    return process.returncode, said + complaints


_OTHERS = (".lock", "timing.csv", "class.csv", "class.html", "remembered")


def results(out):
    """All that was written of the students; not how long it took, nor what is remembered."""
    return {
        path.relative_to(out): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name not in _OTHERS
    }


@pytest.fixture(scope="module")
def unbroken(root, tmp_path_factory):
    """What a run gives that nothing disturbs."""
    out = tmp_path_factory.mktemp("unbroken") / "graded"
    assert ended(start(root, out))[0] == 0
    return results(out)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_ended_is_gone_on_with(root, tmp_path, unbroken, how):
    """Ended once in its middle, and soon; the next run gives what an unbroken one gives, to the byte."""
    out = tmp_path / "graded"
    process = start(root, out)
    first = student_folder(out, "ada") / "result.json"
    until = time.monotonic() + 60
    while not first.exists():
        assert time.monotonic() < until
        assert process.poll() is None, ended(process)
        time.sleep(0.01)
    process.send_signal(how)
    asked = time.monotonic()
    assert ended(process)[0] != 0
    assert time.monotonic() - asked < 15
    status, said = ended(start(root, out))
    assert status == 0, said
    assert results(out) == unbroken


@pytest.mark.parametrize("tier", ["bwrap", "landlock"])
def test_nothing_outlives_a_run_that_was_killed(root, tmp_path, tier):
    """In the middle of a call that waits: five seconds later no process of the run is alive."""
    text = (root / "course.toml").read_text(encoding="utf-8")
    patient = "points = 5\nlimits = { call_wall_seconds = 60, submission_wall_seconds = 60 }\n"
    (root / "patient.toml").write_text(text.replace("points = 5\n", patient, 1), encoding="utf-8")
    waits = "import time\ndef double(number):\n    time.sleep(60)\n"
    (tmp_path / "class/bea").mkdir(parents=True)
    (tmp_path / "class/bea/sums.py").write_text(waits, encoding="utf-8")
    call = [sys.executable, "-m", "grader", "grade", str(tmp_path / "class"), "--sandbox", tier]
    call += ["--course", str(root / "patient.toml"), "--out", str(tmp_path / "out"), "--no-gradebook"]
    with subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 60
        # The run, its worker with a fork for the tests, the zygote and the child.
        while len(started := family(process.pid)) < 5 or "suite.worker" not in str(started):
            if process.poll() is not None:
                pytest.skip(f"{tier} cannot be built here: {process.stderr.read()}")
            assert time.monotonic() < until
            time.sleep(0.05)
        process.kill()
    until = time.monotonic() + 5
    while left := [one for pid, one in started.items() if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < until, left
        time.sleep(0.05)


def family(pid):
    """The command lines of a process and all processes below it, by their ids."""
    found: dict[int, str] = {}
    with suppress(OSError):
        found[pid] = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in task.read_text().split():
                found |= family(int(child))
    return found


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_of_few_letters_is_no_failure(root, tmp_path, unbroken, encoding):
    """Whatever its encoding and width: the same status, the same files in UTF-8, nothing but escapes."""
    out = tmp_path / "graded"
    status, said = ended(
        start(root, out, PYTHONIOENCODING=encoding, PYTHONUTF8="0", LANG="C", LC_ALL="C", COLUMNS="0")
    )
    assert status == 0, said
    assert b"Traceback" not in said
    assert results(out) == unbroken
