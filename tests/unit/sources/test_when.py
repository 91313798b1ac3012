"""Times as platforms write them."""

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


@pytest.mark.parametrize(
    "text",
    [
        "Freitag, 20. November 2026, 23:59",
        "perjantai, 20. marraskuuta 2026, 23.59",
        "vendredi 20 novembre 2026, 23:59",
        "viernes, 20 de noviembre de 2026, 23:59",
        "venerd\u00ec, 20 novembre 2026, 23:59",
        "vrijdag, 20 november 2026, 23:59",
        "sexta-feira, 20 de novembro de 2026 \u00e0s 23:59",
        "divendres, 20 de novembre 2026, 23:59",
        "fredag, 20 november 2026, 23:59",
        "ostirala, 2026(e)ko azaroaren 20(e)an, 23:59(e)tan",
        "venres, 20 de novembro de 2026, 11:59 p.m.",
        "vineri, 20 noiembrie 2026, 23:59",
        "Cuma, 20 Kas\u0131m 2026, 11:59 \u00d6S",
        "\u043f\u044f\u0442\u043d\u0438\u0446\u0430, 20 \u043d\u043e\u044f\u0431\u0440\u044f 2026, 23:59",
        "20 \u039d\u03bf\u03b5\u03bc\u03b2\u03c1\u03af\u03bf\u03c5 2026, 11:59 \u03bc.\u03bc.",
        "penktadienis, 2026 lapkri\u010dio 20, 23:59",
        "2026\u5e74 11\u6708 20\u65e5(\u91d1\u66dc\u65e5) 23:59",
        "\uae08\uc694\uc77c, 20 11\uc6d4 2026, 11:59 \uc624\ud6c4",
        "2026\u5e7411\u670820\u65e5 \u661f\u671f\u4e94 23:59",
        "20 \u0646\u0648\u0641\u0645\u0628\u0631 2026\u060c 11:59 \u0645",
        "pi\u0105tek, 20 listopada 2026, 23:59",  # November here, October in Croatian
        "petak, 20. studenoga 2026., 23:59",
        "Zur Bewertung abgegeben - Verl\u00e4ngertes Abgabeende bis: Freitag, 20. November 2026, 23:59",
        "Epearen luzapena eman da ostirala, 2026(e)ko azaroaren 20(e)an, 23:59(e)tan arte",
    ],
)
def test_moodle_in_other_languages(text):
    """A date in the language of a Moodle, alone or within a sentence."""
    assert read_time(text, BERLIN) == datetime(2026, 11, 20, 23, 59, tzinfo=BERLIN)


@pytest.mark.parametrize(
    "text",
    [
        "20 listopada 2026, 23:59",  # November in Polish, October in Croatian
        "von 20. November 2026, 23:59 bis 21. November 2026, 23:59",
        "12 hours 1 min late",
        "Freitag, 20. Nebelmond 2026, 23:59",
    ],
)
def test_what_is_no_certain_time(text):
    """A name of two months, two times, or no date: nothing is guessed."""
    assert read_time(text, BERLIN) is None
