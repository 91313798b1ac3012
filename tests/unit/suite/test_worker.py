"""A worker from end to end, then its parts: fork, memory, channel."""

import json
import os
import random
import socket
import threading
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from helpers import jail, sums_course

from grader.course.model import Limits
from grader.sandbox.child import SandboxError
from grader.suite import fork, plugin, worker
from grader.suite.channel import receive, send
from grader.suite.memory import Shared
from grader.suite.process import WorkerProcess
from grader.suite.run import Exchange, Job, Setup

LIMITS = Limits(call_cpu_seconds=0.3, call_wall_seconds=2.0)
SUM = ("sum(values)", ("max(values)", "len(values)", "float(sum(values))", "values.sort() or sum(values)"))
COUNTS = """
calls = 0


def add(a, b):
    global calls
    calls += 1
    return a + b if calls % 3 else a - b


def mean(values):
    return calls
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course of sums."""
    return sums_course.course_at(tmp_path_factory.mktemp("sums"))


@pytest.fixture(scope="module")
def process(course):
    """One worker for all tests of this file; its memory lasts over them."""
    with jail.opened() as zygote:
        tier = zygote.tier
    with closing(WorkerProcess(course, course.exercise("sums"), tier)) as process:
        yield process


def outcomes(run):
    """Return each test's outcome by its class and name."""
    assert run.fault == ""
    return {test["nodeid"].partition("::")[2]: test["outcome"] for test in run.report["tests"]}


def changed(old, new):
    """Return the right files with one text replaced."""
    text = sums_course.RIGHT["lab.py"].decode()
    assert old in text
    return {**sums_course.RIGHT, "lab.py": text.replace(old, new).encode()}


def failures(run):
    """Return the failure facts of each failed test."""
    return {
        test["nodeid"].rpartition("::")[2]: test["metadata"]["failure"]
        for test in run.report["tests"]
        if test["outcome"] != "passed"
    }


def test_list_of_collected_tests(process):
    """Node ids below tests/, visible ones first."""
    assert process.tests == sums_course.TESTS


def test_a_right_submission(process):
    """Every test passes; a second run, from memory, has the same report."""
    runs = [process.run(sums_course.RIGHT) for _ in range(2)]
    assert set(outcomes(runs[0]).values()) == {"passed"}
    assert runs[0].report == runs[1].report
    assert runs[0].exchanges == runs[1].exchanges
    assert runs[0].flags == ()
    assert 0 < runs[0].cpu_seconds < 1


def test_a_report_without_times_and_paths(process, course):
    """The report holds no times and no paths of this machine."""
    text = json.dumps(process.run(changed("a + b", "a - b")).report)
    for word in (str(course.root), "duration", "created", str(Path.cwd()), ".py:0x", "site-packages"):
        assert word not in text
    assert "visible/sums/test_lab.py" in text


def test_a_wrong_value(process):
    """The report says what was expected; other tests pass."""
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
    """``type(x) is int`` gives the expected type's name; the test's own message is kept."""
    failure = failures(process.run(changed("a + b", "float(a + b)")))["test_kind"]
    assert (failure["what"], failure["expected"]) == ("type", "int")
    assert failure["message"] == "a sum is an int"


def test_a_changed_argument(process):
    """A list that the submission sorted in place is noted as an argument."""
    run = process.run(changed("return sum(values)", "values.sort(); return sum(values)"))
    failure = failures(run)["test_list_is_left_alone"]
    assert (failure["what"], failure["expected"]) == ("argument", "[3, 1]")


def test_no_exception(process):
    """The expected exception's class is noted."""
    failure = failures(process.run(changed('raise ValueError("nothing")', "return 0")))["test_none"]
    assert (failure["what"], failure["expected"], failure["error"]) == (
        "raises",
        "DID NOT RAISE ValueError",
        "Failed",
    )


def test_another_exception(process):
    """An unexpected exception is noted by its class."""
    run = process.run(changed('raise ValueError("nothing")', 'raise KeyError("nothing")'))
    assert failures(run)["test_none"] == {"error": "KeyError", "verdict": "raised", "reason": ""}


def test_exchanges_are_those_that_explain(process):
    """The exchanges are those of imports and of failed visible tests, with asides, and of no hidden one."""
    run = process.run(changed("return a + b", "print('given', a, b); return a - b"))
    failed = next(test for test in sums_course.TESTS if test.endswith("TestTwo::test_small"))
    assert [exchange.test for exchange in run.exchanges] == ["", "", failed]
    assert run.exchanges[2].aside["printed"] == "given 2 3\n"
    assert "7041" not in json.dumps([msgspec.to_builtins(exchange) for exchange in run.exchanges])


