"""Work out what lateness costs, exactly and rounded once.

Days are counted as a person reads a calendar in the course's time zone: a day later is the same time on the
clock, also when the clock was put forward or back in between.
"""

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from grader.base.errors import GraderError, UsageError
from grader.base.flags import EARLY_EXTENSION, LATE, NO_TIME
from grader.course.model import Course, Exercise, LatePolicy
from grader.grading.score import Result
from grader.roster.roster import Roster, read_extension


@dataclass(frozen=True)
class LateCharge:
    """What one hand-in is charged: ``points`` (at most two decimals), for ``days`` started days.

    ``flags`` are words for the instructor: ``late``, ``no-time`` (nothing is charged, because nobody knows
    when it came) and ``extension-before-due`` (the extension was left aside).
    """

    points: int | float = 0
    days: int = 0
    flags: tuple[str, ...] = ()


def penalty(  # noqa: PLR0917 - a pure function says all it depends on
    policy: LatePolicy | None,
    due: datetime | None,
    submitted_at: datetime | None,
    extension: datetime | None,
    max_score: int,
    zone: ZoneInfo,
) -> LateCharge:
    """Return the points of ``max_score`` that lateness costs.

    An extension is a later due date of one person. The grace moves the due date and every day after it. A
    hand-in at the very second is in time. Points are rounded once, to hundredths, half a hundredth in the
    student's favour. Without a policy, or when the platform applies it, lateness is a flag and costs nothing.
    All times are aware ones; days are counted on the clock of ``zone``.
    """
    if due is None:
        return LateCharge()
    charged_here = policy is not None and policy.applied_by == "kit"
    flags: tuple[str, ...] = ()
    if extension is not None:
        flags = (EARLY_EXTENSION,) if _instant(extension) < _instant(due) else ()
        due = max(due, extension, key=_instant)
    if submitted_at is None:
        return LateCharge(flags=(*flags, NO_TIME) if charged_here else flags)
    grace = timedelta(minutes=policy.grace_minutes) if policy is not None else timedelta(0)
    days = days_late(due, submitted_at, zone, grace)
    if days == 0:
        return LateCharge(flags=flags)
    flags = (*flags, LATE)
    if policy is None or not charged_here:
        return LateCharge(0, days, flags)
    percent = min(days * _exact(policy.percent_per_day), _exact(policy.cap_percent))
    return LateCharge(_points(max_score * percent / 100), days, flags)


def days_late(due: datetime, submitted_at: datetime, zone: ZoneInfo, grace: timedelta) -> int:
    """Count the days that have started after ``due``; 0 is in time. Parts of a second do not count."""
    came = _instant(submitted_at).replace(microsecond=0) - grace
    if came <= _instant(due):
        return 0
    wall = due.astimezone(zone).replace(tzinfo=None)
    days = max(1, (came.astimezone(zone).replace(tzinfo=None) - wall).days - 1)
    while came > _latest_instant(wall + timedelta(days=days), zone):
        days += 1
    return days


def _latest_instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment at which a clock shows that time; the later one if it comes twice or never."""
    return max(_instant(wall.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))


def _instant(moment: datetime) -> datetime:
    # Two times of one zone are compared by their clocks, not by what happened first; in UTC both are one.
    return moment.astimezone(UTC)


def _exact(number: float) -> Fraction:
    """The decimal number as it was written: 33.3 is 333/10, not the nearest binary fraction."""
    return Fraction(repr(number))


def _points(exact: Fraction) -> int | float:
    cents = math.ceil(100 * exact - Fraction(1, 2))
    return cents / 100 if cents % 100 else cents // 100


def extensions_of(roster: Roster | None, zone: ZoneInfo) -> dict[str, datetime]:
    """Read everyone's own due date from the roster, by id. Raises UsageError if one of them is no date."""
    found: dict[str, datetime] = {}
    for person in roster.people if roster else ():
        try:
            moment = read_extension(person.extension, zone)
        except ValueError:
            raise UsageError(
                f"The roster's column 'extension': {person.extension!r} of {person.id} is no date; "
                "write it like 2026-12-01 23:59, in the course's time zone."
            ) from None
        if moment is not None:
            found[person.id] = moment
    return found


def charged(result: Result, course: Course, exercise: Exercise, extension: datetime | None) -> Result:
    """Return the result charged by the due dates of now, in place of an earlier charge and its flags.

    Only a graded result is charged; a flag stays when another part of the grader gave it. Raises GraderError
    if the result's ``submitted_at`` is not a time with its zone.
    """
    submitted_at, charge, points = _time_of(result), LateCharge(), None
    if result.status == "graded":
        charge = penalty(
            exercise.late, exercise.due, submitted_at, extension, result.max_score, course.timezone
        )
        points = charge.points
    flags = (flag for flag in result.flags if flag not in (LATE, NO_TIME, EARLY_EXTENSION))
    return replace(result, late_penalty=points, flags=(*flags, *charge.flags))


def _time_of(result: Result) -> datetime | None:
    """Read when a hand-in came; None if nobody knows."""
    text = result.submission.submitted_at if result.submission else ""
    try:
        moment = datetime.fromisoformat(text) if text else None
        if not text or (moment and moment.tzinfo):
            return moment
    except ValueError:
        pass
    raise GraderError(
        f"result.json of {result.student!r}: submission.submitted_at is {text!r}; "
        "it must be a time with its zone, like 2026-11-29T14:20:00+00:00."
    )


@dataclass(frozen=True)
class Recharge:
    """A changed late penalty of one student, in points."""

    student: str
    before: int | float
    after: int | float
