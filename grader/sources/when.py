"""Read times as platforms write them in names and sheets, independent of this machine's language.

Moodle writes them in its own language: the names of months and weekdays are those of Unicode's CLDR (babel).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo

_LONGEST = 400  # characters in which a time is looked for
_SHORTEST = 3  # of a weekday's name, its spaces included: one letter is in many texts
_LONG = 6  # of a month's name, with spaces: a word that begins with it means it
_HALVES = {" am ": "am", " pm ": "pm", " a m ": "am", " p m ": "pm"}
_CONTEXTS = ("format", "stand-alone")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905  # reads better
_CLOCK = r"(?P<hour>\d{1,2}):?(?P<minute>\d{2})(?::?(?P<second>\d{2}))?\s*(?P<half>[ap]\.?m\.?)?"
_DATE = r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"
_FORMS = {
    "Brightspace, like Oct 10, 2025 1022 AM": (
        rf"(?P<month>[a-z]{{3,9}})\.?\s+(?P<day>\d{{1,2}}),?\s+(?P<year>\d{{4}}),?\s+{_CLOCK}"
    ),
    "Moodle, like Friday, 10 October 2025, 10:22 AM": (
        rf"(?:[a-z]+,\s*)?(?P<day>\d{{1,2}})\s+(?P<month>[a-z]{{3,9}})\s+(?P<year>\d{{4}}),?\s+{_CLOCK}"
    ),
    "Blackboard, like 2025-10-10-10-22-33": (
        rf"{_DATE}-(?P<hour>\d{{2}})-(?P<minute>\d{{2}})-(?P<second>\d{{2}})"
    ),
    "nbgrader and Gradescope, like 2025-10-10 10:22:33.123456 UTC": (
        rf"{_DATE}[T ](?P<hour>\d{{2}}):(?P<minute>\d{{2}})(?::(?P<second>\d{{2}})(?:\.\d{{1,9}})?)?"
        r"\s*(?P<offset>Z|UTC|[+-]\d{2}:?\d{2})?"
    ),
}


def read_time(text: str, zone: tzinfo) -> datetime | None:
    """Return the time that a text states, to the second, or None; in ``zone`` unless it has an offset."""
    text = " ".join(text.split())
    for form in _FORMS.values():
        if (found := re.fullmatch(form, text, re.IGNORECASE)) and (time := _time(found.groupdict(), zone)):
            return time
    return find_time(text, zone)


@functools.lru_cache(maxsize=1 << 12)
def find_time(text: str, zone: tzinfo) -> datetime | None:
    """Return the one time within a text, in any language: a date with a four-digit year, a clock like 23:59.

    Where a name is two months' in two languages, the weekday beside it decides. None if there is no such
    time, or more than one.
    """
    clocks = re.findall(r"(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])", text)
    years = re.findall(r"(?<!\d)\d{4}(?!\d)", text)
    numbered = re.findall(
        r"(\d{1,2})\s*[\u6708\uc6d4]", text
    )  # a month's number in Chinese, Japanese, Korean
    rest = re.sub(r"\d{1,2}:\d{2}|\d{4}|\d{1,2}\s*[\u6708\uc6d4]", " ", text)
    days = re.findall(r"(?<!\d)\d{1,2}(?!\d)", rest)
    if not len(clocks) == len(years) == len(days) == 1 or len(text) > _LONGEST:
        return None
    part = {"hour": clocks[0][0], "minute": clocks[0][1], "second": "0", "year": years[0], "day": days[0]}
    words, behind = (
        _folded(text),
        _folded(text.partition(":".join(clocks[0]))[2]) if int(part["hour"]) in range(1, 13) else "",
    )
    times: dict[bool, set[datetime]] = {True: set(), False: set()}
    for names in _calendars():
        weekdays = {day for name, day in names.weekdays.items() if name in words}
        names_of_halves = {**names.halves, **_HALVES}
        halves = [half for name, half in names_of_halves.items() if behind.startswith(name)]
        # Some languages add an ending to a month's name.
        named = {
            m for name, m in names.months.items() if (name.rstrip() if len(name) > _LONG else name) in words
        }
        for month in {*numbered, *named}:
            time = _time({**part, "month": month, "half": halves[0] if halves else None}, zone)
            if time is not None and (not weekdays or time.weekday() in weekdays):
                times[bool(weekdays)].add(time)
    found = times[True] or times[False]
    return found.pop() if len(found) == 1 else None


@dataclass(frozen=True)
class _Calendar:
    """One language's names as ``_folded`` writes them: of months, weekdays (Monday is 0), am and pm."""

    months: Mapping[str, str]
    weekdays: Mapping[str, int]
    halves: Mapping[str, str]


@functools.cache
def _calendars() -> tuple[_Calendar, ...]:
    from babel import Locale, localedata  # noqa: PLC0415 - reading all languages takes half a second

    def names(widths: Mapping[str, Mapping[str, Mapping[int, str]]]) -> dict[str, int]:
        each = (widths[context][width] for context in _CONTEXTS for width in ("abbreviated", "wide"))
        return {
            _folded(n): i for one in each for i, n in one.items() if not re.search(r"\d", n) and _folded(n)
        }

    languages = [Locale.parse(one) for one in localedata.locale_identifiers() if "_" not in one]
    return tuple(
        _Calendar(
            {name: f"{month:02}" for name, month in names(language.months).items() if name not in _HALVES},
            {name: day for name, day in names(language.days).items() if len(name) > _SHORTEST},
            {
                _folded(name): half
                for half, name in language.day_periods["format"]["abbreviated"].items()
                if half in ("am", "pm")
            },
        )
        for language in languages
    )


def _folded(text: str) -> str:
    """Return the words of a text in lower case, with a space around each; empty without any."""
    words = " ".join(re.split(r"[\W\d_]+", text.casefold())).strip()
    return f" {words} " if words else ""


def _time(part: dict[str, str | None], zone: tzinfo) -> datetime | None:
    month, half = (part["month"] or "").lower(), (part.get("half") or "").lower()
    hour = int(part["hour"] or 0)
    if half and not 1 <= hour <= 12:
        return None
    try:
        if offset := part.get("offset"):
            minutes = 0 if offset in ("Z", "UTC") else int(offset[1:3]) * 60 + int(offset[-2:])
            zone = timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))
        time = datetime(
            int(part["year"] or 0),
            int(month) if month.isdigit() else _MONTHS.index(month[:3]) + 1,
            int(part["day"] or 0),
            hour % 12 + 12 * half.startswith("p") if half else hour,
            int(part["minute"] or 0),
            int(part["second"] or 0),
            tzinfo=zone,
        )
        time.astimezone(UTC)  # fails at the ends of the calendar
    except (ValueError, OverflowError):
        return None
    return time
