"""Each outcome has its own sentence; tests/golden/wording.txt holds them word for word."""

from inspect import getmembers, isfunction

import pytest
from helpers.golden import assert_golden

from grader.bundle import wording

CALL = "paged_slots([33], 16)"
NEAR = ["Paged_slots", "used_slots"]
EXAMPLES = [
    (wording.returned, CALL, 32, 48),
    (wording.returned, CALL, None, 48),
    (wording.returned, CALL, 48.0, 48),
    (wording.returned, CALL, True, 48),
    (wording.returned, CALL, "48", 48),
    (wording.returned, CALL, [16, 32], 48),
    (wording.returned, CALL, len, 48),
    (wording.returned, CALL, 3 + 4j, 48),
    (wording.returned, CALL, 10**5000, 48),
    (wording.returned, "f()", 78.3, 0.783),
    (wording.returned, "f()", 1, 0.783),
    (wording.returned, "f()", "1", 0.5),
    (wording.returned, "f()", 1, True),
    (wording.returned, "f()", False, True),
    (wording.returned, "f()", object(), 48, "Impostor"),
    (wording.returned, "f()", object(), 48, "generator"),
    (wording.returned, "f()", object(), 48, "coroutine"),
    (wording.returned, "f()", 2, 1, "", "a number below 1"),
    (wording.returned, "f()", [1], [2]),
    (wording.raised, CALL, "ZeroDivisionError", "division by zero", "reservation.py line 41", "48"),
    (wording.raised, "f()", "KeyError"),
    (wording.wrong_arguments, "f(1, 2)", "f() takes 1 argument."),
    (wording.wrong_arguments, "f(1)"),
    (wording.not_started, "paged_slots", "TODO 5", "reservation.py"),
    (wording.not_started, "paged_slots"),
    (wording.missing_name, "paged_slots", "reservation.py", NEAR),
    (wording.missing_name, "paged_slots", "reservation.py", ["pag\u0435d_slots"]),
    (wording.missing_name, "paged_slots", "reservation.py", ["main"]),
    (wording.missing_name, "paged_slots", "reservation.py", NEAR, NEAR),
    (wording.not_a_function, "paged_slots", "reservation.py"),
    (wording.empty_file, "hands_on.py"),
    (wording.too_slow, CALL, 1.0),
    (wording.seconds_text, 0.2),
    (wording.too_much_memory, CALL),
    (wording.too_deep, CALL, "reservation.py line 4"),
    (wording.too_deep, CALL),
    (wording.ended_program, CALL, "sys.exit(1)", "reservation.py line 3"),
    (wording.ended_program, CALL),
    (wording.ended_import, "reservation.py", wording.EXIT, 4),
    (wording.ended_import, "reservation.py", "exit"),
    (wording.not_python, "reservation.py", 41, "expected ':'", "def f()"),
    (wording.not_python, "a.py", None, "bad"),
    (wording.not_python, "a.py", 3, "invalid character '\u201c' (U+201C)", "x = \u201c", 5),
    (wording.import_failed, "a.py", "ModuleNotFoundError", "No module named 'numpy'", 3),
    (wording.import_failed, "a.py", "KeyError"),
    (wording.import_failed, "a.py", "ImportError", "attempted relative import with no known parent", 1),
    (
        wording.import_failed,
        "a.py",
        "ImportError",
        "partially initialized module 'b' has no attribute 'f'",
        2,
    ),
    (wording.asks_for_input, "a.py", 3),
    (wording.slow_import, "a.py", 2),
    (wording.unreadable, "a.py", "it is UTF-16; save it as UTF-8."),
    (wording.nul_characters, "a.py", 3),
    (wording.not_utf8, "a.py", 4),
    (wording.not_utf8, "a.py"),
    (wording.newer_python, "a.py", 3, "3.14", "3.11"),
    (wording.needs_other, "waste_fraction([50], 100)", "used_slots", "TODO 7: look at every length"),
    (wording.needs_other, "waste_fraction([50], 100)", "used_slots", ""),
    (wording.left_over, CALL, "reservation.py line 104"),
    (wording.cached, "used_slots([20, 35, 10])"),
    (wording.no_module, "reservation.py", 3, "numpy"),
    (wording.no_module, "reservation.py", None, "numpy"),
    (wording.where, "paged_slots", "reservation.py", "Slots with paging (TODO 10)"),
    (wording.where, "paged_slots", "reservation.py", "No number"),
    (wording.where, "hands_on", "hands_on.py", "Part 1 (TODO 1 to 5)"),
    (wording.where, "hands_on", "hands_on.py"),
]


def test_every_sentence_word_for_word():
    """Each public function of the module, with examples of what it is asked."""
    assert_golden("wording.txt", "".join(f"{f.__name__}: {f(*given)}\n" for f, *given in EXAMPLES))
    public = {name for name, f in getmembers(wording, isfunction) if f.__module__ == wording.__name__}
    sentences = {name for name in public if name[0] != "_"} - {"an", "got_text", "worst"}
    assert {f.__name__ for f, *_ in EXAMPLES} == sentences


async def _coroutine():
    return 48


def test_coroutine_is_shown_without_its_address():
    """What ``async def`` gives back reads the same in every run."""
    made = _coroutine()
    assert "returned <coroutine object _coroutine>; expected 48." in wording.returned("f()", made, 48)
    made.close()


def test_long_values_are_shown_where_they_differ():
    """Of two lists of a thousand numbers, both show the number that differs."""
    sentence = wording.returned("f()", [*range(500), -7, *range(501, 1000)], [*range(1000)])
    got, wanted = sentence.split("; expected ")
    assert "499, -7, 501" in got
    assert "499, 500, 501" in wanted
    assert len(sentence) < 600


def test_every_state_has_a_word_and_two_symbols():
    """Five states; no two share a word, a symbol or an ASCII symbol."""
    assert set(wording.STATES) == {"passed", "needs-work", "not-started", "not-run", "stopped"}
    for column in zip(*wording.STATES.values(), strict=True):
        assert len(set(column)) == 5
    assert all(ascii_symbol.isascii() for _, _, ascii_symbol in wording.STATES.values())


@pytest.mark.parametrize(
    ("states", "together"),
    [
        (["passed", "passed"], "passed"),
        (["passed", "not-started"], "needs-work"),
        (["not-started", "not-started"], "not-started"),
        (["needs-work", "not-started"], "needs-work"),
        (["not-run", "needs-work"], "not-run"),
        (["needs-work", "stopped", "not-run"], "stopped"),
        ([], ""),
    ],
)
def test_states_together_are_the_worst(states, together):
    """A task is as its worst criterion; begun in part needs work; of nothing there is no state."""
    assert wording.worst(states) == together
