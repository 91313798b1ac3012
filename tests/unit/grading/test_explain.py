"""Why a test failed, in a sentence; whatever a submission says of itself."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.model import Limits
from grader.grading.explain import call_of, failed_import, failed_test
from grader.sandbox.aside import cleaned
from grader.sandbox.inside import wire
from grader.sandbox.verdict import verdict_of
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
TYPED = [["reservation.py", 12, "helper"], ["reservation.py", 41, "used_slots"]]


def said(verdict, failure=VALUE, aside=None, request=CALL, **more):
    """The sentence on a failed test."""
    return failed_test(Exchange("visible/t", request, verdict, aside or {}), failure, LIMITS, **more)


def value(content, **more):
    """A verdict with a value."""
    return {"kind": "value", "value": content, **more}


def raised(error, text="", where=TYPED, **more):
    """What is said of an exception: the verdict and the aside."""
    aside = {"type": error, "text": text, "where": where, **more}
    return {
        "verdict": {"kind": "raised", "classes": ["Exception"]},
        "aside": aside,
        "failure": {"error": error},
    }


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


@pytest.mark.parametrize(
    ("content", "aside", "sentence"),
    [
        (54, {}, "used_slots([20, 35], 100) returned 54; expected 55."),
        (
            None,
            {},
            (
                "used_slots([20, 35], 100) returned None; expected 55. "
                "Does the function print its answer, or miss a return at its end?"
            ),
        ),
        (
            [55],
            {},
            (
                "used_slots([20, 35], 100) returned [55]; expected 55. "
                "This is a list; a whole number (int) is promised here."
            ),
        ),
        (
            {"o": ""},
            {"type": "generator"},
            (
                "used_slots([20, 35], 100) returned a value of type generator; expected 55. "
                "This is a generator of values; a whole number (int) is promised here."
            ),
        ),
        (
            {"o": ""},
            {},
            (
                "used_slots([20, 35], 100) returned a value of type object; expected 55. "
                "A whole number (int) is promised here."
            ),
        ),
    ],
)
def test_a_wrong_value(content, aside, sentence):
    """The value as it is, or the type of what is not plain data, and what that suggests."""
    assert said(value(content), aside=aside) == sentence


def test_a_wrong_share():
    """What is wanted within a tolerance is said as the number; a fraction is shown as one."""
    failure = {**VALUE, "expected": "0.5 ± 1.0e-09"}
    assert said(value(0.25), failure) == "used_slots([20, 35], 100) returned 0.25; expected 0.5."
    third = wire.encode(Fraction(1, 3))
    assert "returned Fraction(1, 3); expected 0.5." in said(value(third), failure)


def test_a_wrong_type():
    """With the test's own words where it has some."""
    failure = {**VALUE, "what": "type", "expected": "int", "message": "a count is an int, such as 55"}
    assert said(value(55.0), failure) == (
        "used_slots([20, 35], 100) returned 55.0: a count is an int, such as 55."
    )


def test_a_wrong_constant():
    """A constant *is* something."""
    failure = {**VALUE, "what": "", "message": "count again"}
    assert said(value(7), failure, request=CONSTANT) == "IDLE is 7: count again."


def test_a_constant_that_is_none():
    """It is not started, and the TODO is the one that its test names."""
    failure = {"error": "NotImplementedError", "verdict": "value"}
    assert said(value(None), failure, request=CONSTANT) == "IDLE is not started: hands_on.py."
    failure["todo"] = "TODO 3"
    assert said(value(None), failure, request=CONSTANT) == "IDLE is not started: hands_on.py, TODO 3."


def test_a_changed_argument():
    """Before and after, with one that cannot be shown as well."""
    failure = {**VALUE, "what": "argument", "expected": "[20, 35]"}
    assert said(value(55, changed=[[0, []]]), failure) == (
        "used_slots([20, 35], 100) changed its argument: it was [20, 35] and is now []; "
        "expected it left as it was."
    )
    assert "is now <not plain data>" in said(value(55, changed=[[0, {"o": ""}]]), failure)


