"""What a test may see of a reply: checked against the request, and nothing else of it."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.sandbox.inside import wire
from grader.sandbox.reply import check_verdict, clean_aside

LOAD = {"verb": "load", "module": "reservation"}
CONSTANT = {"verb": "constant", "module": "hands_on", "name": "IDLE", "arguments": [], "keywords": []}
CALL = {
    "verb": "call",
    "module": "reservation",
    "name": "f",
    "arguments": [3, [1, 2], {"d": [["a", 1]]}, "text", {"g": [1]}],
    "keywords": [],
}


def verdict(request=CALL, **reply):
    """The verdict on a reply with the right number."""
    return check_verdict({"n": "x", **reply}, "x", request)


def refused(request=CALL, **reply):
    """Whether such a reply is an error."""
    try:
        verdict(request, **reply)
    except wire.WireError:
        return True
    return False


@pytest.mark.parametrize(
    ("request_", "right"),
    [
        (LOAD, {"loaded", "raised"}),
        (CONSTANT, {"value", "missing", "raised"}),
        (CALL, {"value", "missing", "uncallable", "raised"}),
    ],
)
def test_kinds_belong_to_verbs(request_, right):
    """A call cannot be answered with the end of an import, nor anything with what only the grader says."""
    kinds = {"value", "raised", "missing", "uncallable", "loaded", "stopped", "not-loaded", "", "fault"}
    assert {kind for kind in kinds if not refused(request_, kind=kind, classes=[])} == right


@pytest.mark.parametrize("kind", [None, 1, True, ["value"], {"value": 1}])
def test_a_kind_is_text(kind):
    """Anything else is none."""
    assert refused(kind=kind)


def test_another_number():
    """The number is the request's, to the letter."""
    for number in ("y", "X", "", None, ["x"]):
        with pytest.raises(wire.WireError):
            check_verdict({"n": number, "kind": "missing"}, "x", CALL)


def test_what_is_dropped():
    """Of a reply's other keys nothing is left; neither are the names of types that are not plain data."""
    got = verdict(
        kind="value", value=[1, {"o": "MagicMock"}], reason="time", classes=["ValueError"], note="x"
    )
    assert got == {"kind": "value", "value": [1, {"o": ""}]}


def test_a_value_that_is_missing():
    """It is None."""
    assert verdict(kind="value") == {"kind": "value", "value": None}


def test_a_value_that_is_no_plain_data():
    """Odd tags are refused here, before any test sees them."""
    assert refused(kind="value", value={"g": [1]})
    assert refused(kind="value", value={"x": 1})
    assert refused(kind="value", value=[0] * 5_000)


def test_exceptions_are_pythons_own():
    """Names of built-in exceptions stay, in their order; pytest's own and made-up ones go."""
    got = verdict(
        kind="raised", classes=["Skipped", "ValueError", "OutcomeException", "Exception", "int", "exit"]
    )
    assert got == {"kind": "raised", "classes": ["ValueError", "Exception"]}
    assert verdict(kind="raised", classes=[])["classes"] == []
    assert verdict(kind="raised", classes=["KeyError"] * 50)["classes"] == ["KeyError"] * 12


@pytest.mark.parametrize("classes", [None, "ValueError", {"ValueError": 1}, [1], [["ValueError"]]])
def test_odd_classes(classes):
    """Anything but a list of names is refused."""
    assert refused(kind="raised", classes=classes)


def test_changed_arguments():
    """The new content of a list or a dict, by its position; with a value as with an exception."""
    changed = [[1, []], [2, {"d": []}]]
    assert verdict(kind="value", value=1, changed=changed)["changed"] == changed
    assert verdict(kind="raised", classes=[], changed=[[1, [9]]])["changed"] == [[1, [9]]]
    assert "changed" not in verdict(kind="value", changed=[])


def test_changed_to_what_is_not_plain():
    """A list that now holds anything else, or far too much, has changed all the same."""
    assert verdict(kind="value", changed=[[1, {"o": "object"}]])["changed"] == [[1, {"o": ""}]]


@pytest.mark.parametrize(
    "changed",
    [
        {"1": []},
        "1",
        [1],
        [[1]],
        [[1, [], 2]],
        [["1", []]],
        [[True, []]],
        [[1.0, []]],
        [[-1, []]],
        [[5, []]],
        [[99, []]],
        [[0, 4]],
        [[0, [4]]],
        [[3, "other"]],
        [[1, {"d": []}]],
        [[1, {"t": []}]],
        [[1, 5]],
        [[1, []], [1, []]],
        [[2, {"d": []}], [1, []]],
        [[4, [1]]],
        [[1, {"g": [1]}]],
        [[1, [0] * 5_000]],
        [[1, []]] * 6,
    ],
)
def test_odd_changes(changed):
    """Positions that are not there, twice or out of order, numbers or texts that changed, other types."""
    assert refused(kind="value", value=1, changed=changed)


def test_nothing_to_change():
    """A constant has no arguments, an import neither."""
    assert refused(CONSTANT, kind="value", value=1, changed=[[0, []]])
    assert refused(LOAD, kind="loaded", changed=[[0, []]])


