"""Tell plain data from objects that only look like it, as the grader does when it receives an answer.

The grader takes the exact types of :data:`SCALARS`, Fractions, and lists, tuples, ranges, dicts and sets of
them. Anything else (a Decimal, a subclass of int, a number of numpy's) equals nothing there, so it must equal
nothing at home.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NoReturn

SCALARS = (type(None), bool, int, float, str, bytes, range, Fraction)
_MAX_DEPTH = 24
_MAX_ITEMS = 5_000
_MAX_KEYS = 256
_MAX_INT_BITS = 12_000


class Other:
    """Stands for a value that is not plain data; it equals nothing. ``kind`` is the name of its type."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    def __bool__(self) -> NoReturn:
        raise TypeError(f"a value of type {self.kind} is neither true nor false here")

    def __repr__(self) -> str:
        return f"<{self.kind}>"


def plain(value: object) -> Any:
    """Return plain data itself; of other data a copy with :class:`Other` in place of what is not plain."""
    left = [_MAX_ITEMS]
    made = _plain(value, 0, left)
    return Other(type(value).__name__) if left[0] < 0 else made


def kind_of(made: object) -> str:
    """The name of an answer's type if it was not plain data; otherwise empty."""
    return made.kind if type(made) is Other else ""


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    kind = type(value)
    left[0] -= 1
    if kind is int and int.bit_length(value) > _MAX_INT_BITS:
        return Other("int")
    if kind in SCALARS or left[0] < 0:
        return value
    if kind not in (list, tuple, dict, set, frozenset) or depth >= _MAX_DEPTH:
        return Other(kind.__name__)
    if kind in (dict, set, frozenset) and (len(value) > _MAX_KEYS or not {int, str} >= set(map(type, value))):
        return Other(kind.__name__)
    items = list(value.values() if kind is dict else value)
    made = [_plain(item, depth + 1, left) for item in items]
    if all(new is old for new, old in zip(made, items, strict=True)):
        return value
    return dict(zip(value, made, strict=True)) if kind is dict else kind(made)
