"""One submission's conversation: what is asked again, what is kept, what is told."""

from __future__ import annotations

import pytest
from helpers import jail

from grader.course.model import Limits
from grader.sandbox.child import Reply, StoppedError
from grader.suite.session import Session

LOADED = Reply({"kind": "loaded"}, {"printed": "hello"})
ONE = Reply({"kind": "value", "value": 1}, {"printed": "one"})


def raised(*classes):
    """A reply with an exception."""
    return Reply({"kind": "raised", "classes": [*classes]}, {"type": classes[0]})


class FakeChild:
    """Gives the prepared answers in turn; a text among them stops it, for that reason."""

    def __init__(self, answers, *, flags=(), takes_files=True):
        self.answers = answers
        self.flags = frozenset(flags)
        self.asked = []
        self.files = None
        self.closed = 0
        self.spent = 0.0
        self.takes_files = takes_files

    def cpu_seconds(self):
        """Half a second for each question."""
        return self.spent

    def send_files(self, files):
        """Keep them, or end."""
        if not self.takes_files:
            raise StoppedError("ended")
        self.files = files

    def ask(self, request, *, cpu, wall):
        """The next answer."""
        self.asked.append((request, cpu, wall))
        answer = self.answers.pop(0)
        self.spent += 0.5
        if isinstance(answer, str):
            raise StoppedError(answer)
        return answer

    def close(self):
        """Count it."""
        self.closed += 1


class FakeZygote:
    """Gives prepared children in turn."""

    def __init__(self, *children):
        self.children = [*children]

    def spawn(self):
        """The next child."""
        return self.children.pop(0)


def session(*children, files=("reservation.py",), expected=("reservation.py",), limits=None):
    """A session whose children are these."""
    limits = limits or Limits(call_wall_seconds=5.0)
    return Session(FakeZygote(*children), limits, dict.fromkeys(files, b""), expected)


def ask(talk, name="f", test="visible/T::t", *, hidden=False):
    """Call a function without arguments."""
    return talk.answer(test, jail.call(name), hidden=hidden)


def test_importing_comes_first():
    """Each expected file in its order, with the time that importing has; what it printed is kept."""
    child = FakeChild([LOADED, LOADED])
    talk = session(child, files=("a.py", "b.py", "helper.py"), expected=("a.py", "b.py"))
    talk.load()
    assert [(request["module"], cpu, wall) for request, cpu, wall in child.asked] == [
        ("a", 2.0, 5.0),
        ("b", 2.0, 5.0),
    ]
    assert child.files == {"a.py": b"", "b.py": b"", "helper.py": b""}
    assert [(e.test, e.verdict, e.aside) for e in talk.exchanges] == [("", LOADED.verdict, LOADED.aside)] * 2


def test_a_file_that_did_not_come():
    """It is not asked for, and calls of its functions are answered without a child."""
    talk = session(FakeChild([]), files=())
    talk.load()
    assert talk.exchanges == []
    assert ask(talk) == {"kind": "not-loaded", "reason": "absent"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(raised("NameError", "Exception"), "raised"), ("time", "time"), (raised("SystemExit"), "ended")],
)
def test_a_file_that_cannot_be_imported(answer, reason):
    """Its functions are not called; the reason is how the import ended."""
    talk = session(FakeChild([answer]))
    talk.load()
    assert ask(talk) == {"kind": "not-loaded", "reason": reason}
    assert len(talk.exchanges) == 2


def test_what_hidden_tests_saw_is_not_told():
    """The verdict is kept for both; what was said beside it only for visible tests."""
    talk = session(FakeChild([LOADED, ONE, ONE]))
    talk.load()
    assert ask(talk) == ask(talk, test="hidden/T::t", hidden=True) == ONE.verdict
    assert [(e.test, e.aside) for e in talk.exchanges[1:]] == [
        ("visible/T::t", ONE.aside),
        ("hidden/T::t", {}),
    ]


def test_after_a_stop():
    """The rest of the class is not asked; the next class gets a fresh child, which imports again, untold."""
    first, second = FakeChild([LOADED, "memory"]), FakeChild([LOADED, ONE])
    talk = session(first, second)
    talk.load()
    stopped = {"kind": "stopped", "reason": "memory"}
    assert ask(talk, test="visible/A::one") == ask(talk, test="visible/A::two") == stopped
    assert first.closed == 1
    assert ask(talk, test="visible/B::one") == ONE.verdict
    assert [request["verb"] for request, *_ in second.asked] == ["load", "call"]
    assert [e.test for e in talk.exchanges] == ["", "visible/A::one", "visible/A::two", "visible/B::one"]