def test_stubs(process):
    """A constant that is None and a function that raises NotImplementedError."""
    files = {
        "facts.py": b"HALF = None\n",
        "lab.py": b"def add(a, b):\n    raise NotImplementedError('TODO 2')\n\n\ndef mean(_):\n    pass\n",
    }
    found = failures(process.run(files))
    assert found["test_half"]["error"] == "NotImplementedError"
    assert found["test_small"] == {"error": "NotImplementedError", "verdict": "raised", "reason": ""}
    assert found["test_two"]["expected"] == "1.5 ± 1.0e-09"


def test_a_missing_file_and_one_that_cannot_be_imported(process):
    """Their tests fail as not loaded; the import's aside says the error of the file."""
    run = process.run({"lab.py": b"import math\nmath.no_such_name\n"})
    assert set(outcomes(run).values()) == {"failed"}
    assert {(f["verdict"], f["reason"]) for f in failures(run).values()} == {
        ("not-loaded", "absent"),
        ("not-loaded", "raised"),
    }
    assert run.exchanges[0].aside["type"] == "AttributeError"


def test_helpers_come_along(process):
    """A helper file can be imported by another file."""
    files = {**sums_course.RIGHT, "helper.py": b"def plus(a, b):\n    return a + b\n"}
    files["lab.py"] = (
        b"from helper import plus as add\n" + sums_course.RIGHT["lab.py"].partition(b"\n\n\n")[2]
    )
    assert set(outcomes(process.run(files)).values()) == {"passed"}


def test_a_function_that_counts_its_calls(process):
    """A function that is right in two calls gets the same report twice: no call is repeated after a fork."""
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


@pytest.mark.slow
def test_remembered_and_new_reports_are_equal(course):
    """Whatever a worker knows, every submission gets the bytes that a worker without a memory gives it."""
    with jail.opened() as zygote:
        tier = zygote.tier
    exercise, shared = course.exercise("sums"), Shared()
    draw = random.Random(1)  # noqa: S311 - the same class each time
    texts = (("a + b", ("a - b", "abs(a + b)", "str(a + b)", "a + b if a else None", "1 / 0")), SUM)
    class_files = []
    for _ in range(7):
        text = sums_course.RIGHT["lab.py"].decode()
        for old, wrong in texts:
            text = text.replace(old, draw.choice((old, old, *wrong)))
        class_files.append({**sums_course.RIGHT, "lab.py": text.encode()})
    class_files.append({**sums_course.RIGHT, "lab.py": COUNTS.encode()})

    def told(run):
        return run.report, run.exchanges, run.answers, run.seen, run.flags

    alone = []
    for files in class_files:
        with closing(WorkerProcess(course, exercise, tier)) as fresh:
            alone.append(told(fresh.run(files)))
    with closing(WorkerProcess(course, exercise, tier, shared=shared)) as knowing:
        assert [told(knowing.run(files)) for files in class_files] == alone
        assert [told(knowing.run(files)) for files in class_files[::-1]] == alone[::-1]
    forks = {run["class"] for run in shared.since(0)}
    assert forks == {test.rpartition("::")[0] for test in sums_course.TESTS}
    with closing(WorkerProcess(course, exercise, tier, shared=shared)) as other:
        assert [other.run(files).spent["tests"] for files in class_files] == [0.0] * len(class_files)


SHARES = """\
import lab

VALUES = [5, 1, 3]


class TestTwo:
    def test_mean(self):
        assert lab.mean(VALUES) == 3


class TestMean:
    def test_again(self):
        assert lab.mean(VALUES) == 3
"""
DRAWS = """\
import random

import lab


class TestTwo:
    def test_drawn(self):
        a, b = random.random(), random.random()
        assert lab.add(a, b) == a + b
        assert lab.add(b, 1) == b + 1


class TestMean:
    def test_two(self):
        assert lab.mean([1, 2]) == 1.5
"""


def other_course(folder, tests):
    """Make the course of sums with these visible tests of ``lab.py``."""
    course = sums_course.course_at(folder)
    (folder / "tests" / "visible" / "sums" / "test_lab.py").write_text(tests, encoding="utf-8")
    with jail.opened() as zygote:
        return course, course.exercise("sums"), zygote.tier


