"""Why a test failed, in a sentence; failed_tests.txt and failed_imports.txt in tests/golden have them all."""

import sys

import pytest
from helpers.golden import assert_golden
from hypothesis import given
from hypothesis import strategies as st

from grader.bundle.hints import hint
from grader.bundle.newer import line_needs
from grader.course.model import Limits
from grader.grading.sentences import Source, call_of, failed_import, failed_test, kind_of
from grader.sandbox.reply import check_verdict, clean_aside
from grader.suite.run import Exchange

LIMITS = Limits()
CALL = {
    "verb": "call",
    "module": "reservation",
    "name": "used_slots",
    "arguments": [[20, 35], 100],
    "keywords": [],
}
CONSTANT = {"verb": "constant", "module": "hands_on", "name": "IDLE", "arguments": [], "keywords": []}
VALUE = {"error": "AssertionError", "verdict": "value", "what": "value", "expected": "55", "message": ""}
UNDONE = {"error": "NotImplementedError", "verdict": "value"}
SHARE = {**VALUE, "expected": "0.5 ± 1.0e-09"}
COUNT = {**VALUE, "what": "type", "expected": "int", "message": "a count is an int, such as 55"}
CHANGED = {**VALUE, "what": "argument", "expected": "[20, 35]"}
NOT_RAISED = {"error": "Failed", "verdict": "value", "what": "raises", "expected": "DID NOT RAISE ValueError"}
TYPED = [["reservation.py", 12, "helper"], ["reservation.py", 41, "used_slots"]]
OTHER = [["reservation.py", 9, "reserved_slots"]]
RAISED = {"kind": "raised", "classes": ["Exception"]}


def said(verdict, failure=VALUE, aside=None, request=CALL, **more):
    """The sentence on a failed test."""
    return failed_test(Exchange("visible/t", request, verdict, aside or {}), failure, LIMITS, **more)


def imported(verdict, aside=None):
    """The sentence on an import that failed."""
    exchange = Exchange("", {"verb": "load", "module": "reservation"}, verdict, aside or {})
    return failed_import("reservation.py", exchange, LIMITS)


def value(content, **more):
    """A verdict with a value."""
    return {"kind": "value", "value": content, **more}


def error(name, text="", where=TYPED, **more):
    """The aside of an exception."""
    return {"type": name, "text": text, "where": where, **more}


def syntax(text, *place):
    """The aside of a syntax error; its place is file, line, column and the line itself."""
    return {"type": "SyntaxError", "text": text, "syntax": [*place]}


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (CALL, "used_slots([20, 35], 100)"),
        (CONSTANT, "IDLE"),
        (
            {**CALL, "arguments": [{"t": [1]}], "keywords": [["max_len", None]]},
            "used_slots((1,), max_len=None)",
        ),
        ({**CALL, "arguments": [{"g": [1, 2]}]}, "used_slots((n for n in [1, 2]))"),
    ],
)
def test_the_call_as_it_would_be_typed(request_, text):
    """Arguments by position and name; a generator by its items; a constant by its name alone."""
    assert call_of(request_) == text


# (what the example shows, the verdict, the failure's facts, the aside, the request)
TESTS = [
    ("a wrong value", value(54)),
    ("None", value(None)),
    ("another type", value([55])),
    ("a generator", value({"o": ""}), VALUE, {"type": "generator"}),
    ("an object of a type not known", value({"o": ""})),
    ("a wrong share", value(0.25), SHARE),
    ("a share as a fraction", value({"q": [1, 3]}), SHARE),
    ("a float for a count, with the test's words", value(55.0), COUNT),
    ("a wrong constant", value(7), {**VALUE, "what": "", "message": "count again"}, {}, CONSTANT),
    ("a constant without an answer", value(None), UNDONE, {}, CONSTANT),
    ("the same, with its TODO", value(None), {**UNDONE, "todo": "TODO 3"}, {}, CONSTANT),
    ("a changed argument", value(55, changed=[[0, []]]), CHANGED),
    ("a changed argument that cannot be shown", value(55, changed=[[0, {"o": ""}]]), CHANGED),
    ("no exception", value(135), NOT_RAISED),
    ("an exception", RAISED, {}, error("KeyError", "'x'")),
    ("an exception without text and place", RAISED, {}, error("KeyError", where=[])),
    ("an exception without anything", RAISED),
    ("other arguments", RAISED, {}, error("TypeError", "used_slots() takes 1 argument", [], signature=True)),
    ("endless recursion", RAISED, {}, error("RecursionError", "maximum recursion depth exceeded")),
    ("not started", RAISED, {}, error("NotImplementedError", "TODO 7")),
    ("calls what is not started", RAISED, {}, error("NotImplementedError", "", OTHER)),
    ("the same, with its TODO", RAISED, {}, error("NotImplementedError", "TODO 6", OTHER)),
    ("input()", RAISED, {}, error("EOFError", "EOF when reading a line")),
    ("another end of file", RAISED, {}, error("EOFError", "no more")),
    ("too slow", {"kind": "stopped", "reason": "time"}),
    ("too slow, with other limits", {"kind": "stopped", "reason": "time"}, {}, {"seconds": 0.5}),
    (
        "too slow, after one that was",
        {"kind": "stopped", "reason": "time"},
        {},
        {"seconds": 0.2, "again": True},
    ),
    ("too much memory", {"kind": "stopped", "reason": "memory"}),
    ("the hand-in's time is used up", {"kind": "stopped", "reason": "budget"}),
    ("a crash", {"kind": "stopped", "reason": "crashed"}),
    ("no answer", {"kind": "stopped", "reason": "protocol"}),
    ("the process ended", {"kind": "stopped", "reason": "ended"}),
    ("sys.exit()", {"kind": "stopped", "reason": "ended"}, {}, error("SystemExit")),
    ("no such function, but a similar one", {"kind": "missing"}, {}, {"names": ["use_slots", "x"]}),
    ("no such function", {"kind": "missing"}),
    ("not a function", {"kind": "uncallable"}),
    ("its file was not imported", {"kind": "not-loaded", "reason": "raised"}),
]

