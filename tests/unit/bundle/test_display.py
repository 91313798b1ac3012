"""grader.bundle.display: whatever a student's value or text is, what is shown is one bounded line."""

import pytest

from grader.bundle import display


def test_call_is_written_as_it_would_be_typed():
    """Positional and keyword arguments stand as Python writes them."""
    assert (
        display.call_text("used_slots", ([20, 35],), {"max_len": 100}) == "used_slots([20, 35], max_len=100)"
    )
    assert display.call_text("f") == "f()"


class _Unshowable:
    def __repr__(self):
        raise RuntimeError


class _Odd:
    def __repr__(self):
        raise ValueError


@pytest.mark.parametrize("kind", [_Unshowable, _Odd])
def test_value_that_cannot_be_shown(kind):
    """A ``__repr__`` that raises never spoils the message."""
    assert display.value_text(kind()) == f"a {kind.__name__} that cannot be shown"


def test_text_is_one_bounded_line_without_invisible_characters():
    """Breaks become blanks, escape sequences are spelled out, the middle of a long text is left out."""
    assert display.display_text("a\n b\tc\x1b[2J\u202e") == r"a b c\x1b[2J\u202e"
    assert display.display_text("abcdefghijklmno" * 1000, 15) == "abcde ... klmno"
