"""Read times as platforms write them in names and sheets, independent of this machine's language.

Moodle writes them in its own language: the names of months and weekdays are those of Unicode's CLDR (babel).
"""

import functools
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

_LONGEST = 400  # characters in which a time is looked for
_SHORTEST = 3  # of a weekday's name, its spaces included: one letter is in many texts
_LONG = 6  # of a month's name, with spaces: a word that begins with it means it
_HALVES = {" am ": "am", " pm ": "pm", " a m ": "am", " p m ": "pm"}
_CONTEXTS = ("format", "stand-alone")
_BLACKBOARD = re.compile(r"(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)-(\d\d)")  # 2025-10-10-10-22-33
_ENGLISH = re.compile(  # Oct 10, 2025 1022 AM, or Friday, 10 October 2025, 10:22 AM
    r"(?:[a-z]+, )?(?:(\d{1,2}) )?([a-z]{3})[a-z]{0,6}\.? (?:(\d{1,2}),? )?(\d{4}),? "
    r"(\d{1,2}):?(\d\d)(?::?(\d\d))? ?(?:([ap])\.?m\.?)?",
    re.IGNORECASE,
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905  # reads better
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?![\d:]|\.\d)")
_NUMBERED = r"(\d{1,2})\s*[\u6708\uc6d4]"  # a month's number in Chinese, Japanese, Korean


def read_time(text: str, zone: tzinfo) -> datetime | None:
    """Return the time that a text states, to the second, or None; in ``zone`` unless it has an offset."""
    text = " ".join(text.split())
    if found := _BLACKBOARD.fullmatch(text):
        text = "{} {}:{}:{}".format(*found.groups())
    with suppress(ValueError, OverflowError):  # no such day, month or hour, or none in UTC: the calendar ends
        if re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:", text):  # nbgrader and Gradescope, in UTC or not
            text = text.replace(" UTC", "Z").replace(" ", "T", 1).replace(" ", "")
            time = datetime.fromisoformat(text)
            time = time.replace(microsecond=0, tzinfo=time.tzinfo or zone)
        elif (found := _ENGLISH.fullmatch(text)) and (found[1] or found[3]) and found[2].lower() in _MONTHS:
            month = _MONTHS.index(found[2].lower()) + 1
            hour, minute, second = (int(part or 0) for part in found.group(5, 6, 7))
            if found[8]:
                hour = hour % 12 + 12 * (found[8] in "pP") if 1 <= hour <= 12 else 99
            day = int(found[1] or found[3])
            time = datetime(int(found[4]), month, day, hour, minute, second, tzinfo=zone)
        else:
            return find_time(text, zone)
        time.astimezone(UTC)
        return time
    return None


@functools.lru_cache(maxsize=1 << 12)
def find_time(text: str, zone: tzinfo) -> datetime | None:
    """Return the one time within a text in any language: a four-digit year, a clock like 23:59 or 23.59.

    Where a name is two months' in two languages, the weekday beside it decides. None if there is no such
    time, or more than one.
    """
    if len(text) > _LONGEST:
        return None
    clocks = list(_CLOCK.finditer(text))
    years = re.findall(r"(?<!\d)\d{4}(?!\d)", text)
    rest = re.sub(rf"{_CLOCK.pattern}|\d{{4}}|{_NUMBERED}", " ", text)
    days = re.findall(r"(?<!\d)\d{1,2}(?!\d)", rest)
    if not len(clocks) == len(years) == len(days) == 1:
        return None
    hour, minute, second = (int(part or 0) for part in clocks[0].groups())
    words = _folded(text)
    behind = _folded(text[clocks[0].end() :]) if 1 <= hour <= 12 else ""
    times: dict[bool, set[datetime]] = {True: set(), False: set()}
    for names in _calendars():
        weekdays = {day for name, day in names.weekdays.items() if name in words}
        halves = [half for name, half in names.halves.items() if behind.startswith(name)]
        # Some languages add an ending to a month's name.
        named = {
            m for name, m in names.months.items() if (name.rstrip() if len(name) > _LONG else name) in words
        }
        for month in {*map(int, re.findall(_NUMBERED, text)), *named}:
            with suppress(ValueError, OverflowError):
                on_clock = hour % 12 + 12 * (halves[0] == "pm") if halves else hour
                time = datetime(int(years[0]), month, int(days[0]), on_clock, minute, second, tzinfo=zone)
                time.astimezone(UTC)
                if not weekdays or time.weekday() in weekdays:
                    times[bool(weekdays)].add(time)
    found = times[True] or times[False]
    return found.pop() if len(found) == 1 else None


@dataclass(frozen=True)
class _Calendar:
    """One language's names as ``_folded`` writes them: of months, weekdays (Monday is 0), am and pm."""

    months: Mapping[str, int]
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
            {name: month for name, month in names(language.months).items() if name not in _HALVES},
            {name: day for name, day in names(language.days).items() if len(name) > _SHORTEST},
            {_folded(language.day_periods["format"]["abbreviated"][half]): half for half in ("am", "pm")}
            | _HALVES,
        )
        for language in languages
    )


def _folded(text: str) -> str:
    """Return the words of a text in lower case, with a space around each; empty without any."""
    words = " ".join(re.split(r"[\W\d_]+", text.casefold())).strip()
    return f" {words} " if words else ""
