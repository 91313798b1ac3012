"""What a platform's JSON must be before it counts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from grader.lms.upload import shape
from grader.lms.upload.http import PlatformError


@pytest.mark.parametrize(
    ("value", "found"),
    [(0, "0"), (18.5, "18.5"), (-1, "-1"), (1e-9, "1E-9"), (9_999_999_999, "9999999999")],
)
def test_numbers(value, found):
    """A number keeps its digits as they were written."""
    assert shape.number({"score": value}, "score", "GET it") == Decimal(found)


@pytest.mark.parametrize("value", ["5", "", [], {}, True, float("nan"), float("-inf"), 1e10, 10**400, 1e-200])
def test_no_numbers(value):
    """Texts, truth values and sizes that no points have are one sentence, never None."""
    with pytest.raises(PlatformError, match=r"^GET it: score is .*[.]$"):
        shape.number({"score": value}, "score", "GET it")


def test_null_and_missing():
    """Null says that there is none; silence says so only where it may."""
    assert shape.number({"score": None}, "score", "GET it") is None
    assert shape.number({}, "score", "GET it", optional=True) is None
    with pytest.raises(PlatformError, match=r"^GET it: the answer has no score; may the token see it[?]$"):
        shape.number({}, "score", "GET it")


@pytest.mark.parametrize(("value", "found"), [(17, "17"), ("a7", "a7"), (0, "0")])
def test_ids(value, found):
    """An id is a whole number or a text."""
    assert shape.identity({"id": value}, "id", "GET it") == found


@pytest.mark.parametrize("value", [None, "", 1.5, True, [], {}, "a\n", "x y", "é"])
def test_no_ids(value):
    """Anything else says nothing of whose an entry is."""
    with pytest.raises(PlatformError, match=r"^GET it: an entry has no id, which says whose it is[.]$"):
        shape.identity({"id": value}, "id", "GET it")