def test_no_exception():
    """What came back instead."""
    failure = {"error": "Failed", "verdict": "value", "what": "raises", "expected": "ValueError"}
    assert said(value(135), failure) == (
        "used_slots([20, 35], 100) returned 135; expected a ValueError to be raised."
    )


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            raised("KeyError", "'x'"),
            "used_slots([20, 35], 100) raised KeyError: 'x', at reservation.py line 41; expected 55.",
        ),
        (raised("KeyError", where=[]), "used_slots([20, 35], 100) raised KeyError; expected 55."),
        (
            raised(
                "TypeError", "used_slots() takes 1 positional argument but 2 were given", [], signature=True
            ),
            (
                "used_slots([20, 35], 100) was not accepted: the function takes other arguments (used_slots"
                "() takes 1 positional argument but 2 were given). Keep its first line as it was in the stub."
            ),
        ),
        (
            raised("RecursionError", "maximum recursion depth exceeded"),
            "used_slots([20, 35], 100) called itself too often (RecursionError), at reservation.py line 41.",
        ),
        (raised("NotImplementedError", "TODO 7"), "used_slots is not started: reservation.py, TODO 7."),
        (
            raised("EOFError", "EOF when reading a line"),
            "reservation.py calls input() in line 41, and nobody answers it here: use a fixed value instead.",
        ),
        (
            raised("EOFError", "no more"),
            "used_slots([20, 35], 100) raised EOFError: no more, at reservation.py line 41; expected 55.",
        ),
        (
            raised("NotImplementedError", "", [["reservation.py", 9, "reserved_slots"]]),
            "used_slots([20, 35], 100) calls reserved_slots, which is not started.",
        ),
        (
            raised("NotImplementedError", "TODO 6", [["reservation.py", 9, "reserved_slots"]]),
            "used_slots([20, 35], 100) calls reserved_slots, which is not started: TODO 6.",
        ),
    ],
)
def test_exceptions(error, sentence):
    """The type, the text and the place; what is no mistake yet; what the call itself did not fit."""
    assert said(**error, expected="55") == sentence


def test_an_exception_of_which_nothing_is_said():
    """Without a type or a text it is still one."""
    verdict = {"kind": "raised", "classes": []}
    assert said(verdict, {"error": "Exception"}) == "used_slots([20, 35], 100) raised an error."


@pytest.mark.parametrize(
    ("reason", "aside", "sentence"),
    [
        ("time", {}, "took too long and was stopped after 1 second: does every loop in it come to an end?"),
        (
            "time",
            {"seconds": 0.2},
            "took too long and was stopped after 0.2 seconds: does every loop in it come",
        ),
        ("memory", {}, "asked for too much memory and was stopped"),
        ("budget", {}, "was not finished: the calls so far have used up the time"),
        ("crashed", {}, "crashed Python itself; a recursion that never ends can do that."),
        ("protocol", {}, "gave no answer that could be read."),
        ("ended", {}, "ended the whole program (exit) instead of returning its answer."),
        (
            "ended",
            {"type": "SystemExit", "where": TYPED},
            (
                "ended the whole program (sys.exit() or quit() at reservation.py line 41) instead of "
                "returning its answer."
            ),
        ),
    ],
)
def test_stops(reason, aside, sentence):
    """Each end of a call has its own sentence."""
    text = said({"kind": "stopped", "reason": reason}, {"verdict": "stopped"}, aside)
    assert text.startswith(f"used_slots([20, 35], 100) {sentence}")


def test_functions_that_are_not_there():
    """Missing, with the nearest name; no function at all; a file that could not be imported."""
    missing = {"kind": "missing"}
    assert said(missing, aside={"names": ["use_slots", "x"]}) == (
        "reservation.py has no used_slots. It has use_slots: give it the name used_slots."
    )
    assert said(missing) == "reservation.py has no used_slots. Put it back under this name: used_slots."
    assert (
        said({"kind": "uncallable"}) == "used_slots in reservation.py is not a function: define it with def."
    )
    assert said({"kind": "not-loaded", "reason": "raised"}) == (
        "used_slots([20, 35], 100) was not run: reservation.py could not be imported."
    )


def imported(verdict, aside=None):
    """The sentence on an import that failed."""
    exchange = Exchange("", {"verb": "load", "module": "reservation"}, verdict, aside or {})
    return failed_import("reservation.py", exchange, LIMITS)


RAISED = {"kind": "raised", "classes": ["Exception"]}


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("time", "reservation.py took too long to import and was stopped after 2 seconds"),
        ("memory", "Importing reservation.py asked for too much memory"),
        ("crashed", "reservation.py crashed Python itself while it was being imported."),
        (
            "budget",
            "reservation.py was not imported: the time that there is for one hand-in was used up before.",
        ),
        ("protocol", "reservation.py gave no answer that could be read while it was being imported."),
        ("ended", "reservation.py ends the program while it is being read (exit): remove that call."),
    ],
)
def test_imports_that_were_stopped(reason, sentence):
    """Each end of an import has its own sentence."""
    assert imported({"kind": "stopped", "reason": reason}).startswith(sentence)