@pytest.mark.slow
def test_constants_tell_nothing_of_hidden_tests(course):
    """A constant that a call of a hidden test changes is read as it was before."""
    with jail.opened() as zygote:
        tier = zygote.tier
    tells = b"def add(a, b):\n    import facts\n    if a < 0: facts.HALF = a\n    return a + b\n"
    tells += sums_course.RIGHT["lab.py"].partition(b"\n\n\n")[2]
    with closing(WorkerProcess(course, course.exercise("sums"), tier, {"facts.py": ["HALF"]})) as process:
        run = process.run({**sums_course.RIGHT, "lab.py": tells})
        right = process.run(sums_course.RIGHT)
    assert set(outcomes(run).values()) == {"passed"}
    assert run.seen["facts"] == run.answers["facts"] == right.seen["facts"]


@pytest.mark.slow
def test_a_test_that_takes_much_memory_fails(tmp_path):
    """A test that makes a list as long as an answer says is ended by its memory: no fault, and no points."""
    course, exercise, tier = other_course(
        tmp_path, sums_course.VISIBLE.replace("lab.add(2, 3) == 5", "len([0] * lab.add(2, 3)) == 5")
    )
    large = sums_course.RIGHT["lab.py"].replace(b"return a + b", b"return 2**28 if a == 2 else a + b")
    with closing(WorkerProcess(course, exercise, tier)) as process:
        run = process.run({**sums_course.RIGHT, "lab.py": large})
    found = outcomes(run)
    assert found == {**dict.fromkeys(found, "passed"), "TestTwo::test_small": "failed"}
    failed = next(test for test in run.report["tests"] if test["outcome"] == "failed")
    assert failed["metadata"]["failure"]["error"] == "MemoryError"


@pytest.mark.slow
def test_a_list_that_several_classes_pass(tmp_path):
    """Who changes a list of the tests meets it unchanged in the next class, and so do all others."""
    course = other_course(tmp_path, SHARES)
    mean = b"def add(a, b): return a + b\ndef mean(values):"
    spoils = mean + b"\n    try: return sum(values) / len(values) if values[0] == 5 else 7\n"
    spoils += b"    finally: values[:] = [9]\n"
    wrong = mean + b" return values[0]\n"
    files = [{**sums_course.RIGHT, "lab.py": text} for text in (spoils, wrong)] + [sums_course.RIGHT]
    with closing(WorkerProcess(*course)) as process:
        found = [outcomes(process.run(one)) for one in files]
        assert outcomes(process.run(files[0])) == found[0]
    classes = ("TestTwo::test_mean", "TestMean::test_again")
    assert [[one[name] for name in classes] for one in found] == [
        ["passed", "passed"],
        ["failed", "failed"],
        ["passed", "passed"],
    ]


@pytest.mark.slow
def test_tests_that_draw_numbers(tmp_path):
    """A reply counts for the request that it answers, also when the tests make another one in its place."""
    course = other_course(tmp_path, DRAWS)
    wrong = {**sums_course.RIGHT, "lab.py": b"def add(a, b): return 0\ndef mean(values): return 1.5\n"}
    shared = Shared()
    with (
        closing(WorkerProcess(*course, shared=shared)) as one,
        closing(WorkerProcess(*course, shared=shared)) as two,
    ):
        for process in (one, two, one, two):
            assert outcomes(process.run(wrong))["TestTwo::test_drawn"] == "failed"
            assert outcomes(process.run(sums_course.RIGHT))["TestTwo::test_drawn"] == "passed"


