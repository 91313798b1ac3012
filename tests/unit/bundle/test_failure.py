"""grader.bundle.failure: from what a failed test saw to its one sentence."""

import pytest

from grader.bundle.failure import (
    Call,
    Comparison,
    expected_at,
    failed_check,
    failed_raises,
    left_over_raise,
)

CALL = Call("paged_slots([33], 16)", 320)


def test_wrong_value_has_its_call():
    """``assert f(x) == 48`` with 320 in place of 48."""
    sentence = failed_check([CALL], Comparison("==", CALL.got, 48), "assert 320 == 48\n +  where ...")
    assert sentence == "paged_slots([33], 16) returned 320; expected 48."


def test_call_on_the_right_of_the_comparison_is_found_too():
    """``assert 48 == f(x)`` reads the same."""
    sentence = failed_check([CALL], Comparison("==", 48, CALL.got), "assert 48 == 320")
    assert sentence == "paged_slots([33], 16) returned 320; expected 48."


def test_approximate_expectation_shows_its_number():
    """The tolerance is left out."""
    call = Call("waste_fraction([50], 100)", 50.0)
    sentence = failed_check([call], Comparison("==", call.got, pytest.approx(0.5, abs=1e-9)), "assert ...")
    assert sentence == "waste_fraction([50], 100) returned 50.0; expected 0.5."


def test_message_of_the_test_is_kept():
    """A message beside the assertion follows the value; what pytest adds is dropped."""
    call = Call("reserved_slots(2, 100)", 200.0)
    assertion = "a count is an int, such as 200\nassert <class 'float'> is int\n + where"
    assert failed_check([call], Comparison("is", float, int), assertion) == (
        "reserved_slots(2, 100) returned 200.0: a count is an int, such as 200."
    )


def test_constant_has_its_name():
    """Answers of Part 1 are read, and the right value is never shown."""
    answer = Call("RESERVED", 65, verb="is")
    said = "those are the slots that hold a token"
    sentence = failed_check([answer], Comparison("==", "ab12", "cd34"), f"{said}\nassert 'ab12' == 'cd34'")
    assert sentence == "RESERVED is 65: those are the slots that hold a token."


def test_constant_compared_directly_shows_the_expected_value():
    """``assert hands_on.MORE == 1`` names both."""
    answer = Call("MORE", 400, verb="is")
    assert failed_check([answer], Comparison("==", answer.got, 1), "assert 400 == 1") == (
        "MORE is 400; expected 1."
    )


def test_changed_argument_has_its_sentence():
    """The list is compared after the call: what it was, what it is."""
    lengths = [10, 20, 35]
    call = Call("paged_slots([35, 20, 10], 16)", 96, changed=[([35, 20, 10], lengths)])
    sentence = failed_check([call], Comparison("==", lengths, [35, 20, 10]), "assert ...")
    assert sentence == (
        "paged_slots([35, 20, 10], 16) changed its argument: it was [35, 20, 10] and is now [10, 20, 35]; "
        "expected it left as it was."
    )


@pytest.mark.parametrize(
    ("op", "words"),
    [
        ("!=", "anything but 300"),
        ("<", "less than 300"),
        ("<=", "at most 300"),
        (">", "more than 300"),
        (">=", "at least 300"),
        ("is", "300"),
        ("not in", "something not in 300"),
    ],
)
def test_other_comparisons_are_words(op, words):
    """What was expected is then a range or a choice of values."""
    assert failed_check([CALL], Comparison(op, CALL.got, 300), "assert ...") == (
        f"paged_slots([33], 16) returned 320; expected {words}."
    )


def test_value_computed_from_the_answer():
    """``assert len(f(x)) == 2`` compares something that no call returned."""
    assert failed_check([CALL], Comparison("==", 777, 2), "assert 777 == 2") == (
        "After paged_slots([33], 16) the test found 777; expected 2."
    )