# (what the example shows, the verdict, the aside)
MODULE = [["reservation.py", 5, "<module>"]]
HELPER = [["reservation.py", 1, "<module>"], ["helper.py", 2, "<module>"]]
IMPORTS = [
    ("too slow", {"kind": "stopped", "reason": "time"}),
    ("waiting too long", {"kind": "stopped", "reason": "time"}, {"seconds": 6.0}),
    ("too much memory", {"kind": "stopped", "reason": "memory"}),
    ("a crash", {"kind": "stopped", "reason": "crashed"}),
    ("the hand-in's time is used up", {"kind": "stopped", "reason": "budget"}),
    ("no answer", {"kind": "stopped", "reason": "protocol"}),
    ("the process ended", {"kind": "stopped", "reason": "ended"}),
    ("sys.exit()", {"kind": "stopped", "reason": "ended"}, error("SystemExit", where=MODULE)),
    ("a syntax error", RAISED, syntax("expected ':'", "reservation.py", 3, 10, "def f()")),
    ("a syntax error of a helper", RAISED, syntax("invalid syntax", "helper.py", 0, 0, "")),
    ("a syntax error without a place", RAISED, {"type": "SyntaxError", "text": "x"}),
    ("NUL", RAISED, syntax("source code string cannot contain null bytes", "", 0, 0, "")),
    ("NUL in a helper", RAISED, syntax("source code cannot contain null bytes", "helper.py", 0, 0, "")),
    ("an unknown coding", RAISED, syntax("unknown encoding: latin-7", "reservation.py", 0, 0, "")),
    (
        "not UTF-8",
        RAISED,
        syntax("(unicode error) 'utf-8' codec can't decode byte 0xe9", "reservation.py", 4, 0, ""),
    ),
    (
        "an odd character",
        RAISED,
        syntax("invalid non-printable character U+00A0", "reservation.py", 2, 5, ""),
    ),
    ("an exception", RAISED, error("NameError", "name 'n' is not defined", MODULE)),
    ("an exception without text and place", RAISED, {"type": "MemoryError"}),
    ("an exception without anything", RAISED),
    ("a missing module", RAISED, error("ModuleNotFoundError", where=MODULE, module="numpy")),
    ("input()", RAISED, error("EOFError", where=MODULE)),
    ("a window", RAISED, error("TclError", "no display", MODULE)),
    ("a leading dot", RAISED, {"type": "ImportError", "text": "attempted relative import with no known"}),
    (
        "two files that import each other",
        RAISED,
        error(
            "ImportError", "cannot import name 'f' from partially initialized module 'reservation'", HELPER
        ),
    ),
    (
        "the same, by attribute",
        RAISED,
        error("AttributeError", "partially initialized module 'reservation' has no attribute 'f'", HELPER),
    ),
]


def test_every_sentence_on_a_failed_test():
    """Each kind of failure has its own sentence, whatever little is known of it."""
    lines = [f"{shows}: {said(*rest, expected='55')}\n" for shows, *rest in TESTS]
    assert_golden("failed_tests.txt", "".join(lines))


def test_every_sentence_on_a_failed_import():
    """The line and why, where Python says so; a file that takes part is named, be it a helper."""
    assert_golden("failed_imports.txt", "".join(f"{shows}: {imported(*rest)}\n" for shows, *rest in IMPORTS))


def test_a_newer_python(monkeypatch):
    """Syntax of a later version is named as such, with the version that runs."""
    monkeypatch.setattr("grader.bundle.newer.line_needs", lambda *_: "3.99")
    text = imported(RAISED, syntax("invalid syntax", "reservation.py", 2, 1, "type X = int"))
    assert "Python 3.99" in text
    assert f"Python {sys.version_info.major}.{sys.version_info.minor}" in text


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("type Point = tuple[int, int]", "3.12"),
        ("    type Alias[T] = list[T]", "3.12"),
        ("def first[T](values: list[T]) -> T:", "3.12"),
        ("class Box[T]:", "3.12"),
        ("async def f[T](x): ...", "3.12"),
        ("except ValueError, TypeError:", "3.14"),
        ("    except* errors.A, errors.B:", "3.14"),
        ("x = t'{name}'", "3.14"),
        ('x = Tr"{name}"', "3.14"),
        ('print(rt"{name}")', "3.14"),
        ("lazy import json", "3.15"),
        ("lazy from json import dumps", "3.15"),
    ],
)
def test_signs_of_a_newer_python(line, version):
    """The first version that can read such a line."""
    assert line_needs(line, (3, 11)) == version


