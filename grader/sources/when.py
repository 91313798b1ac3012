"""Read times as platforms write them in names and sheets, independent of this machine's language."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

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
        if found := re.fullmatch(form, text, re.IGNORECASE):
            return _time(found.groupdict(), zone)
    return None


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
