"""One submission's session with scripted children: stops, budgets, exchanges and flags."""

import pytest
from helpers import jail

from grader.course.model import Limits
from grader.sandbox.child import End, Reply, StoppedError
from grader.suite.session import Session

LOADED = Reply({"kind": "loaded"}, {"printed": "hello"})
ONE = Reply({"kind": "value", "value": 1}, {"printed": "one"})


def raised(*classes):
    """Make a reply with an exception."""
    return Reply({"kind": "raised", "classes": [*classes]}, {"type": classes[0]})


class FakeChild:
    """Gives the prepared replies in turn; a text is the reason of a stop, "wait" a stop without CPU time."""

    def __init__(self, answers, *, flags=(), takes_files=True):
        self.answers = answers
        self.flags = frozenset(flags)
        self.asked = []
        self.files = None
        self.closed = 0
        self.spent = 0.0
        self.takes_files = takes_files

    def cpu_seconds(self):
        """Return half a second for each request so far, for a stop its limit, and nothing for a wait."""
        return self.spent

    def send_files(self, files):
        """Keep the files, or stop."""
        if not self.takes_files:
            raise StoppedError("ended")
        self.files = files

    def ask(self, request, *, cpu, wall):
        """Return the next reply."""
        self.asked.append((request, cpu, wall))
        answer = self.answers.pop(0)
        self.spent += {"time": cpu, "wait": 0.0}.get(answer if isinstance(answer, str) else "", 0.5)
        if isinstance(answer, str):
            raise StoppedError("time" if answer == "wait" else answer)
        return answer

    def close(self):
        """Count the calls; return how it ended."""
        self.closed += 1
        return End(0, self.spent, killed=True)


class FakeZygote:
    """Gives prepared children in turn."""

    def __init__(self, *children):
        self.children = [*children]

    def spawn(self):
        """Return the next child."""
        return self.children.pop(0)


def session(*children, files=("reservation.py",), expected=("reservation.py",), limits=None):
    """Make a session with these children."""
    limits = limits or Limits(call_wall_seconds=5.0)
    return Session(FakeZygote(*children), limits, dict.fromkeys(files, b""), expected)


def ask(conversation, name="f", test="visible/T::t", *, hidden=False):
    """Call a function without arguments."""
    return conversation.answer(test, jail.call(name), hidden=hidden).verdict


def test_files_are_imported_first():
    """Each expected file is imported in order, with the limit of imports; asides are kept."""
    child = FakeChild([LOADED, LOADED])
    conversation = session(child, files=("a.py", "b.py", "helper.py"), expected=("a.py", "b.py"))
    conversation.load()
    assert [(request["module"], cpu, wall) for request, cpu, wall in child.asked] == [
        ("a", 2.0, 5.0),
        ("b", 2.0, 5.0),
    ]
    assert child.files == {"a.py": b"", "b.py": b"", "helper.py": b""}
    assert [(e.test, e.verdict, e.aside) for e in conversation.exchanges] == [
        ("", LOADED.verdict, LOADED.aside)
    ] * 2


def test_an_absent_file():
    """It is not imported, and calls of its functions are answered without a child."""
    conversation = session(FakeChild([]), files=())
    conversation.load()
    assert conversation.exchanges == []
    assert ask(conversation) == {"kind": "not-loaded", "reason": "absent"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(raised("NameError", "Exception"), "raised"), ("time", "time"), (raised("SystemExit"), "ended")],
)
def test_a_file_that_cannot_be_imported(answer, reason):
    """Its functions are not called; the verdict's reason is that of the import."""
    conversation = session(FakeChild([answer]))
    conversation.load()
    assert ask(conversation) == {"kind": "not-loaded", "reason": reason}
    assert len(conversation.exchanges) == 2


def test_asides_of_hidden_tests_are_dropped():
    """Verdicts are kept for all tests, asides for visible tests alone."""
    conversation = session(FakeChild([LOADED, ONE, ONE]))
    conversation.load()
    assert ask(conversation) == ask(conversation, test="hidden/T::t", hidden=True) == ONE.verdict
    assert [(e.test, e.aside) for e in conversation.exchanges[1:]] == [
        ("visible/T::t", ONE.aside),
        ("hidden/T::t", {}),
    ]


