"""Each limit from just inside and just outside; and grading on a busy machine."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from helpers import hostile_class, jail, users

from grader.course.model import Limits

TIGHT = Limits(
    call_cpu_seconds=0.2,
    call_wall_seconds=1.6,
    import_cpu_seconds=0.4,
    submission_cpu_seconds=4.0,
    submission_wall_seconds=12.0,
    memory_mib=128,
    output_kib=1,
    open_files=16,
)
SOURCE = """
import os, threading, time

def busy(seconds):
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        pass
    return "done"

def asleep(seconds):
    time.sleep(seconds)
    return "done"

def allocate(mib):
    return len(bytearray(mib << 20)) >> 20

def say(count):
    print("x" * count, end="")
    return "done"

def open_all():
    last = 0
    while True:
        try:
            last = os.dup(0)
        except OSError as error:
            return [last, error.strerror]

def write(count):
    with open("/tmp/x", "w") as file:
        file.write("x" * count)

def start(kind):
    if kind == "process":
        os.fork()
    else:
        threading.Thread(target=int).start()

def deep(depth):
    return 0 if depth == 0 else 1 + deep(depth - 1)

def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value
"""


@pytest.fixture(scope="module")
def zygote():
    """One parent of all children with tight limits."""
    with jail.opened(TIGHT) as zygote:
        yield zygote


@pytest.fixture(scope="module")
def conversation(zygote):
    """A session with the functions above and tight limits."""
    with jail.session(SOURCE, TIGHT, zygote=zygote) as session:
        yield session


@pytest.fixture
def ask(conversation, request):
    """Call a function; each call belongs to a test class of its own."""
    number = iter(range(100))

    def ask(name, *arguments):
        group = f"visible/{request.node.name}/{next(number)}::test"
        conversation._slow.clear()
        conversation._repeats = 0
        conversation.cpu_spent = conversation.wall_spent = 0.0
        return conversation.answer(group, jail.call(name, *arguments), hidden=False).verdict

    return ask


DONE = {"kind": "value", "value": "done"}


def stopped(reason):
    """Return the verdict on a call that a limit stopped."""
    return {"kind": "stopped", "reason": reason}


def test_cpu_seconds_of_a_call(ask):
    """Of 0.2 CPU seconds, 0.1 are allowed; 0.3 stop the call."""
    assert ask("busy", 0.1) == DONE
    assert ask("busy", 0.3) == stopped("time")
    assert ask("busy", 0.1) == DONE


@pytest.mark.slow
def test_wall_seconds_of_a_call(ask):
    """Of 1.6 s, sleeping for 0.8 is allowed; 2.4 stop the call."""
    assert ask("asleep", 0.8) == DONE
    assert ask("asleep", 2.4) == stopped("time")


def test_memory(ask):
    """Of 128 MiB, a call can allocate 64 but not 128 more; afterwards 64 again."""
    assert ask("allocate", 64) == {"kind": "value", "value": 64}
    assert ask("allocate", 128) == stopped("memory")
    assert ask("allocate", 64) == {"kind": "value", "value": 64}


def test_output(ask, conversation):
    """Of printed text the first 1,024 characters are kept; the value counts in any case."""
    for count, kept in ((1023, 1023), (1024, 1024), (1025, 1024), (10_000_000, 1024)):
        assert ask("say", count) == DONE
        assert conversation.exchanges[-1].aside["printed"] == "x" * kept


def test_open_files(ask):
    """With 16 descriptors allowed, the last one is 15."""
    got = ask("open_all")
    assert got["value"] == [15, "Too many open files"]


def test_writing(ask):
    """Opening a file for writing is refused."""
    assert ask("write", 0)["classes"][0] == "PermissionError"


def test_processes_and_threads(ask):
    """No second process and no second thread can be started."""
    assert ask("start", "process")["classes"][0] == "PermissionError"
    assert ask("start", "thread")["classes"][0] == "RuntimeError"


def test_depth_of_calls(ask):
    """900 nested calls are allowed; 2,000 are a RecursionError of the submission."""
    assert ask("deep", 900) == {"kind": "value", "value": 900}
    assert ask("deep", 2_000)["classes"][0] == "RecursionError"


def test_depth_of_answers(ask):
    """24 nested lists come back; a 25th is opaque."""
    text = json.dumps(ask("nested", 23)["value"])
    assert text == "[" * 24 + "]" * 24
    text = json.dumps(ask("nested", 24)["value"])
    assert text == "[" * 24 + '{"o": ""}' + "]" * 24


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import time\nwhile time.process_time() < 0.2: pass", ""),
        ("while True: pass", "time"),
        ("import time; time.sleep(2)", "time"),
        ("x = bytearray(1 << 30)", "memory"),
        ("import os; os._exit(0)", "ended"),
        ("raise SystemExit", ""),
    ],
)
def test_limits_of_an_import(zygote, source, reason):
    """An import has the same limits, with its own CPU seconds."""
    with jail.session(source, TIGHT, zygote=zygote) as conversation:
        assert conversation.exchanges[0].verdict == (stopped(reason) if reason else {"kind": "loaded"})


def test_the_others_are_graded_after_a_stop(zygote):
    """After a stop for time, for memory and by an exit, the next function is called."""
    source = SOURCE + "\ndef end():\n    os._exit(0)\n"
    with jail.session(source, TIGHT, zygote=zygote) as conversation:
        got = [
            conversation.answer(f"visible/Test{number}::test", jail.call(*request), hidden=False).verdict
            for number, request in enumerate([("busy", 9), ("allocate", 999), ("end",), ("say", 1)])
        ]
    assert got == [stopped("time"), stopped("memory"), stopped("ended"), DONE]
    assert conversation.flags == {"ended-process"}


def test_one_slow_function_does_not_use_up_the_others_time(zygote):
    """A function that never answers gets its full time once, twice a tenth, then none; others keep theirs."""
    with jail.session(SOURCE, TIGHT, zygote=zygote) as conversation:
        for number in range(9):
            conversation.answer(f"visible/Slow{number}::test", jail.call("busy", 9), hidden=False)
        assert 0.2 + 2 * 0.02 <= conversation.cpu_spent < 0.2 + 2 * 0.02 + 0.1
        assert conversation.exchanges[1].aside == {"seconds": 0.2}
        assert conversation.exchanges[2].aside == {"seconds": 0.2 * 0.1, "again": True}
        assert conversation.answer("visible/Quick::test", jail.call("say", 1), hidden=False).verdict == DONE


@pytest.mark.slow
def test_budget_of_the_submission():
    """When the submission's CPU seconds are used up, all later calls are stopped for ``budget``."""
    limits = Limits(
        call_cpu_seconds=0.2, call_wall_seconds=2, submission_cpu_seconds=0.5, import_cpu_seconds=0.4
    )
    with jail.session(SOURCE, limits) as conversation:
        names = ["busy", "busy", "busy"]
        got = [
            conversation.answer(f"visible/T{number}::test", jail.call(name, 0.18), hidden=False).verdict
            for number, name in enumerate(names)
        ]
        last = conversation.answer("visible/Last::test", jail.call("say", 1), hidden=False).verdict
    assert got[:2] == [DONE, DONE]
    assert got[2] == stopped("budget")
    assert last == stopped("budget")


@pytest.mark.slow
def test_a_busy_machine_changes_no_score():
    """With two busy loops per processor, the honest submissions get the same scores."""
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))
    ]
    try:
        with tempfile.TemporaryDirectory(prefix="kit-busy-") as name:
            hostile_class.lay_out(Path(name), {}, hostile=False)
            found = json.loads(users.run_as(users.USERS[0], "grade_class.py", "landlock", name, "2"))
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    scores = {student: json.loads(text)["score"] for student, text in found["results"].items()}
    assert scores == hostile_class.HONEST
