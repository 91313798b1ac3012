"""A worker from end to end: one collected session, a jailed child and a report for each submission."""

from __future__ import annotations

import json
import os
import socket
import threading
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from helpers import jail, sums_course

from grader.course.model import Limits
from grader.sandbox.child import SandboxError
from grader.suite import fork, worker
from grader.suite.channel import receive, send
from grader.suite.memory import Memory
from grader.suite.process import WorkerProcess
from grader.suite.run import Exchange

LIMITS = Limits(call_cpu_seconds=0.3, call_wall_seconds=2.0)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course of sums."""
    return sums_course.course_at(tmp_path_factory.mktemp("sums"))


@pytest.fixture(scope="module")
def process(course):
    """One worker for all tests of this file: it also remembers what others did."""
    with jail.opened() as zygote:
        tier = zygote.tier
    with closing(WorkerProcess(course, course.exercise("sums"), tier)) as process:
        yield process


def outcomes(run):
    """Each test's outcome, by its class and name."""
    assert run.fault == ""
    return {test["nodeid"].partition("::")[2]: test["outcome"] for test in run.report["tests"]}


def changed(old, new):
    """The right files with one part replaced."""
    text = sums_course.RIGHT["lab.py"].decode()
    assert old in text
    return {**sums_course.RIGHT, "lab.py": text.replace(old, new).encode()}


def failures(run):
    """What is kept beside each failed test's report."""
    return {
        test["nodeid"].rpartition("::")[2]: test["metadata"]["failure"]
        for test in run.report["tests"]
        if test["outcome"] != "passed"
    }


def test_what_was_collected(process):
    """The node ids below tests/, visible ones first."""
    assert process.tests == sums_course.TESTS


def test_a_right_submission(process):
    """Every test passes, and again, from memory, with the same bytes."""
    runs = [process.run(sums_course.RIGHT) for _ in range(2)]
    assert set(outcomes(runs[0]).values()) == {"passed"}
    assert runs[0].report == runs[1].report
    assert runs[0].exchanges == runs[1].exchanges
    assert runs[0].flags == ()
    assert 0 < runs[0].cpu_seconds < 1


def test_a_report_without_clocks_and_places(process, course):
    """Nothing in it depends on when or where it was made."""
    text = json.dumps(process.run(changed("a + b", "a - b")).report)
    for word in (str(course.root), "duration", "created", str(Path.cwd()), ".py:0x", "site-packages"):
        assert word not in text
    assert "visible/sums/test_lab.py" in text


def test_a_wrong_value(process):
    """The report says what was wanted, of what; other tests pass."""
    run = process.run(changed("a + b", "a - b"))
    assert [name for name, outcome in outcomes(run).items() if outcome == "failed"] == [
        "TestTwo::test_small",
        "TestAny::test_negative",
        "TestAny::test_named",
    ]
    assert failures(run)["test_small"] == {
        "error": "AssertionError",
        "verdict": "value",
        "reason": "",
        "what": "value",
        "expected": "5",
        "message": "",
    }


def test_the_wrong_type(process):
    """``type(x) is int`` says the name of what was wanted, and the test's own words are kept."""
    failure = failures(process.run(changed("a + b", "float(a + b)")))["test_kind"]
    assert (failure["what"], failure["expected"]) == ("type", "int")
    assert failure["message"] == "a sum is an int"


def test_a_changed_argument(process):
    """A list that was sorted in place is not what it was."""
    run = process.run(changed("return sum(values)", "values.sort(); return sum(values)"))
    failure = failures(run)["test_list_is_left_alone"]
    assert (failure["what"], failure["expected"]) == ("argument", "[3, 1]")


def test_no_exception(process):
    """What should have been raised is kept."""
    failure = failures(process.run(changed('raise ValueError("nothing")', "return 0")))["test_none"]
    assert (failure["what"], failure["expected"], failure["error"]) == ("raises", "ValueError", "Failed")


