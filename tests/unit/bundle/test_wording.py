"""grader.bundle.wording: each outcome has its own sentence, word for word."""

from __future__ import annotations

import pytest

from grader.bundle import wording

CALL = "paged_slots([33], 16)"


def test_a_giant_number_is_told_by_its_length():
    """10**5000 has 5,001 digits, which Python refuses to write out; 16,610 bits make about 4,983."""
    assert wording.returned(CALL, 10**5000, 48) == (
        f"{CALL} returned a number of about 4,983 digits; expected 48."
    )


async def _coroutine():
    return 48


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        (32, "returned 32; expected 48."),
        (
            None,
            "returned None; expected 48. Does the function print its answer, or miss a return at its end?",
        ),
        (48.0, "returned 48.0; expected 48. This is a float; a whole number (int) is promised here."),
        (True, "returned True; expected 48. This is a yes or no; a whole number (int) is promised here."),
        ("48", "returned '48'; expected 48. This is text, in quotes; a whole number (int) is promised here."),
        (
            [16, 32],
            "returned [16, 32]; expected 48. This is a list; a whole number (int) is promised here.",
        ),
        (
            len,
            (
                "returned <built-in function len>; expected 48. "
                "This is a function itself: call it, with its arguments in parentheses."
            ),
        ),
        (
            3 + 4j,
            "returned (3+4j); expected 48. This is of type complex; a whole number (int) is promised here.",
        ),
    ],
)
def test_a_wrong_value_is_told_with_what_was_expected(got, sentence):
    """The call, what came back, what was expected; and of a wrong kind of value, which kind is promised."""
    assert wording.returned(CALL, got, 48) == f"{CALL} {sentence}"


def test_a_coroutine_says_to_remove_async():
    """What ``async def`` gives back names its own remedy, and its address is not shown."""
    made = _coroutine()
    try:
        assert wording.returned("f()", made, 48) == (
            "f() returned <coroutine object _coroutine>; expected 48. "
            "The function begins with async def: write def."
        )
    finally:
        made.close()


def test_a_share_may_be_any_number():
    """A float is promised: a wrong float, or an int, needs no word about kinds; a text does."""
    assert wording.returned("f()", 78.3, 0.783) == "f() returned 78.3; expected 0.783."
    assert wording.returned("f()", 1, 0.783) == "f() returned 1; expected 0.783."
    assert wording.returned("f()", "1", 0.5) == (
        "f() returned '1'; expected 0.5. This is text, in quotes; a number is promised here."
    )


def test_a_yes_or_no_is_asked_for_as_such():
    """Where True or False is expected, a number hears so, and a wrong bool needs no note."""
    right = True
    assert wording.returned("f()", 1, right) == "f() returned 1; expected True. True or False is asked here."
    assert wording.returned("f()", not right, right) == "f() returned False; expected True."


def test_a_stand_in_is_shown_by_the_kind_it_stands_for():
    """The caller names the type of what came back when it has no value to show."""
    assert wording.returned("f()", object(), 48, kind="Impostor") == (
        "f() returned a value of type Impostor; expected 48. A whole number (int) is promised here."
    )
    assert wording.returned("f()", object(), 48, kind="generator") == (
        "f() returned a value of type generator; expected 48. "
        "This is a generator of values; a whole number (int) is promised here."
    )


def test_an_expectation_that_is_no_single_value_is_told_in_words():
    """``expected_text`` takes the place of the value."""
    assert wording.returned("f()", 2, 1, expected_text="a number below 1") == (
        "f() returned 2; expected a number below 1."
    )


def test_other_kinds_of_expectation_get_no_note():
    """A list where a list is expected is told plainly."""
    assert wording.returned("f()", [1], [2]) == "f() returned [1]; expected [2]."


