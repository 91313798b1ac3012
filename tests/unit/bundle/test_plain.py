"""What equals nothing when it is graded equals nothing at home."""

import enum
from decimal import Decimal
from fractions import Fraction
from unittest.mock import MagicMock

import pytest

from grader.bundle.plain import Other, plain
from grader.sandbox.inside import wire


class Count(int):
    """A subclass of int."""


class Always:
    """Equal to everything."""

    __hash__ = None

    def __eq__(self, other):
        return True


class Level(enum.IntEnum):
    """Numbers with names."""

    ONE = 48


VALUES = [
    *[None, True, 48, -1, 0.5, float("inf"), "48", b"48", range(3), Fraction(1, 4)],
    *[[1, [2, (3, None)]], {"a": 1, 2: [3]}, {1, "a"}, frozenset({1}), []],
    *[Decimal("0.5"), Count(48), Always(), Level.ONE, MagicMock(), 3j, 10**5000, len],
    *[[Decimal(1)], {"a": Count(1)}, {1.5: 1}, {(1, 2)}, set(range(300)), list(range(6000))],
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_home_and_grader_take_the_same_values(value):
    """A value is plain data at home exactly if it is when it reaches the grader."""
    received = wire.decode(wire.encode(value))
    made = plain(value)
    assert isinstance(made, Other) is isinstance(received, wire.Opaque)
    assert (made == made) is (received == received)  # noqa: PLR0124 - Other and Opaque differ from themselves
    assert type(made) is type(received) or isinstance(made, (Other, frozenset))


def test_plain_data_is_the_object_itself():
    """A test may compare identities."""
    for value in ([1, 2], {"a": [1]}, (1, 2), "x"):
        assert plain(value) is value


def test_list_of_itself_ends():
    """A list that holds itself is cut."""
    endless = []
    endless.append(endless)
    assert plain(endless) != endless


def test_other_value_is_unequal_to_everything():
    """Itself included; it has no truth value, and shows its type."""
    other = plain(Count(48))
    assert other != 48
    assert repr([other]) == "[<Count>]"
    with pytest.raises(TypeError):
        bool(other)