def test_another_exception(process):
    """One that was not waited for fails the test under its own name."""
    run = process.run(changed('raise ValueError("nothing")', 'raise KeyError("nothing")'))
    assert failures(run)["test_none"] == {"error": "KeyError", "verdict": "raised", "reason": ""}


def test_what_is_told_of_visible_and_hidden_tests(process):
    """Imports and visible tests, with what was said beside them; of hidden tests not even the question."""
    run = process.run(changed("return a + b", "print('given', a, b); return a - b"))
    # The first test reads its constant twice.
    asked = ["", "", sums_course.TESTS[0], *sums_course.TESTS[:6]]
    assert [exchange.test for exchange in run.exchanges] == asked
    assert run.exchanges[4].aside["printed"] == "given 2 3\n"
    assert "7041" not in json.dumps([msgspec.to_builtins(exchange) for exchange in run.exchanges])


def test_stubs(process):
    """A constant that is None, a function that says NotImplementedError."""
    files = {
        "facts.py": b"HALF = None\n",
        "lab.py": b"def add(a, b):\n    raise NotImplementedError('TODO 2')\n\n\ndef mean(_):\n    pass\n",
    }
    found = failures(process.run(files))
    assert found["test_half"]["error"] == "NotImplementedError"
    assert found["test_small"] == {"error": "NotImplementedError", "verdict": "raised", "reason": ""}
    assert found["test_two"]["expected"] == "1.5 ± 1.0e-09"


def test_a_missing_file_and_one_that_cannot_be_imported(process):
    """Their tests fail without being asked; the import says why."""
    run = process.run({"lab.py": b"import no_such_module\n"})
    assert set(outcomes(run).values()) == {"failed"}
    assert {(f["verdict"], f["reason"]) for f in failures(run).values()} == {
        ("not-loaded", "absent"),
        ("not-loaded", "raised"),
    }
    assert run.exchanges[0].aside["module"] == "no_such_module"


def test_helpers_come_along(process):
    """A file that is imported by another is there."""
    files = {**sums_course.RIGHT, "helper.py": b"def plus(a, b):\n    return a + b\n"}
    files["lab.py"] = (
        b"from helper import plus as add\n" + sums_course.RIGHT["lab.py"].partition(b"\n\n\n")[2]
    )
    assert set(outcomes(process.run(files)).values()) == {"passed"}


def test_a_function_that_counts_its_calls(process):
    """Right in its first two calls only: nothing is asked twice when its way leaves the remembered one."""
    source = """
calls = 0
def add(a, b):
    global calls
    calls += 1
    return a + b if calls <= 2 else 0
"""
    assert "passed" in outcomes(process.run(sums_course.RIGHT)).values()
    mean = sums_course.RIGHT["lab.py"].partition(b"\n\n\n")[2]
    files = {**sums_course.RIGHT, "lab.py": source.encode() + mean}
    runs = [process.run(files) for _ in range(2)]
    assert outcomes(runs[0])["TestTwo::test_kind"] == "passed"
    assert outcomes(runs[0])["TestAny::test_negative"] == "failed"
    assert runs[0].report == runs[1].report


def test_a_stop_and_the_tests_after_it(process):
    """The rest of its class is not run; the others are."""
    files = changed("return a + b", "return a + b if a > 0 else os._exit(0)")
    run = process.run({**files, "lab.py": b"import os\n" + files["lab.py"]})
    found = outcomes(run)
    assert [name for name, outcome in found.items() if outcome == "failed"] == [
        "TestAny::test_negative",
        "TestAny::test_named",
    ]
    assert run.flags == ("ended-process",)


# --- Inside the worker's own process


@pytest.fixture
def inside():
    """A Worker with a channel, without a session."""
    mine, theirs = socket.socketpair()
    setup = {"files": {"lab.py": ["add"]}, "limits": {}, "tier": "landlock", "private": ""}
    with mine, theirs:
        yield worker.Worker(theirs, setup)


