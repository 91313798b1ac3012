"""The order of one student's hand-ins, and when nothing tells it."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from grader.intake.handin import HandIn
from grader.intake.prepare import in_order

NOON = datetime(2025, 10, 26, 12, tzinfo=UTC)


def hand_in(name, *, time=None, order=0, path=0, key="k"):
    """A hand-in called ``name``."""
    return HandIn((), (), name, submitted_at=time, order=order, student="ada", key=key, path=path)


def names(*ones):
    """The names in order, or None."""
    return [one.received_as for one in in_order(ones)] or None


def test_times_decide_if_every_hand_in_has_one():
    """Across time zones and PATHs, and before the platform's numbers."""
    east = NOON.astimezone(timezone(timedelta(hours=9))) + timedelta(minutes=1)
    assert names(hand_in("b", time=east, order=1), hand_in("a", time=NOON, order=2, path=1)) == ["a", "b"]


def test_the_repeated_hour_in_autumn_is_ordered():
    """02:30 before the clock is put back is earlier than 02:30 after it."""
    berlin = ZoneInfo("Europe/Berlin")
    first = datetime(2025, 10, 26, 2, 30, tzinfo=berlin)
    assert names(hand_in("b", time=first.replace(fold=1)), hand_in("a", time=first)) == ["a", "b"]


def test_the_platforms_numbers_decide_if_a_time_is_missing():
    """They are compared as numbers, within one PATH; PATHs count in the order given."""
    assert names(hand_in("b", order=10), hand_in("a", order=9, time=NOON)) == ["a", "b"]
    assert names(hand_in("b", path=1), hand_in("a", order=9)) == ["a", "b"]


def test_without_times_or_numbers_there_is_no_order():
    """Two hand-ins without a number, or two at the same time."""
    assert names(hand_in("a"), hand_in("b")) is None
    assert names(hand_in("a", time=NOON), hand_in("b", time=NOON)) is None
    assert names(hand_in("a")) == ["a"]


def test_two_people_of_one_download_have_no_order():
    """Even if their times differ."""
    assert names(hand_in("a", time=NOON, key="1"), hand_in("b", time=NOON + timedelta(1), key="2")) is None
    assert names(hand_in("a", order=1, key="1"), hand_in("b", order=2, key="2", path=1)) == ["a", "b"]