def test_long_values_are_shown_where_they_differ():
    """Of two lists of a thousand numbers the one that differs is seen, in both."""
    expected = [*range(1000)]
    got = [*range(500), -7, *range(501, 1000)]
    sentence = wording.returned("f()", got, expected)
    told, wanted = sentence.split("; expected ")
    assert "499, -7, 501" in told
    assert "499, 500, 501" in wanted
    assert len(sentence) < 600


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        (
            wording.raised(CALL, "ZeroDivisionError", "division by zero", "reservation.py line 41", "48"),
            f"{CALL} raised ZeroDivisionError: division by zero, at reservation.py line 41; expected 48.",
        ),
        (wording.raised("f()", "KeyError"), "f() raised KeyError."),
        (
            wording.no_error("used_slots([101], 100)", 101),
            "used_slots([101], 100) returned 101; expected a ValueError to be raised.",
        ),
        (
            wording.no_error("f()", object(), "IndexError", kind="Odd"),
            "f() returned a value of type Odd; expected an IndexError to be raised.",
        ),
        (
            wording.changed_argument("used_slots([3, 1])", [3, 1], [1, 3]),
            (
                "used_slots([3, 1]) changed its argument: it was [3, 1] and is now [1, 3]; "
                "expected it left as it was."
            ),
        ),
        (
            wording.wrong_arguments("f(1, 2)", "f() takes 1 argument.", "def f(a, b)"),
            (
                "f(1, 2) was not accepted: the function takes other arguments (f() takes 1 argument). "
                "Keep its first line: def f(a, b)."
            ),
        ),
        (
            wording.wrong_arguments("f(1)"),
            (
                "f(1) was not accepted: the function takes other arguments. "
                "Keep its first line as it was in the stub."
            ),
        ),
        (
            wording.not_started("paged_slots", "TODO 5", "reservation.py"),
            "paged_slots is not started: reservation.py, TODO 5.",
        ),
        (wording.not_started("paged_slots"), "paged_slots is not started."),
        (
            wording.missing_name("paged_slots", "reservation.py", ["Paged_slots", "used_slots"]),
            "reservation.py has no paged_slots. It has Paged_slots: give it the name paged_slots.",
        ),
        (
            wording.missing_name("paged_slots", "reservation.py", ["main"]),
            "reservation.py has no paged_slots. Put it back under this name: paged_slots.",
        ),
        (
            wording.missing_file("hands_on.py"),
            "hands_on.py is missing: hand in all files together, each under its own name.",
        ),
        (
            wording.too_slow(CALL, 1.0),
            f"{CALL} took too long and was stopped after 1 second: does every loop in it come to an end?",
        ),
        (
            wording.too_slow(CALL),
            f"{CALL} took too long and was stopped: does every loop in it come to an end?",
        ),
        (
            wording.too_much_memory(CALL),
            f"{CALL} asked for too much memory and was stopped: does it build a list that grows without end?",
        ),
        (
            wording.too_deep(CALL, "reservation.py line 4"),
            f"{CALL} called itself too often (RecursionError), at reservation.py line 4.",
        ),
        (wording.too_deep(CALL), f"{CALL} called itself too often (RecursionError)."),
        (
            wording.ended_program(CALL, "sys.exit(1)", "reservation.py line 3"),
            (
                f"{CALL} ended the whole program (sys.exit(1) at reservation.py line 3) "
                "instead of returning its answer."
            ),
        ),
        (
            wording.ended_program(CALL),
            f"{CALL} ended the whole program (sys.exit() or quit()) instead of returning its answer.",
        ),
        (
            wording.ended_import("reservation.py", line=4),
            (
                "reservation.py ends the program while it is being read (sys.exit() or quit() in line 4): "
                "remove that call."
            ),
        ),
        (
            wording.not_python("reservation.py", 41, "expected ':'", "def f()"),
            "reservation.py line 41 is not valid Python: expected ':'. The line reads: def f()",
        ),
        (wording.not_python("a.py", None, "bad"), "a.py is not valid Python: bad."),
        (
            wording.import_failed("a.py", "ModuleNotFoundError", "No module named 'numpy'", 3),
            "a.py could not be imported: ModuleNotFoundError: No module named 'numpy', at line 3.",
        ),
        (wording.import_failed("a.py", "KeyError"), "a.py could not be imported: KeyError."),
        (
            wording.asks_for_input("a.py", 3),
            "a.py calls input() in line 3, and nobody answers it here: use a fixed value instead.",
        ),
        (
            wording.slow_import("a.py", 2),
            "a.py took too long to import and was stopped after 2 seconds: move loops into the functions.",
        ),
        (
            wording.slow_import("a.py"),
            "a.py took too long to import and was stopped: move loops into the functions.",
        ),
        (
            wording.unreadable("a.py", "it is UTF-16; save it as UTF-8."),
            "a.py could not be read: it is UTF-16; save it as UTF-8.",
        ),
        (
            wording.newer_python("a.py", 3, "3.14", "3.11"),
            "a.py line 3 needs Python 3.14 or newer; this is Python 3.11.",
        ),
        (
            wording.needs_other("waste_fraction([50], 100)", "used_slots", "TODO 7: look at every length"),
            (
                "waste_fraction([50], 100) calls used_slots, which is not started: "
                "TODO 7: look at every length."
            ),
        ),
        (
            wording.needs_other("waste_fraction([50], 100)", "used_slots", ""),
            "waste_fraction([50], 100) calls used_slots, which is not started.",
        ),
        (
            wording.not_python("a.py", 3, "invalid character '“' (U+201C)", "x = “", 5),
            (
                "a.py line 3 is not valid Python: invalid character '“' (U+201C) in column 5, probably "
                "copied from a page or a document: type it anew. The line reads: x = “"
            ),
        ),
        (
            wording.import_failed(
                "a.py", "ImportError", "attempted relative import with no known parent package", 1
            ),
            "a.py line 1 imports with a leading dot, which only a package may: leave the dot out.",
        ),
        (
            wording.because("paged_slots", "reservation.py", "rounds up"),
            "a right paged_slots rounds up.",
        ),
        (
            wording.because("hands_on", "hands_on.py", "says how many"),
            "a right answer says how many.",
        ),
        (
            wording.where("paged_slots", "reservation.py", "Slots with paging (TODO 10)"),
            "reservation.py, TODO 10 (paged_slots)",
        ),
        (wording.where("hands_on", "hands_on.py", "Part 1 (TODO 1 to 5)"), "hands_on.py, TODO 1 to 5"),
        (wording.where("paged_slots", "reservation.py", "No number"), "reservation.py, paged_slots"),
        (wording.where("hands_on", "hands_on.py"), "hands_on.py"),
        (
            wording.grader_fault(),
            "The grader itself failed here. It is not your code, and nothing was lost.",
        ),
    ],
)
def test_every_outcome_has_its_own_sentence(sentence, told):
    """Word for word, as a student reads it."""
    assert sentence == told


def test_every_state_has_a_word_and_two_symbols():
    """Five states; no two share a word, a symbol or an ASCII symbol."""
    assert list(wording.STATES) == ["passed", "needs-work", "not-started", "not-run", "stopped"]
    for column in zip(*wording.STATES.values(), strict=True):
        assert len(set(column)) == 5
    assert all(ascii_symbol.isascii() for _, _, ascii_symbol in wording.STATES.values())
