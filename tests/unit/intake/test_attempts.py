"""The order of one student's hand-ins, and when nothing tells it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from grader.intake.attempts import in_order
from grader.intake.handin import HandIn

NOON = datetime(2025, 10, 26, 12, tzinfo=UTC)


def hand_in(name, *, time=None, order=0, path=0, key="k"):
    """A hand-in called ``name``."""
    return HandIn((), (), name, submitted_at=time, order=order, student="ada", key=key, path=path)


def names(*ones):
    """The names in order, or None."""
    ordered = in_order(ones)
    return None if ordered is None else [one.received_as for one in ordered]


def test_times_decide_where_all_have_one():
    """Across zones and paths, whatever the platform's numbers say."""
    east = NOON.astimezone(timezone(timedelta(hours=9))) + timedelta(minutes=1)
    assert names(hand_in("b", time=east, order=1), hand_in("a", time=NOON, order=2, path=1)) == ["a", "b"]


def test_an_hour_that_comes_twice_is_told_apart():
    """Half past two of a clock that is put back is earlier than half past two after it."""
    berlin = ZoneInfo("Europe/Berlin")
    first = datetime(2025, 10, 26, 2, 30, tzinfo=berlin)
    assert names(hand_in("b", time=first.replace(fold=1)), hand_in("a", time=first)) == ["a", "b"]


def test_the_platforms_numbers_decide_where_a_time_is_missing():
    """As numbers, and within a path; paths count in the order in which they were given."""
    assert names(hand_in("b", order=10), hand_in("a", order=9, time=NOON)) == ["a", "b"]
    assert names(hand_in("b", path=1), hand_in("a", order=9)) == ["a", "b"]


def test_nothing_is_preferred_where_nothing_tells():
    """Two without number, or two at one time."""
    assert names(hand_in("a"), hand_in("b")) is None
    assert names(hand_in("a", time=NOON), hand_in("b", time=NOON)) is None
    assert names(hand_in("a")) == ["a"]


def test_two_people_of_one_download_are_never_one():
    """Even when their times differ."""
    assert names(hand_in("a", time=NOON, key="1"), hand_in("b", time=NOON + timedelta(1), key="2")) is None
    assert names(hand_in("a", order=1, key="1"), hand_in("b", order=2, key="2", path=1)) == ["a", "b"]