def test_other_value_than_the_changed_argument():
    """Another value than the changed list failed: the call's own answer is told."""
    call = Call("f([2, 1])", 320, changed=[([2, 1], [1, 2])])
    assert (
        failed_check([call], Comparison("==", call.got, 3), "assert ...")
        == "f([2, 1]) returned 320; expected 3."
    )


def test_right_call_of_several_is_named():
    """The value that failed belongs to the first of two calls."""
    calls = [Call("f(1)", 1001), Call("f(2)", 2002)]
    assert (
        failed_check(calls, Comparison("==", calls[0].got, 5), "assert ...")
        == "f(1) returned 1001; expected 5."
    )


def test_assertion_without_a_comparison_still_says_something():
    """``assert f(x)`` names the call and its value; without any call only the test's own words remain."""
    assert failed_check([Call("f()", [])], None, "assert []") == (
        "f() returned []: that is not what was expected."
    )
    assert failed_check([Call("f()", kind="Odd")], None, "") == (
        "f() returned a value of type Odd: that is not what was expected."
    )
    assert failed_check([], None, "read the README.") == "read the README."
    assert failed_check([], None, "assert False") == "A check of this test failed."


def test_missing_error_has_its_sentence():
    """``pytest.raises`` around a call that returned."""
    assert failed_raises([Call("used_slots([101], 100)", 101)], "ValueError") == (
        "used_slots([101], 100) returned 101; expected a ValueError to be raised."
    )
    assert failed_raises([], "IndexError") == "Nothing was raised; expected an IndexError."


SOURCE = """\
import pytest, m
class TestOne:
    def test_value(self):
        assert m.f([33], 16) == 48
    def test_share(self):
        assert m.f([1000, 999], 1000) == pytest.approx(
            0.25, abs=1e-9
        )
    def test_error(self):
        with pytest.raises(ValueError):
            m.f([101], 100)
    def test_other(self):
        answer = m.f(1)
        assert type(answer) is int
        assert m.f(1) == m.f(2)
        with open("x"):
            m.f(3)
        with m:
            m.f(4)
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (4, "48"),
        (6, "0.25"),
        (7, "0.25"),
        (11, "a ValueError to be raised"),
        (13, ""),
        (14, ""),
        (15, ""),
        (17, ""),
        (19, ""),
        (99, ""),
    ],
)
def test_expectation_is_read_from_the_statement(line, expected):
    """The statement around a call names the expected value, if any does."""
    assert expected_at(SOURCE, line) == expected


HEAD = 'import math\n\n\ndef f(a: int, b: int = 0) -> int:\n    """Add.\n\n    >>> f(1)\n    """\n'
RAISE = '    raise NotImplementedError("TODO 1: add")\n'
TAIL = "\n\ndef g():\n    return 1\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (RAISE, 0),
        ("    # my plan\n\n" + RAISE + "    # later\n", 0),
        ("    return a\n", 0),
        ("    total = a\n" + RAISE, 10),
        (RAISE + "    return a + b\n", 9),
        (RAISE + RAISE, 9),
        ("    if a:\n        return b\n    " + RAISE, 11),
        ("    '''More\n    text.'''\n" + RAISE, 0),
    ],
)
def test_code_beside_the_raise_line_is_work(body, line):
    """The line of the raise is found wherever the code stands; comments and docstrings are no code."""
    assert left_over_raise(HEAD + body + TAIL, "f") == line
    assert left_over_raise(HEAD + body, "f") == line


def test_head_may_have_several_lines():
    """As formatters write it."""
    head = "def f(\n    a,\n    b,\n):\n"
    assert left_over_raise(head + RAISE + TAIL, "f") == 0
    assert left_over_raise(head + RAISE + "    return a\n" + TAIL, "f") == 5


def test_other_functions_do_not_count():
    """Neither the function below nor a missing one."""
    assert left_over_raise(HEAD + RAISE + TAIL, "g") == 0
    assert left_over_raise(HEAD + RAISE + TAIL, "h") == 0