@pytest.mark.slow
def test_classes_that_share_a_fixture_are_one(tmp_path, monkeypatch):
    """With a fixture of the course for a whole file, all classes are remembered together."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # this environment's plugins take a second
    text = "import pytest\n{}\nclass TestA:\n    def test(self, x): pass\n"
    text += "class TestB:\n    def test(self): pass\n"
    for scope, count in (("function", 2), ("class", 2), ("module", 1), ("session", 1)):
        path = tmp_path / f"test_{scope}.py"
        path.write_text(text.format(f"@pytest.fixture(scope={scope!r})\ndef x(): pass\n"), encoding="utf-8")
        collected = []

        class Collect:
            def pytest_collection_finish(self, session, collected=collected):
                collected.append(plugin.by_class(session.items))

        quick = ["-q", "-p", "no:cacheprovider", "-p", "no:unraisableexception"]
        pytest.main(["--collect-only", *quick, "-c", os.devnull, str(path)], [Collect()])
        assert len(collected[0]) == count


def test_a_stop_and_the_tests_after_it(process):
    """The rest of the class fails; other classes run."""
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
    """A Worker object with a channel, without a session."""
    mine, theirs = socket.socketpair()
    setup = Setup(files={"lab.py": ["add"]}, constants={}, limits=Limits(), tier="landlock")
    with mine, theirs:
        yield worker.Worker(theirs, setup)


def test_a_sandbox_that_fails(inside, monkeypatch):
    """The run has a fault; the next submission gets another zygote."""

    class Broken:
        def __init__(self, *_):
            self.closed = 0

        def spawn(self):
            raise SandboxError("no more processes")

        def close(self):
            self.closed += 1

    monkeypatch.setattr(worker, "Zygote", Broken)
    inside.zygote = broken = Broken()
    assert json.loads(inside.run(None, Job({"lab.py": b""}))) == {"fault": "SandboxError: no more processes"}
    assert (inside.zygote, broken.closed) == (None, 1)


def test_a_sandbox_that_cannot_be_built(inside, monkeypatch):
    """The run has a fault."""

    def fail(*_):
        raise OSError("bubblewrap is gone")

    monkeypatch.setattr(worker, "Zygote", fail)
    assert json.loads(inside.run(None, Job({}))) == {"fault": "OSError: bubblewrap is gone"}


def test_explaining_exchanges():
    """All without a test, and the latest of each visible test that did not pass; all others are dropped."""
    tests = ("", "visible/a", "visible/a", "", "hidden/a", "private/a", "x", "visible/b")
    exchanges = [Exchange(test, {"number": number}, {}, {}) for number, test in enumerate(tests)]
    outcomes = dict.fromkeys(tests, "failed") | {"visible/b": "passed"}
    kept = worker._explaining(exchanges, outcomes)
    assert sorted(exchange.request["number"] for exchange in kept) == [0, 2, 3]


def test_messages_between_the_graders_own_processes():
    """Large messages and half a surrogate pair arrive; a closed channel gives None, silence an error."""
    mine, theirs = socket.socketpair()
    large = {"x": "y" * 3_000_000 + "\ud800"}
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
    """Replaces a collected session; runs a function."""

    def __init__(self, run):
        self.run = run


@pytest.fixture
def forked(monkeypatch):
    """Make a Fork that runs a function instead of a class's tests, and has been told to begin."""
    forks = []

    def make(run):
        monkeypatch.setattr(fork, "run_tests", lambda session, items: session.run(proxy, items))
        proxy = fork.SubmissionProxy()
        forks.append(fork.Fork(Session(run), {"A": ["a"], "B": ["b"]}, proxy))
        forks[0].start("A")
        return forks[0]

    yield make
    for one in forks:
        one.close()
        with pytest.raises(ProcessLookupError):
            os.kill(one._pid, 0)
        assert one.cpu_seconds > 0


def test_a_fork_asks_and_reports(forked, monkeypatch):
    """Requests carry the test's node id; entries of the report end a class, and another one can follow."""
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "visible/a.py::T::t (call)")
    child = forked(lambda proxy, items: [items, proxy.ask({"verb": "call"})])
    for group, items in (("A", ["a"]), ("B", ["b"])):
        assert child.request() == {"verb": "call", "test": "visible/a.py::T::t"}
        child.reply({"kind": "missing"})
        assert child.request() is None
        assert child.entries == [items, {"kind": "missing"}]
        if group == "A":
            child.start("B")


def test_a_fork_that_fails(forked):
    """Any exception in the fork is a ForkError with its traceback."""

    def fail(*_):
        raise KeyboardInterrupt("stop")

    with pytest.raises(fork.ForkError, match=r"KeyboardInterrupt: stop"):
        forked(fail).request()


def test_a_fork_that_ends(forked):
    """A fork that ends without a report is a ForkError."""
    with pytest.raises(fork.ForkError, match="without a report"):
        forked(lambda *_: os._exit(0)).request()


def test_a_fork_that_is_stuck(forked, monkeypatch):
    """Without a request in time it is a ForkError, and the fork is killed."""
    monkeypatch.setattr(fork, "_FORK_SECONDS", 0.1)
    with pytest.raises(fork.ForkError, match="in time"):
        forked(lambda *_: threading.Event().wait(30)).request()