@pytest.mark.parametrize(("answer", "reason"), [(raised("ValueError"), "ended"), ("time", "time")])
def test_a_second_import_that_fails(answer, reason):
    """A file that could be imported once and not again stops the class."""
    talk = session(FakeChild([LOADED, "ended"]), FakeChild([answer]))
    talk.load()
    ask(talk, test="visible/A::one")
    assert ask(talk, test="visible/B::one") == {"kind": "stopped", "reason": reason}


def test_a_child_that_takes_no_files():
    """One that ended before it had its files is asked all the same, and says how it ended."""
    child = FakeChild(["ended"], takes_files=False)
    talk = session(child)
    talk.load()
    assert talk.exchanges[0].verdict == {"kind": "stopped", "reason": "ended"}


def test_exceptions_that_end_a_program():
    """SystemExit is a stop that keeps its place; the process lives on and is asked by the next class."""
    talk = session(FakeChild([LOADED, raised("SystemExit", "BaseException"), ONE]))
    talk.load()
    assert ask(talk, test="visible/A::t") == {"kind": "stopped", "reason": "ended"}
    assert talk.exchanges[-1].aside == {"type": "SystemExit"}
    assert ask(talk, test="visible/B::t") == ONE.verdict
    assert talk.flags == {"ended-process"}


def test_exceptions_for_want_of_memory():
    """MemoryError is a stop as well; a process that had none left is not used again."""
    first, second = FakeChild([LOADED, raised("MemoryError", "Exception")]), FakeChild([LOADED, ONE])
    talk = session(first, second)
    talk.load()
    assert ask(talk, test="visible/A::t") == {"kind": "stopped", "reason": "memory"}
    assert first.closed == 1
    assert ask(talk, test="visible/B::t") == ONE.verdict


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
    """What the jail saw, how it ended, what posed as a number: also while hidden tests run."""
    talk = session(FakeChild([LOADED, answer], flags=["tried-network"]))
    talk.load()
    ask(talk, test="hidden/A::t", hidden=True)
    talk.close()
    assert talk.flags == flags


def test_the_time_of_a_stop_is_told():
    """How long a call had, so that feedback can say it; what is cut short by the whole's end says budget."""
    limits = Limits(call_cpu_seconds=1.0, call_wall_seconds=4.0, submission_cpu_seconds=2.2)
    children = [FakeChild([LOADED, "time"]), FakeChild([LOADED, "time"]), FakeChild([LOADED, "time"])]
    talk = session(*children, limits=limits)
    talk.load()
    verdicts = [ask(talk, name, f"visible/{name}::t") for name in ("f", "g", "h")]
    # Each question costs half a second here: 1.5 are gone before the second call, which may still take 0.7.
    assert verdicts[0] == {"kind": "stopped", "reason": "time"}
    assert verdicts[1] == {"kind": "stopped", "reason": "budget"}
    assert [e.aside for e in talk.exchanges[1:3]] == [{"seconds": 1.0}, {"seconds": 1.0}]
    assert children[1].asked[1][1] == pytest.approx(0.7)
    # The import before the third uses up the last 0.2 and more: it is not called at all.
    assert verdicts[2] == {"kind": "stopped", "reason": "budget"}
    assert [request["verb"] for request, *_ in children[2].asked] == ["load"]


def test_a_second_chance_is_short():
    """A function that was too slow gets a fifth of both times; another one its full time."""
    children = [FakeChild([LOADED, "time"]), FakeChild([LOADED, ONE, ONE])]
    talk = session(*children, limits=Limits(call_cpu_seconds=1.0, call_wall_seconds=5.0))
    talk.load()
    for name, test in (("f", "visible/A::t"), ("f", "visible/B::t"), ("g", "visible/C::t")):
        ask(talk, name, test)
    assert [asked[1:] for asked in children[1].asked[1:]] == [(0.2, 1.0), (1.0, 5.0)]


def test_time_on_the_wall_counts_as_well(monkeypatch):
    """When the hand-in's time on the wall is gone, nothing more is asked, whatever it has computed."""
    now = iter([0.0, 1.0, 1.0, 6.5, 7.0])
    monkeypatch.setattr("grader.suite.session.time.monotonic", lambda: next(now))
    talk = session(
        FakeChild([LOADED, ONE]), limits=Limits(call_wall_seconds=6.0, submission_wall_seconds=6.0)
    )
    talk.load()
    assert ask(talk, test="visible/A::t") == ONE.verdict
    assert talk.wall_spent == 6.5
    assert ask(talk, test="visible/B::t") == {"kind": "stopped", "reason": "budget"}


def test_closing_twice():
    """A session without a child has nothing to close."""
    child = FakeChild([LOADED])
    talk = session(child)
    talk.load()
    talk.close()
    talk.close()
    assert child.closed == 1