def test_a_sandbox_that_fails(inside, monkeypatch):
    """It is a fault of the grader, said in words; the next submission gets another zygote."""

    class Broken:
        def __init__(self, *_):
            self.closed = 0

        def spawn(self):
            raise SandboxError("no more processes")

        def close(self):
            self.closed += 1

    monkeypatch.setattr(worker, "Zygote", Broken)
    inside.zygote = broken = Broken()
    assert inside.run(None, {"lab.py": ""}) == {"fault": "SandboxError: no more processes"}
    assert (inside.zygote, broken.closed) == (None, 1)


def test_a_sandbox_that_cannot_be_built(inside, monkeypatch):
    """The same, when there never was one."""

    def fail(*_):
        raise OSError("bubblewrap is gone")

    monkeypatch.setattr(worker, "Zygote", fail)
    assert inside.run(None, {}) == {"fault": "OSError: bubblewrap is gone"}


def test_tests_that_end_without_a_report(inside, monkeypatch):
    """That is no pass."""
    monkeypatch.setattr(inside, "run_in_fork", lambda *_: Memory().root)
    with pytest.raises(fork.ForkError, match="without a report"):
        inside.report_for(None, None)


def test_only_what_may_be_told():
    """Imports and visible tests."""
    exchanges = [Exchange(test, {}, {}, {}) for test in ("", "visible/a", "hidden/a", "private/a", "x")]
    assert [exchange.test for exchange in worker.visible_exchanges(exchanges)] == ["", "visible/a"]


def test_a_canonical_message():
    """The same bytes, whatever the order of the keys."""
    assert worker.canonical({"b": 1, "a": [1, {"d": 2, "c": 3}]}) == b'{"a":[1,{"c":3,"d":2}],"b":1}'


def test_messages_between_the_graders_own_processes():
    """Large ones arrive whole; the end is None, also in the middle of one; silence is an error in time."""
    mine, theirs = socket.socketpair()
    large = {"x": "y" * 3_000_000}
    sender = threading.Thread(target=send, args=(mine, large))
    sender.start()
    assert receive(theirs) == large
    sender.join()
    with pytest.raises(TimeoutError):
        receive(theirs, seconds=0.05)
    mine.sendall(b"\x00\x00\x00\x09{")
    mine.close()
    assert receive(theirs) is None
    assert receive(theirs) is None
    theirs.close()


class Session:
    """Stands for a collected session that runs no tests but a function."""

    def __init__(self, run):
        self.run = run


@pytest.fixture
def forked(monkeypatch):
    """A Fork that runs a function instead of tests."""

    def make(run):
        monkeypatch.setattr(fork, "run_tests", lambda session: session.run(proxy))
        proxy = fork.SubmissionProxy()
        return fork.Fork(Session(run), proxy)

    return make


def test_a_fork_asks_and_reports(forked, monkeypatch):
    """Its questions come with the test's id; its report ends it."""
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "visible/a.py::T::t (call)")
    with forked(lambda proxy: {"got": proxy.ask({"verb": "call"})}) as child:
        assert child.request() == {"verb": "call", "test": "visible/a.py::T::t"}
        child.reply({"kind": "missing"})
        assert child.request() is None
        assert json.loads(child.report) == {"got": {"kind": "missing"}}


def test_a_fork_that_fails(forked):
    """Any exception in it is told, with its place, and never returns into the parent's code."""

    def fail(_):
        raise KeyboardInterrupt("stop")

    with forked(fail) as child, pytest.raises(fork.ForkError, match=r"KeyboardInterrupt: stop"):
        child.request()


def test_a_fork_that_ends(forked):
    """Without a report there is nothing to go by."""
    with forked(lambda _: os._exit(0)) as child, pytest.raises(fork.ForkError, match="without a report"):
        child.request()


def test_a_fork_that_is_stuck(forked, monkeypatch):
    """It is waited for, but not for ever, and killed."""
    monkeypatch.setattr(fork, "_FORK_SECONDS", 0.1)
    with (
        forked(lambda _: threading.Event().wait(30)) as child,
        pytest.raises(fork.ForkError, match="in time"),
    ):
        child.request()
    with pytest.raises(ProcessLookupError):
        os.kill(child._pid, 0)
