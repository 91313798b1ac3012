"""What reads hand-ins: its answers come back, and its limits end it."""

import os
import signal
import subprocess
import sys
import time

import pytest

from grader.base.errors import GraderError, UsageError
from grader.sources.reader import LimitError, allow, read_apart, read_one
from grader.sources.tree import UnreadableError


def endless():
    """What never ends, and takes every signal for an error of its own."""
    while True:
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001, S110 - as careless code does
            pass


def test_answers_come_back_in_order():
    """Of any size, an empty one too, and several processes one after the other."""
    answers = [b"a", b"", b"x" * (1 << 20)]
    for _ in range(3):
        assert [*read_apart(lambda: answers)] == answers


def test_one_value_is_what_the_work_returned():
    """Checked for its type."""
    assert read_one(lambda: {"a": [1, 2]}, dict[str, list[int]], 5) == {"a": [1, 2]}


def test_the_work_sees_what_was_read_and_changes_nothing_of_it():
    """It runs in a process of its own."""
    known = [1]
    assert read_one(lambda: known.append(2) or known, list[int], 5) == [1, 2]
    assert known == [1]


@pytest.mark.parametrize(
    "work",
    [
        endless,
        lambda: time.sleep(99),
        lambda: [0] * (1 << 40),
        lambda: bytearray(2 << 30),
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: os._exit(0),
        lambda: 9 ** (9**9),
    ],
    ids=["endless", "asleep", "too much at once", "2 GiB", "killed", "quiet end", "one long step in C"],
)
def test_work_that_takes_too_much_is_ended(work):
    """By CPU seconds, time or memory, and also if it just ends; a sentence says what would be right."""
    started = time.monotonic()
    with pytest.raises(LimitError, match=r"^takes too much time or memory to read; hand in plain files"):
        read_one(work, int, 0.1)
    assert time.monotonic() - started < 10


def test_what_came_before_the_end_is_kept():
    """The caller knows which step it was."""

    def work():
        allow(5)
        yield b"first"
        allow(0.05)
        endless()

    answers = read_apart(work)
    assert next(answers) == b"first"
    with pytest.raises(LimitError):
        next(answers)


def test_errors_of_the_work_are_raised_again():
    """As a mistake of the call, as another one, or as a fault of the grader with its traceback."""

    def fails(error):
        raise error

    with pytest.raises(UsageError, match=r"^wrong$"):
        read_one(lambda: fails(UsageError("wrong")), int, 5)
    with pytest.raises(GraderError, match=r"^is damaged$"):
        read_one(lambda: fails(UnreadableError("is damaged")), int, 5)
    with pytest.raises(RuntimeError, match=r"(?s)Traceback.*KeyError: 'x'"):
        read_one(lambda: {}["x"], int, 5)


def test_a_caller_who_stops_asking_ends_the_work():
    """No process is left."""
    answers = read_apart(lambda: iter(lambda: str(os.getpid()).encode(), b""))
    pid = int(next(answers))
    answers.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.slow
def test_the_work_ends_with_its_parent():
    """Also when the parent was killed and could not say so, and a process that it started too."""
    script = (
        "import os, time\n"
        "from grader.sources.reader import read_apart\n"
        "def inner():\n"
        "    yield str(os.getpid()).encode()\n"
        "    time.sleep(99)\n"
        "def outer():\n"
        "    yield str(os.getpid()).encode()\n"
        "    yield from read_apart(inner)\n"
        "for answer in read_apart(outer): print(answer.decode(), flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        pids = [int(parent.stdout.readline()) for _ in range(2)]
        parent.kill()
    last = time.monotonic() + 5
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):  # noqa: PTH110 - not a path of ours
        assert time.monotonic() < last
        time.sleep(0.02)
