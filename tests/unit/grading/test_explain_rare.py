"""The sentences of grader.grading.explain that few students ever read; test_cases.py has the common ones."""

from __future__ import annotations

import pytest

from grader.course.model import Limits
from grader.grading.explain import call_of, failed_import, failed_test
from grader.suite.run import Exchange

LIMITS = Limits()


def call(name="total", arguments=(), keywords=()):
    """A request for a call."""
    return {
        "verb": "call",
        "module": "sums",
        "name": name,
        "arguments": list(arguments),
        "keywords": list(keywords),
    }


def loaded(verdict, aside):
    """The sentence for an import that ended so."""
    request = {"verb": "load", "module": "sums"}
    return failed_import("sums.py", Exchange("", request, verdict, aside), LIMITS)


def test_a_call_is_shown_as_it_would_be_typed():
    """A generator by its items; a constant by its name."""
    assert call_of(call(arguments=[{"g": [1, 2]}], keywords=[["start", 3]])) == (
        "total((n for n in [1, 2]), start=3)"
    )
    assert call_of({"verb": "constant", "module": "sums", "name": "ANSWER"}) == "ANSWER"


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        (
            "budget",
            (
                "total(1) was not finished: the calls so far have used up the time that there is for one "
                "hand-in."
            ),
        ),
        ("protocol", "total(1) gave no answer that could be read."),
    ],
)
def test_a_call_that_was_stopped(reason, sentence):
    """By what the calls before it used up, or for an answer that is none."""
    exchange = Exchange("t", call(arguments=[1]), {"kind": "stopped", "reason": reason}, {})
    assert failed_test(exchange, {}, LIMITS) == sentence


def test_a_call_of_a_file_that_was_not_loaded():
    """Its file says why; the call was not run."""
    exchange = Exchange("t", call(arguments=[1]), {"kind": "not-loaded", "reason": "raised"}, {})
    assert failed_test(exchange, {}, LIMITS) == "total(1) was not run: sums.py could not be imported."


def test_a_function_that_waits_for_another_names_it():
    """What is not started is the other one."""
    aside = {
        "type": "NotImplementedError",
        "text": "TODO 2: add",
        "where": [["sums.py", 9, "total"], ["sums.py", 3, "double"]],
    }
    exchange = Exchange("t", call(arguments=[1]), {"kind": "raised", "classes": []}, aside)
    assert failed_test(exchange, {}, LIMITS) == "total(1) calls double, which is not started: TODO 2: add."


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("crashed", "sums.py crashed Python itself while it was being imported."),
        ("budget", "sums.py was not imported: the time that there is for one hand-in was used up before."),
        ("protocol", "sums.py gave no answer that could be read while it was being imported."),
    ],
)
def test_an_import_that_was_stopped(reason, sentence):
    """Each reason has its own words."""
    assert loaded({"kind": "stopped", "reason": reason}, {}) == sentence


def test_an_error_without_a_place_has_no_line():
    """Nothing of the submission was running when it was raised."""
    raised = {"kind": "raised", "classes": ["MemoryError"]}
    assert loaded(raised, {"type": "MemoryError"}) == "sums.py could not be imported: MemoryError."


def test_two_files_may_wait_for_each_other_by_attribute_too():
    """``import sums`` succeeds, ``sums.total`` is not there yet."""
    aside = {
        "type": "AttributeError",
        "text": "partially initialized module 'sums' has no attribute 'total'",
        "where": [["sums.py", 1, "<module>"], ["helper.py", 4, "<module>"]],
    }
    assert loaded({"kind": "raised", "classes": []}, aside) == (
        "helper.py line 4 needs something of sums.py, which in turn waits for helper.py: the two import each "
        "other. Move what both need into one of them."
    )


def test_a_nul_in_a_helper_is_told_as_python_meets_it():
    """Of helpers nothing is checked before they are imported."""
    aside = {
        "type": "SyntaxError",
        "text": "source code string cannot contain null bytes",
        "syntax": ["helper.py", 0, 0, ""],
    }
    assert loaded({"kind": "raised", "classes": []}, aside) == (
        "helper.py could not be read: it holds NUL characters; save it as UTF-8."
    )
