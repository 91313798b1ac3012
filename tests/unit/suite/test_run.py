"""Digests of a submission's answers."""

import pytest

from grader.sandbox.reply import canonical
from grader.suite.run import Exchange, answer_digest, answer_digests


def call(test: str, name: str, arguments: list, value) -> Exchange:
    """Make the exchange of a call and its value."""
    request = {"verb": "call", "module": "lab", "name": name, "arguments": arguments, "keywords": []}
    return Exchange(test, request, {"kind": "value", "value": value}, {})


def only(*exchanges: Exchange) -> dict[str, str]:
    """Return the digests of calls of one function."""
    (digests,) = answer_digests(exchanges).values()
    return digests


def test_functions_are_kept_apart():
    """Each function has its own calls."""
    found = answer_digests([call("t", "double", [1], 2), call("t", "triple", [1], 3)])
    assert {name: len(calls) for name, calls in found.items()} == {"double": 1, "triple": 1}


def test_the_same_call_twice_is_two_calls():
    """Both answers count: a function may answer differently the second time."""
    digests = only(call("t", "double", [1], 2), call("t", "double", [1], 4))
    assert len(digests) == 2
    assert len(set(digests.values())) == 2


def test_equal_calls_of_two_tests_are_two_calls():
    """A call belongs to its test."""
    assert len(only(call("t", "double", [1], 2), call("u", "double", [1], 2))) == 2


def test_answers_that_differ_past_the_ninth_decimal_are_the_same():
    """Floats are compared by nine decimals."""
    near, far = 0.21666666666666667, 0.21666666666666679
    first = only(call("t", "f", [1], {"t": [near]}))
    assert first == only(call("t", "f", [1], {"t": [far]}))
    assert first != only(call("t", "f", [1], {"t": [0.2166667]}))


def test_whole_and_decimal_numbers_differ():
    """1, 1.0 and True are three answers."""
    answers = [only(call("t", "f", [1], value)) for value in (1, 1.0, True)]
    assert len({tuple(one.values()) for one in answers}) == 3


def test_constants_and_imports_are_no_calls():
    """Reading a constant is not a call of a function."""
    request = {"verb": "constant", "module": "lab", "name": "N", "arguments": [], "keywords": []}
    assert answer_digests([Exchange("t", request, {"kind": "value", "value": 1}, {})]) == {}


def test_a_canonical_message():
    """The order of keys does not change the bytes."""
    assert canonical({"b": 1, "a": [1, {"d": 2, "c": 3}]}) == b'{"a":[1,{"c":3,"d":2}],"b":1}'


@pytest.mark.parametrize("tree", [{"f": "nan"}, {"f": "inf"}, {"o": "int"}, {"q": [10**400, 1]}, {"b": "00"}])
def test_any_value_has_a_digest(tree):
    """Values that are not finite, too large for a float or opaque have a digest of their own."""
    found = {answer_digest({"kind": "value", "value": value}) for value in (tree, 1, 0.5)}
    assert len(found) == 3
