"""``grader grade`` that is interrupted, killed, or run where the terminal knows few letters."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

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


def results(out):
    """All that was written of the students, but for how long it took."""
    return {
        path.relative_to(out): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name not in (".lock", "timing.csv")
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
