"""What a submission says of itself: typed and bounded, or left out."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.sandbox.aside import cleaned

RIGHT = {
    "type": "ValueError",
    "text": "too long",
    "where": [["reservation.py", 41, "used_slots"]],
    "printed": "65\n",
}


def test_what_is_right_stays():
    """Each key with its own kind of content."""
    assert cleaned(RIGHT, 100) == RIGHT
    more = {
        "module": "numpy",
        "syntax": ["reservation.py", 3, 7, "def f(:"],
        "signature": True,
        "names": ["f", "g"],
        "poses": True,
    }
    assert cleaned(more, 100) == more


def test_what_is_empty_is_left_out():
    """No text, no places, nothing printed: no key."""
    empty = {
        "type": "",
        "text": "",
        "where": [],
        "names": [],
        "signature": False,
        "poses": False,
        "printed": "",
    }
    assert cleaned(empty, 100) == {}


@pytest.mark.parametrize("value", [None, 5, 1.5, True, ["x"], {"x": 1}, {"o": "int"}])
@pytest.mark.parametrize("key", ["type", "text", "module", "printed"])
def test_texts_are_texts(key, value):
    """Anything else is left out."""
    assert cleaned({key: value}, 100) == {}


@pytest.mark.parametrize("value", [1, "True", [True], {"": 1}, 1.0])
@pytest.mark.parametrize("key", ["signature", "poses"])
def test_yes_is_true_alone(key, value):
    """Only True is yes."""
    assert cleaned({key: value}, 100) == {}


def test_lengths():
    """80 characters of a name, 600 of an error's text, what is asked of what was printed, 200 of a line."""
    got = cleaned(
        {
            "type": "T" * 99,
            "text": "x" * 999,
            "printed": "p" * 999,
            "syntax": ["f" * 99, 1, 1, "s" * 999],
            "names": ["n" * 99] * 200,
            "where": [["w" * 99, 1, "f" * 99]],
        },
        40,
    )
    assert [len(got[key]) for key in ("type", "text", "printed", "names")] == [80, 600, 40, 100]
    assert [len(part) for part in (got["syntax"][0], got["syntax"][3], got["names"][0])] == [80, 200, 80]
    assert got["where"] == [["w" * 80, 1, "f" * 80]]


def test_the_last_three_places():
    """Of a deep recursion the innermost three; those that are no places are left out."""
    places = [["reservation.py", line, "f"] for line in range(1, 6)]
    assert cleaned({"where": places}, 0)["where"] == places[-3:]
    odd = [["f.py", -1, "f"], ["f.py", 10**6 + 1, "f"], ["f.py", True, "f"]]
    assert cleaned({"where": odd}, 0) == {}
    assert cleaned({"where": [["f.py", 1], 5, ["f.py", 0, 7]]}, 0) == {"where": [["f.py", 0, ""]]}


@pytest.mark.parametrize(
    "syntax",
    [
        "x",
        [],
        ["f.py", 1, 1],
        ["f.py", "1", 1, ""],
        ["f.py", 1, None, ""],
        ["f.py", 1, 10**9, ""],
        {"f.py": 1},
    ],
)
def test_a_syntax_error_has_four_parts(syntax):
    """Fewer, or of other kinds, are none."""
    assert cleaned({"syntax": syntax}, 0) == {}


def test_other_keys_are_dropped():
    """What only the grader says itself (how long it waited) cannot be said by a submission."""
    assert cleaned({"seconds": 5, "reason": "time", "flags": ["x"], "": 1}, 100) == {}


def test_what_differs_from_run_to_run():
    """Addresses and Python's own place go; what looks alike stays."""
    printed = "<object object at 0x7f12ab34cd56> meet at 0xy, at 0"
    assert cleaned({"printed": printed}, 100)["printed"] == "<object object> meet at 0xy, at 0"
    for place in (sys.base_prefix, "/proc/self/fd/4"):
        text = f"cannot import name 'x' from 'math' ({place}/lib/python3.11/math.so)"
        assert (
            cleaned({"text": text}, 0)["text"]
            == "cannot import name 'x' from 'math' (python/lib/python3.11/math.so)"
        )
    assert cleaned({"text": "/proc/self/fd/4"}, 0)["text"] == "/proc/self/fd/4"


junk = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=15,
)
KEYS = ["type", "text", "module", "where", "syntax", "signature", "names", "poses", "printed", "seconds", "x"]


@given(st.dictionaries(st.sampled_from(KEYS), junk), st.integers(0, 50))
def test_anything_becomes_an_aside(message, printed):
    """Whatever is said, what is left has its types and bounds, and can be written as JSON."""
    got = cleaned(message, printed)
    assert set(got) <= set(KEYS[:9])
    assert all(type(got[key]) is str for key in ("type", "text", "module", "printed") if key in got)
    assert all(type(name) is str for name in got.get("names", []))
    for file, line, function in got.get("where", []):
        assert (type(file), type(line), type(function)) == (str, int, str)
    assert [type(part) for part in got.get("syntax", ["", 1, 1, ""])] == [str, int, int, str]
    assert len(json.dumps(got)) < 20_000
