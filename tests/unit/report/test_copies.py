"""Copies: the same bytes apart from spaces, comments, docstrings and names."""

from __future__ import annotations

import pytest

from grader.report.copies import copies, fingerprint

STUB = b"def total(values):\n    raise NotImplementedError('TODO 1')\n"
ONE = b"""\
def total(values):
    result = 0
    for value in values:
        result += value
    return result
"""


@pytest.mark.parametrize(
    "other",
    [
        ONE.replace(b"result", b"summe"),
        ONE.replace(b"    ", b"\t"),
        ONE.replace(b"\n", b"  # a comment, 'with quotes\n"),
        ONE.replace(b":\n    result", b':\n    """Say what it does."""\n    result'),
        ONE.replace(b" += ", b"+="),
    ],
    ids=["names", "tabs", "comments", "docstring", "blanks"],
)
def test_what_makes_no_difference(other):
    """None of these hides a copy."""
    assert other != ONE
    assert fingerprint(other) == fingerprint(ONE)


@pytest.mark.parametrize(
    "other",
    [
        ONE.replace(b"+=", b"-="),
        ONE.replace(b"= 0", b"= 1"),
        ONE.replace(b"+= value", b"+= result"),
        b"",
        b"\xff\x00'",
    ],
)
def test_what_makes_a_difference(other):
    """Operators, numbers, strings, and which name stands where."""
    assert fingerprint(other) != fingerprint(ONE)


def test_builtins_and_keywords_keep_their_names():
    """Sum and max are two functions, not two names for one thing."""
    assert fingerprint(b"f = sum") != fingerprint(b"f = max")


def test_groups_of_students():
    """Groups of two and more, the largest first; what nobody touched is no copy."""
    files = {"a": [ONE], "c": [ONE], "b": [ONE.replace(b"value", b"v")], "x": [STUB], "y": [STUB]}
    files |= {"d": [b"x = 1"], "e": [b"y=1"], "f": [b"z = 2"]}
    assert copies(files, [STUB]) == [["a", "b", "c"], ["d", "e"]]