def test_checking_replies_is_bounded(monkeypatch):
    """Exchanges that cost this process more than 0.05 CPU seconds, and 0.5 ms each, stop the submission."""
    clock = [0.0]
    monkeypatch.setattr("grader.suite.session.time.thread_time", lambda: clock[0])
    for seconds, answered in ((0.03, 1), (0.024, 2), (0.01, 3)):

        class Costly(FakeChild):
            def ask(self, request, *, cpu, wall, seconds=seconds):
                clock[0] += seconds
                return super().ask(request, cpu=cpu, wall=wall)

        conversation = session(Costly([LOADED, ONE, ONE, ONE]))
        conversation.load()
        found = [ask(conversation, test=f"visible/T{n}::t") for n in range(3)]
        stopped = {"kind": "stopped", "reason": "protocol"}
        assert found == [ONE.verdict] * answered + [stopped] * (3 - answered)
        assert conversation.flags == ({"tampered-channel"} if answered < 3 else set())


def test_after_a_stop():
    """The rest of the class is not asked; the next class gets a new child, which imports again."""
    first, second = FakeChild([LOADED, "memory"]), FakeChild([LOADED, ONE])
    conversation = session(first, second)
    conversation.load()
    stopped = {"kind": "stopped", "reason": "memory"}
    assert ask(conversation, test="visible/A::one") == ask(conversation, test="visible/A::two") == stopped
    assert first.closed == 1
    assert ask(conversation, test="visible/B::one") == ONE.verdict
    assert [request["verb"] for request, *_ in second.asked] == ["load", "call"]
    assert [e.test for e in conversation.exchanges] == [
        "",
        "visible/A::one",
        "visible/A::two",
        "visible/B::one",
    ]


@pytest.mark.parametrize(("answer", "reason"), [(raised("ValueError"), "ended"), ("time", "time")])
def test_a_second_import_that_fails(answer, reason):
    """If the new child cannot import the file, the class is stopped."""
    conversation = session(FakeChild([LOADED, "ended"]), FakeChild([answer]))
    conversation.load()
    ask(conversation, test="visible/A::one")
    assert ask(conversation, test="visible/B::one") == {"kind": "stopped", "reason": reason}


def test_a_child_that_takes_no_files():
    """A child that ends while it receives files is asked, and gives its reason."""
    child = FakeChild(["ended"], takes_files=False)
    conversation = session(child)
    conversation.load()
    assert conversation.exchanges[0].verdict == {"kind": "stopped", "reason": "ended"}


def test_exceptions_that_end_a_program():
    """SystemExit is a stop that keeps its aside; the same child serves the next class."""
    conversation = session(FakeChild([LOADED, raised("SystemExit", "BaseException"), ONE]))
    conversation.load()
    assert ask(conversation, test="visible/A::t") == {"kind": "stopped", "reason": "ended"}
    assert conversation.exchanges[-1].aside == {"type": "SystemExit"}
    assert ask(conversation, test="visible/B::t") == ONE.verdict
    assert conversation.flags == {"ended-process"}


def test_memory_errors():
    """MemoryError is a stop; the child is replaced."""
    first, second = FakeChild([LOADED, raised("MemoryError", "Exception")]), FakeChild([LOADED, ONE])
    conversation = session(first, second)
    conversation.load()
    assert ask(conversation, test="visible/A::t") == {"kind": "stopped", "reason": "memory"}
    assert first.closed == 1
    assert ask(conversation, test="visible/B::t") == ONE.verdict


@pytest.mark.parametrize(
    ("answer", "flags"),
    [
        ("ended", {"ended-process", "tried-network"}),
        ("protocol", {"tampered-channel", "tried-network"}),
        ("time", {"tried-network"}),
        ("crashed", {"tried-network"}),
        (
            Reply({"kind": "value", "value": {"o": ""}}, {"impostor": True}),
            {"returned-impostor", "tried-network"},
        ),
        (ONE, {"tried-network"}),
    ],
)
def test_flags(answer, flags):
    """Refused calls, ends and impostors give flags, in hidden tests, too."""
    conversation = session(FakeChild([LOADED, answer], flags=["tried-network"]))
    conversation.load()
    ask(conversation, test="hidden/A::t", hidden=True)
    conversation.close()
    assert conversation.flags == flags


def test_seconds_of_a_stop():
    """The aside holds the call's limit; a call that the budget cut short is stopped for ``budget``."""
    limits = Limits(call_cpu_seconds=1.0, call_wall_seconds=4.0, submission_cpu_seconds=2.7)
    children = [FakeChild([LOADED, "time"]), FakeChild([LOADED, "time"]), FakeChild([LOADED, "time"])]
    conversation = session(*children, limits=limits)
    conversation.load()
    verdicts = [ask(conversation, name, f"visible/{name}::t") for name in ("f", "g", "h")]
    # An import costs half a second here, and a stop its limit: 2.0 are gone before the second call, which may
    # still take 0.7.
    assert verdicts[0] == {"kind": "stopped", "reason": "time"}
    assert verdicts[1] == {"kind": "stopped", "reason": "budget"}
    assert [e.aside for e in conversation.exchanges[1:3]] == [{"seconds": 1.0}, {"seconds": 1.0}]
    assert children[1].asked[1][1] == pytest.approx(0.7)
    # Nothing is left for the third.
    assert verdicts[2] == {"kind": "stopped", "reason": "budget"}
    assert children[2].asked == []


