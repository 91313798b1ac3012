"""What a test may see of a reply: checked against the request, and nothing else of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.sandbox.inside import wire
from grader.sandbox.verdict import verdict_of

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
    return verdict_of({"n": "x", **reply}, "x", request)


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
            verdict_of({"n": number, "kind": "missing"}, "x", CALL)


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
