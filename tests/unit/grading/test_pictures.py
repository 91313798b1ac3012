"""Pictures of the student's own calls: the first visible one that failed, function by function."""

import pytest
from helpers.exercise_suites import NAME, ROOT

from grader.bundle.draw import load_slot_map
from grader.course.load import load_course
from grader.grading.pictures import pictures
from grader.grading.score import CriterionResult, Result
from grader.sandbox.inside import wire
from grader.suite.run import Exchange, Run

EXERCISE = load_course(ROOT / "course.toml").exercise(NAME)
SLOT_MAP = load_slot_map(ROOT / "exercises" / NAME)
FILE = f"visible/{NAME}/test_reservation.py"
UP = "paged-rounds-up"


def exchange(node, arguments, verdict):
    """A call of ``paged_slots`` by that test."""
    request = {"module": "reservation", "verb": "call", "name": "paged_slots"}
    request |= {"arguments": [wire.encode(one) for one in arguments], "keywords": []}
    return Exchange(node, request, verdict, {})


def value(number):
    """A verdict of a call that returned."""
    return {"kind": "value", "value": wire.encode(number)}


def entry(node, **failure):
    """A failed test of the report."""
    stage = {"outcome": "failed", "crash": {"lineno": 2}}
    return {"nodeid": node, "outcome": "failed", "call": stage, "metadata": {"failure": failure}}


def draw(*steps, criterion=UP, state="needs-work", slot_map=SLOT_MAP, source=""):
    """The pictures of a run with these tests: pairs of an exchange and its entry."""
    results = tuple(
        CriterionResult(c.id, c.task, c.visibility, 0, c.points, state if c.id == criterion else "passed", "")
        for c in EXERCISE.criteria
    )
    result = Result("ada", NAME, "graded", 0, 20, 0, results, (), (), None)
    run = Run({"tests": [one for _, one in steps]}, tuple(one for one, _ in steps))
    tests = {c.id: () for c in EXERCISE.criteria} | {criterion: tuple(one["nodeid"] for _, one in steps)}
    return pictures(slot_map, EXERCISE, result, run, tests, {FILE: source})


def wrong(node, arguments, got, expected):
    """A call that returned a wrong value."""
    return exchange(node, arguments, value(got)), entry(node, what="value", expected=expected)


def test_the_first_failed_call_is_drawn():
    """Its regions, its answer and the right one; the second failed test has no picture of its own."""
    (one,) = draw(wrong(f"{FILE}::A::a", [[33], 16], 32, "48"), wrong(f"{FILE}::A::b", [[1], 16], 1, "16"))
    assert one.task == "paged_slots"
    title, rows = one.picture
    assert title == "Blocks of 16 slots"
    assert [label for label, _ in rows] == [
        "A: 33 tokens in 3 blocks of 16",
        "your function counts 32",
        "there are 48",
    ]


def test_a_right_answer_of_true_or_false_is_drawn():
    """The lesson's own drawing gets it as what it is."""
    seen = []
    draw(wrong(f"{FILE}::A::a", [[33], 16], False, "True"), slot_map=lambda *given: seen.append(given[-2:]))  # noqa: FBT003
    assert seen == [(False, True)]


def test_an_error_instead_of_an_answer_is_drawn():
    """What the test expects is read from its line."""
    node = f"{FILE}::A::a"
    step = exchange(node, [[33], 16], {"kind": "raised"}), entry(node, error="ZeroDivisionError")
    (one,) = draw(step, source="import x\nassert x.paged_slots([33], 16) == 48\n")
    assert [label for label, _ in one.picture[1]][1:] == ["there are 48"]


@pytest.mark.parametrize("earlier", ["{[]: 1}", "{{}}", "-" * 1_900 + "1", "(" * 1_900, "\0"])
def test_an_expected_text_of_any_kind_is_no_number(earlier):
    """A test may compare two answers, so what it expects can be any text of the submission."""
    assert draw(wrong(f"{FILE}::A::a", [[33], 16], 32, earlier)) == ()


def test_hidden_criteria_are_never_drawn():
    """Whatever is in the report and the exchanges."""
    step = wrong(f"hidden/{NAME}/test_reservation.py::A::a", [[32], 16], 48, "32")
    assert draw(step, criterion="paged-no-empty-block") == ()


@pytest.mark.parametrize("state", ["not-started", "not-run", "stopped"])
def test_only_what_needs_work_is_drawn(state):
    """A call that gave no answer has no picture."""
    assert draw(wrong(f"{FILE}::A::a", [[33], 16], 32, "48"), state=state) == ()


def test_a_test_of_something_else_is_not_drawn():
    """The type of an answer, or what became of a list, is no number of slots."""
    node = f"{FILE}::A::a"
    for what in ("type", "argument", ""):
        step = exchange(node, [[33], 16], value(48.0)), entry(node, what=what, expected="int")
        assert draw(step) == ()


def test_a_slot_map_that_fails_costs_nothing():
    """No picture, and no error."""
    step = wrong(f"{FILE}::A::a", [[33], 16], 32, "48")

    def fails(*_arguments):
        raise AttributeError

    assert draw(step, slot_map=fails) == ()
    assert draw(step, slot_map=lambda *_: None) == ()