@pytest.mark.parametrize(
    "line",
    [
        "",
        "type = 5",
        "type(x) == int",
        "def first(values):",
        "class Box(dict[str, int]):",
        "except (ValueError, TypeError):",
        "except ValueError as error:",
        "except ValueError, error:",
        "x = 'it is not'",
        'part"of a name"',
        "print('left' 'right')",
        "lazy = import_module('json')",
        "def broken(:",
    ],
)
def test_ordinary_lines(line):
    """Lines that every Python reads, or none, need no newer version."""
    assert line_needs(line, (3, 11)) == ""


def test_only_what_is_newer_than_the_running_one():
    """A line that the running Python knows needs no newer version."""
    assert line_needs("type Point = int", (3, 11)) == "3.12"
    assert line_needs("type Point = int", (3, 12)) == ""


junk = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.just("\ud800\x1b[2J")
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=12,
)
KEYS = ["type", "text", "module", "where", "syntax", "signature", "names", "impostor", "printed", "seconds"]
asides = st.dictionaries(st.sampled_from(KEYS), junk)
values = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(max_size=5), st.just({"o": "x"}), st.just({"q": [1, 3]})),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=10,
)
failures = st.fixed_dictionaries(
    {
        "error": st.sampled_from(["AssertionError", "Failed", "NotImplementedError", "SyntaxError"]),
        "what": st.sampled_from(["", "value", "type", "argument", "raises"]),
        "expected": st.sampled_from(["", "55", "[20, 35]", "int", "0.5 ± 1.0e-09", "ValueError"]),
        "message": st.sampled_from(["", "a count is an int"]),
    }
)


calls = st.fixed_dictionaries(
    {"kind": st.sampled_from(["value", "raised", "missing", "uncallable"]), "value": values},
    optional={"changed": values.map(lambda content: [[0, [content]]])},
)
constants = st.fixed_dictionaries({"kind": st.sampled_from(["value", "raised", "missing"]), "value": values})
replies = st.one_of(st.tuples(st.just(CALL), calls), st.tuples(st.just(CONSTANT), constants))


@given(replies, asides, failures)
def test_any_aside_gives_a_sentence(reply, aside, failure):
    """One line of printable text, not too long, whatever the submission said."""
    request_, answer = reply
    verdict = check_verdict({"n": "x", "classes": ["ValueError"], **answer}, "x", request_)
    text = said(verdict, failure, clean_aside(aside, 100), request_)
    assert text.isprintable()
    assert 10 < len(text) < 2_000


@given(st.sampled_from(["raised", "time", "memory", "ended", "crashed", "protocol", "budget"]), asides)
def test_any_aside_of_an_import_gives_a_sentence(how, aside):
    """The same."""
    verdict = RAISED if how == "raised" else {"kind": "stopped", "reason": how}
    text = imported(verdict, clean_aside(aside, 100))
    assert text.isprintable()
    assert 10 < len(text) < 2_000


STUB = "def used_slots(lengths):\n    x = 1\n    raise NotImplementedError\n"


@pytest.mark.parametrize(
    ("kind", "verdict", "failure", "aside"),
    [
        ("value", value(54), VALUE, {}),
        ("no-error", value(135), NOT_RAISED, {}),
        ("", value(None), UNDONE, {}),
        ("", {"kind": "missing"}, {}, {}),
        ("IndexError", RAISED, {}, error("IndexError", "list index out of range")),
        ("error", RAISED, {}, error("KeyError", "'x'")),
        ("error", RAISED, {}, error("slow")),
        ("error", RAISED, {}, {}),
        ("arguments", RAISED, {}, error("TypeError", "takes 1 argument", [], signature=True)),
        ("left-over", RAISED, {}, error("NotImplementedError")),
        ("slow", {"kind": "stopped", "reason": "time"}, {}, {}),
        ("slow", {"kind": "stopped", "reason": "budget"}, {}, {}),
        ("memory", {"kind": "stopped", "reason": "memory"}, {}, {}),
        ("ended", {"kind": "stopped", "reason": "ended"}, {}, {}),
        ("RecursionError", {"kind": "stopped", "reason": "crashed"}, {}, {}),
    ],
)
def test_kind_of_a_failure_decides_its_hint(kind, verdict, failure, aside):
    """A name that the submission chose itself is never a kind; only errors that we have a hint on are."""
    exchange = Exchange("visible/t", CALL, verdict, aside)
    assert kind_of(exchange, failure, [Source("reservation.py", STUB)]) == kind
    assert (hint("own", kind) == "own") is (kind in ("", "value", "no-error"))