def test_a_slow_function_gets_a_tenth_of_its_seconds():
    """After a time stop it has a tenth of its CPU seconds; another one has its full limits."""
    children = [FakeChild([LOADED, "time"]), FakeChild([LOADED, ONE, ONE])]
    conversation = session(*children, limits=Limits(call_cpu_seconds=1.0, call_wall_seconds=5.0))
    conversation.load()
    for name, test in (("f", "visible/A::t"), ("f", "visible/B::t"), ("g", "visible/C::t")):
        ask(conversation, name, test)
    assert [asked[1:] for asked in children[1].asked[1:]] == [(0.1, 5.0), (1.0, 5.0)]


def test_a_function_that_waited_gets_a_tenth_of_both_limits():
    """A function that used hardly any CPU time until it was stopped has less time to wait, too."""
    children = [FakeChild([LOADED, "wait"]), FakeChild([LOADED, ONE])]
    conversation = session(*children, limits=Limits(call_cpu_seconds=1.0, call_wall_seconds=5.0))
    conversation.load()
    for test in ("visible/A::t", "visible/B::t"):
        ask(conversation, "f", test)
    assert children[1].asked[1][1:] == (0.1, 0.5)


@pytest.mark.parametrize(("answers", "repeats"), [([], 2), ([ONE], 5), ([raised("ValueError")], 5)])
def test_slow_functions_are_not_called_for_ever(answers, repeats):
    """After a time stop a function that answered a call is called five times more, another one twice.

    Other functions are still called.
    """
    children = [FakeChild([LOADED, *answers, "time"]), *(FakeChild([LOADED, "time"]) for _ in range(repeats))]
    conversation = session(*children, FakeChild([LOADED, ONE, ONE]), limits=Limits(submission_cpu_seconds=60))
    conversation.load()
    for answer in answers:
        assert ask(conversation, "f", "visible/First::t") == answer.verdict
    slow = [ask(conversation, "f", f"visible/T{n}::t") for n in range(9)]
    assert slow == [{"kind": "stopped", "reason": "time"}] * 9
    assert [len(child.asked) for child in children[1:]] == [2] * repeats
    assert conversation.exchanges[-1].aside == {"seconds": 0.1, "again": True}
    assert ask(conversation, "g", "visible/Later::t") == ONE.verdict
    assert ask(conversation, "h", "visible/Last::t") == ONE.verdict


def test_stop_says_the_limit_that_was_applied():
    """The first call its full limit, the next one its share; a call that waited, that of waiting."""
    children = [FakeChild([LOADED, "time"]), FakeChild([LOADED, "time"])]
    conversation = session(*children, limits=Limits(call_cpu_seconds=1.0, call_wall_seconds=5.0))
    conversation.load()
    for test in ("visible/A::t", "visible/B::t"):
        ask(conversation, "f", test)
    first, second = (e.aside for e in conversation.exchanges if e.test)
    assert first == {"seconds": 1.0}
    assert second == {"seconds": children[1].asked[1][1], "again": True}
    assert second["seconds"] < 1.0
    conversation = session(FakeChild([LOADED, "time"]), limits=Limits(call_wall_seconds=1e-9))
    conversation.load()
    ask(conversation, "f", "visible/A::t")
    assert conversation.exchanges[-1].aside == {"seconds": 1e-9}


def test_wall_budget(monkeypatch):
    """When the submission's wall seconds are used up, nothing more is asked."""
    now = iter([0.0, 1.0, 1.0, 6.5, 7.0])
    monkeypatch.setattr("grader.suite.session.time.monotonic", lambda: next(now))
    conversation = session(
        FakeChild([LOADED, ONE]), limits=Limits(call_wall_seconds=6.0, submission_wall_seconds=6.0)
    )
    conversation.load()
    assert ask(conversation, test="visible/A::t") == ONE.verdict
    assert conversation.wall_spent == 6.5
    assert ask(conversation, test="visible/B::t") == {"kind": "stopped", "reason": "budget"}


def test_closing_twice():
    """The child is closed once."""
    child = FakeChild([LOADED])
    conversation = session(child)
    conversation.load()
    conversation.close()
    conversation.close()
    assert child.closed == 1