@pytest.mark.parametrize(
    ("aside", "sentence"),
    [
        (
            {"type": "SyntaxError", "text": "expected ':'", "syntax": ["reservation.py", 3, 10, "def f()"]},
            "reservation.py line 3 is not valid Python: expected ':'. The line reads: def f()",
        ),
        (
            {"type": "SyntaxError", "text": "invalid syntax", "syntax": ["helper.py", 0, 0, ""]},
            "helper.py is not valid Python: invalid syntax.",
        ),
        (
            {
                "type": "SyntaxError",
                "text": "source code string cannot contain null bytes",
                "syntax": ["", 0, 0, ""],
            },
            "reservation.py could not be read: it holds NUL characters; save it as UTF-8.",
        ),
        (
            {"type": "SyntaxError", "text": "x"},
            "reservation.py could not be imported: SyntaxError: x.",
        ),
        (
            {
                "type": "NameError",
                "text": "name 'n' is not defined",
                "where": [["reservation.py", 5, "<module>"]],
            },
            "reservation.py could not be imported: NameError: name 'n' is not defined, at line 5.",
        ),
        (
            {"type": "ModuleNotFoundError", "module": "numpy", "where": [["reservation.py", 1, "<module>"]]},
            (
                "reservation.py imports numpy (line 1), which is neither in Python's standard library nor "
                "among the files that were handed in: hand in numpy.py too if it is yours, or do without it."
            ),
        ),
        (
            {"type": "EOFError", "where": [["reservation.py", 2, "<module>"]]},
            "reservation.py calls input() line 2, and nobody answers it here: use a fixed value instead.",
        ),
        ({}, "reservation.py could not be imported: an error."),
        (
            {"type": "TclError", "text": "no display", "where": [["reservation.py", 4, "<module>"]]},
            "reservation.py line 4 opens a window, and there is no screen here: leave that out.",
        ),
        (
            {"type": "ImportError", "text": "attempted relative import with no known parent package"},
            "reservation.py imports with a leading dot, which only a package may: leave the dot out.",
        ),
        (
            {
                "type": "ImportError",
                "text": "cannot import name 'f' from partially initialized module 'reservation'",
                "where": [["reservation.py", 1, "<module>"], ["helper.py", 2, "<module>"]],
            },
            (
                "helper.py line 2 needs something of reservation.py, which in turn waits for helper.py: the "
                "two import each other. Move what both need into one of them."
            ),
        ),
        (
            {
                "type": "SyntaxError",
                "text": "unknown encoding: latin-7",
                "syntax": ["reservation.py", 0, 0, ""],
            },
            (
                "reservation.py could not be read: its coding line does not name the encoding that it has; "
                "remove that line and save it as UTF-8."
            ),
        ),
        (
            {
                "type": "SyntaxError",
                "text": "(unicode error) 'utf-8' codec can't decode byte 0xe9",
                "syntax": ["reservation.py", 4, 0, ""],
            },
            "reservation.py could not be read: it is not text in UTF-8 (line 4); save it so.",
        ),
        (
            {
                "type": "SyntaxError",
                "text": "invalid non-printable character U+00A0",
                "syntax": ["reservation.py", 2, 5, ""],
            },
            (
                "reservation.py line 2 is not valid Python: invalid non-printable character U+00A0 in column "
                "5, probably copied from a page or a document: type it anew."
            ),
        ),
    ],
)
def test_imports_that_raised(aside, sentence):
    """The line and why, where Python says so."""
    assert imported(RAISED, aside).replace(" in line", " line") == sentence


def test_an_import_that_ends_the_program():
    """With the line of the call."""
    aside = {"type": "SystemExit", "where": [["reservation.py", 7, "<module>"]]}
    assert imported({"kind": "stopped", "reason": "ended"}, aside) == (
        "reservation.py ends the program while it is being read (sys.exit() or quit() in line 7): "
        "remove that call."
    )


def test_a_newer_python(monkeypatch):
    """Syntax of a later version is named as such, with the version that runs."""
    monkeypatch.setattr("grader.grading.explain.newer.python_needed", lambda _: "3.99")
    aside = {
        "type": "SyntaxError",
        "text": "invalid syntax",
        "syntax": ["reservation.py", 2, 1, "type X = int"],
    }
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert (
        imported(RAISED, aside)
        == f"reservation.py line 2 needs Python 3.99 or newer; this is Python {running}."
    )


junk = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.just("\ud800\x1b[2J")
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=12,
)
KEYS = ["type", "text", "module", "where", "syntax", "signature", "names", "poses", "printed", "seconds"]
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
def test_whatever_is_said_there_is_a_sentence(reply, aside, failure):
    """One line of printable text, not too long, however a submission answers for itself."""
    request_, answer = reply
    verdict = verdict_of({"n": "x", "classes": ["ValueError"], **answer}, "x", request_)
    text = said(verdict, failure, cleaned(aside, 100), request_)
    assert text.isprintable()
    assert 10 < len(text) < 2_000


@given(st.sampled_from(["raised", "time", "memory", "ended", "crashed", "protocol", "budget"]), asides)
def test_whatever_is_said_of_an_import(how, aside):
    """The same."""
    verdict = RAISED if how == "raised" else {"kind": "stopped", "reason": how}
    text = imported(verdict, cleaned(aside, 100))
    assert text.isprintable()
    assert 10 < len(text) < 2_000
