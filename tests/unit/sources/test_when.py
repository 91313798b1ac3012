"""Times as platforms write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from grader.sources.when import read_time

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "hour", "minute", "second"),
    [
        ("Oct 10, 2025 1022 AM", 10, 22, 0),
        ("Oct 10, 2025 922 AM", 9, 22, 0),
        ("October 10, 2025 10:22 PM", 22, 22, 0),
        ("oct 10, 2025 12:05 am", 0, 5, 0),
        ("Oct 10, 2025 1205 p.m.", 12, 5, 0),
        ("Oct 10, 2025 2205", 22, 5, 0),
        ("Friday, 10 October 2025, 10:22 AM", 10, 22, 0),
        ("Friday, 10 October 2025, 10:22:33 PM", 22, 22, 33),
        ("10 October 2025, 22:05", 22, 5, 0),
        ("10\u00a0October 2025, 10:22\u202fAM", 10, 22, 0),
        ("2025-10-10-10-22-33", 10, 22, 33),
        ("2025-10-10 10:22:33.123456", 10, 22, 33),
        ("2025-10-10T10:22", 10, 22, 0),
    ],
)
def test_a_time_without_a_zone_is_the_courses(text, hour, minute, second):
    """Every platform's way of writing the same day is read in the course's zone."""
    assert read_time(text, BERLIN) == datetime(2025, 10, 10, hour, minute, second, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("2025-10-10 10:22:33.123456 UTC", 0),
        ("2025-10-10 10:22:33.123456789 Z", 0),
        ("2025-10-10T10:22:33+14:00", 14 * 60),
        ("2025-10-10T10:22:33 -0730", -(7 * 60 + 30)),
    ],
)
def test_a_time_with_an_offset_keeps_it(text, offset):
    """The offset comes before the course's zone."""
    expected = datetime(2025, 10, 10, 10, 22, 33, tzinfo=timezone(timedelta(minutes=offset)))
    assert read_time(text, BERLIN) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "1709337599",
        "01/03/2024 23:59",
        "2025-13-01 10:00",
        "2025-02-30-10-00-00",
        "Xyz 10, 2025 1022 AM",
        "Oct 10, 2025 1322 PM",
        "Oct 10, 2025 0022 AM",
        "2025-10-10 25:00",
        "2025-10-10 10:22:33 EST",
        "2025-10-10 10:22:33+99:00",
        "yesterday",
    ],
)
def test_an_uncertain_time_is_none(text):
    """A day that may be a month, an impossible hour, a zone of three letters."""
    assert read_time(text, UTC) is None


@pytest.mark.parametrize("text", ["0001-01-01 00:00:00 +14:00", "9999-12-31 23:59:59 -12:00"])
def test_a_time_at_the_end_of_the_calendar_is_none(text):
    """It does not exist in UTC, so nothing can be computed with it."""
    assert read_time(text, UTC) is None