json_trees = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(
    st.sampled_from([LOAD, CONSTANT, CALL]),
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["value", "raised", "missing", "loaded", "uncallable"])},
        optional={"value": json_trees, "classes": json_trees, "changed": json_trees},
    ),
)
def test_any_reply_is_a_verdict_or_an_error(request_, reply):
    """Whatever the parts hold: a verdict that can be decoded, or a WireError and no other."""
    try:
        got = verdict(request_, **reply)
    except wire.WireError:
        return
    assert set(got) <= {"kind", "value", "classes", "changed"}
    wire.decode(got.get("value"))
    assert all(position < len(request_["arguments"]) for position, _ in got.get("changed", ()))


# --- The aside ---

RIGHT = {
    "type": "ValueError",
    "text": "too long",
    "where": [["reservation.py", 41, "used_slots"]],
    "printed": "65\n",
}


def test_what_is_right_stays():
    """Each key with its own kind of content."""
    assert clean_aside(RIGHT, 100) == RIGHT
    more = {
        "module": "numpy",
        "syntax": ["reservation.py", 3, 7, "def f(:"],
        "signature": True,
        "names": ["f", "g"],
        "impostor": True,
        "left_out": [["reservation.py", 12, "files", ""], ["helper.py", 1, "module", "numpy"]],
    }
    assert clean_aside(more, 100) == more


def test_what_is_empty_is_left_out():
    """No text, no places, nothing printed: no key."""
    empty = {
        "type": "",
        "text": "",
        "where": [],
        "names": [],
        "signature": False,
        "impostor": False,
        "left_out": [],
        "printed": "",
    }
    assert clean_aside(empty, 100) == {}


@pytest.mark.parametrize(
    ("keys", "values"),
    [
        (("type", "text", "module", "printed"), (None, 5, 1.5, True, ["x"], {"x": 1}, {"o": "int"})),
        (("signature", "impostor"), (1, "True", [True], {"": 1}, 1.0)),
    ],
)
def test_other_kinds_are_left_out(keys, values):
    """A text is a text, and yes is True alone."""
    for key in keys:
        for value in values:
            assert clean_aside({key: value}, 100) == {}, (key, value)


def test_statements_that_were_left_out():
    """At most 20 lists of file, line, one of the known reasons, and name; malformed ones are dropped."""
    good = ["reservation.py", 12, "files", ""]
    malformed = [[], ["a.py", 1, "files"], ["a.py", -1, "files", ""], ["a.py", 1, "other", ""]]
    malformed += [["a.py", 1, ["files"], ""], "text", None, ["a.py", 10**7, "exit", ""]]
    assert clean_aside({"left_out": [*malformed, good]}, 100) == {"left_out": [good]}
    assert clean_aside({"left_out": [good] * 99}, 100) == {"left_out": [good] * 20}
    for value in (None, "files", {"files": 1}, 5, True):
        assert clean_aside({"left_out": value}, 100) == {}


def test_lengths():
    """80 characters of a name, 600 of an error's text, what is asked of what was printed, 200 of a line."""
    got = clean_aside(
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
    assert clean_aside({"where": places}, 0)["where"] == places[-3:]
    odd = [["f.py", -1, "f"], ["f.py", 10**6 + 1, "f"], ["f.py", True, "f"]]
    assert clean_aside({"where": odd}, 0) == {}
    assert clean_aside({"where": [["f.py", 1], 5, ["f.py", 0, 7]]}, 0) == {"where": [["f.py", 0, ""]]}


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
    assert clean_aside({"syntax": syntax}, 0) == {}


def test_other_keys_are_dropped():
    """What only the grader says itself (how long it waited) cannot be said by a submission."""
    assert clean_aside({"seconds": 5, "reason": "time", "flags": ["x"], "": 1}, 100) == {}


def test_what_differs_from_run_to_run():
    """Addresses and Python's own place go; what looks alike stays."""
    printed = "<object object at 0x7f12ab34cd56> meet at 0xy, at 0"
    assert clean_aside({"printed": printed}, 100)["printed"] == "<object object> meet at 0xy, at 0"
    text = f"cannot import name 'x' from 'math' ({sys.base_prefix}/lib/python3.11/math.so)"
    assert (
        clean_aside({"text": text}, 0)["text"]
        == "cannot import name 'x' from 'math' (python/lib/python3.11/math.so)"
    )
    for place in ("/kit", "/proc/self/fd/4"):
        assert clean_aside({"text": f"{place}/inside/serve.py:9"}, 0)["text"] == "python/inside/serve.py:9"
    assert clean_aside({"text": "/proc/self/fd/4"}, 0)["text"] == "/proc/self/fd/4"


junk = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=15,
)
KEYS = [
    "type",
    "text",
    "module",
    "where",
    "syntax",
    "signature",
    "names",
    "impostor",
    "left_out",
    "printed",
    "seconds",
    "x",
]


@given(st.dictionaries(st.sampled_from(KEYS), junk), st.integers(0, 50))
def test_anything_becomes_an_aside(message, printed):
    """Whatever is said, what is left has its types and bounds, and can be written as JSON."""
    got = clean_aside(message, printed)
    assert set(got) <= set(KEYS[:10])
    assert all(type(got[key]) is str for key in ("type", "text", "module", "printed") if key in got)
    assert all(type(name) is str for name in got.get("names", []))
    for file, line, function in got.get("where", []):
        assert (type(file), type(line), type(function)) == (str, int, str)
    assert [type(part) for part in got.get("syntax", ["", 1, 1, ""])] == [str, int, int, str]
    assert len(json.dumps(got)) < 20_000
