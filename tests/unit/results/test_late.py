"""What lateness costs, to the second and to the hundredth of a point; and recharging a whole OUT."""

import dataclasses
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from grader.base.errors import GraderError, UsageError
from grader.course.model import Course, Exercise, LatePolicy, Limits
from grader.grading.score import Received, Result
from grader.results.late import (
    LateCharge,
    charged,
    days_late,
    extensions_of,
    penalty,
)
from grader.roster.roster import Person, Roster

BERLIN = ZoneInfo("Europe/Berlin")
UTC_ZONE = ZoneInfo("UTC")
TEN_A_DAY = LatePolicy(applied_by="kit", percent_per_day=10.0)


def berlin(text):
    """A time on Berlin's clock."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


def utc(text):
    """A time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


DUE = utc("2026-11-29 23:59:59")


def charge(came, policy=TEN_A_DAY, due=DUE, extension=None, points=20):
    """The charge for one hand-in, everything but its time being usual."""
    return penalty(policy, due, came, extension, points, UTC_ZONE)


@pytest.mark.parametrize(
    ("came", "days"),
    [
        ("2026-11-29 12:00:00", 0),
        ("2026-11-29 23:59:59", 0),
        ("2026-11-29 23:59:59.999999", 0),
        ("2026-11-30 00:00:00", 1),
        ("2026-11-30 23:59:59", 1),
        ("2026-12-01 00:00:00", 2),
        ("2026-12-02 09:00:00", 3),
    ],
)
def test_started_days(came, days):
    """In time up to the very second; after it every day that has started counts, 2 of 20 points each."""
    assert charge(utc(came)) == LateCharge(2 * days, days, ("late",) if days else ())


def test_penalty_is_capped():
    """However late, no more than the cap is taken off: 50 % of 20."""
    policy = LatePolicy(applied_by="kit", percent_per_day=10.0, cap_percent=50.0)
    assert charge(utc("2027-01-29 00:00:00"), policy).points == 10
    assert charge(utc("2026-12-04 12:00:00"), policy) == LateCharge(10, 5, ("late",))


def test_cap_below_one_day():
    """A cap below one day's percentage is what the first day costs: 5 % of 20."""
    policy = LatePolicy(applied_by="kit", percent_per_day=10.0, cap_percent=5.0)
    assert charge(utc("2026-11-30 00:00:00"), policy).points == 1


@pytest.mark.parametrize(
    ("came", "days"),
    [
        ("2026-11-30 00:29:59", 0),
        ("2026-11-30 00:30:00", 1),
        ("2026-12-01 00:29:59", 1),
        ("2026-12-01 00:30:00", 2),
    ],
)
def test_grace_moves_every_boundary(came, days):
    """With 30 minutes of grace the due second and each later day's end come 30 minutes later."""
    policy = LatePolicy(applied_by="kit", grace_minutes=30)
    assert charge(utc(came), policy).days == days


@pytest.mark.parametrize(
    ("percent", "days", "points"),
    [
        (33.3, 1, 6.66),  # 20 * 33.3 / 100
        (0.1, 1, 0.02),
        (12.5, 1, 2.5),
        (0.025, 1, 0),  # 0.005 exactly: half a hundredth stays with the student
        (0.026, 1, 0.01),  # 0.0052
        (0.075, 1, 0.01),  # 0.015 exactly
        (5.0, 3, 3),
    ],
)
def test_rounded_once_to_hundredths(percent, days, points):
    """Exact decimal arithmetic, one rounding, halves in the student's favour; whole points are ints."""
    policy = LatePolicy(applied_by="kit", percent_per_day=percent)
    got = charge(DUE + timedelta(days=days - 1, seconds=1), policy)
    assert (got.points, got.days) == (points, days)
    assert type(got.points) is type(points)


def test_tenths_add_up_without_a_tail():
    """Three days of 0.1 % of 100 points are 0.3, not 0.30000000000000004."""
    policy = LatePolicy(applied_by="kit", percent_per_day=0.1)
    assert repr(charge(DUE + timedelta(days=2, hours=1), policy, points=100).points) == "0.3"


@pytest.mark.parametrize(
    ("due", "came", "days"),
    [
        # The clock goes back on 25 October: the day after 24 October 23:59 has 25 hours.
        ("2026-10-24 23:59:00", "2026-10-25 22:30:00", 1),
        ("2026-10-24 23:59:00", "2026-10-25 22:59:00", 1),
        ("2026-10-24 23:59:00", "2026-10-25 22:59:01", 2),
        # The clock goes forward on 29 March: the day after 28 March 23:59 has 23 hours.
        ("2026-03-28 23:59:00", "2026-03-29 21:59:00", 1),
        ("2026-03-28 23:59:00", "2026-03-29 22:30:00", 2),
        # 25 October has 02:30 twice (00:30 and 01:30 UTC): the later one ends the day.
        ("2026-10-24 02:30:00", "2026-10-25 01:30:00", 1),
        ("2026-10-24 02:30:00", "2026-10-25 01:30:01", 2),
        # 29 March has no 02:30: the day ends when the clock shows 03:30 (01:30 UTC).
        ("2026-03-28 02:30:00", "2026-03-29 01:30:00", 1),
        ("2026-03-28 02:30:00", "2026-03-29 01:30:01", 2),
    ],
)
def test_days_across_daylight_saving(due, came, days):
    """A day later is the same time on the course's clock, however many hours that takes."""
    assert days_late(berlin(due), utc(came), BERLIN, timedelta(0)) == days


def test_due_in_the_repeated_hour_is_an_instant():
    """Due at the first 02:30 of the night when the clock goes back, 02:45 of the first pass is late."""
    due = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
    assert days_late(due, due.replace(minute=45), BERLIN, timedelta(0)) == 1
    assert days_late(due.replace(fold=1), due.replace(minute=45), BERLIN, timedelta(0)) == 0


def test_due_with_an_offset_is_counted_on_the_course_clock():
    """A due date written with another offset is the same instant; its days are those of the course."""
    due = datetime(2026, 10, 24, 17, 59, tzinfo=timezone(timedelta(hours=-4)))  # 23:59 in Berlin
    assert days_late(due, utc("2026-10-25 22:59:00"), BERLIN, timedelta(0)) == 1


def test_extension_is_a_later_due_date():
    """With three days more, a hand-in of the fourth day is one day late; within them it is in time."""
    extension = DUE + timedelta(days=3)
    assert charge(extension, extension=extension) == LateCharge()
    assert charge(extension + timedelta(hours=1), extension=extension) == LateCharge(2, 1, ("late",))


def test_extension_before_the_due_date_is_left_aside():
    """An extension that would shorten the time is a mistake: the due date holds, and a flag says so."""
    early = DUE - timedelta(days=9)
    assert charge(DUE, extension=early) == LateCharge(flags=("extension-before-due",))
    assert charge(None, extension=early).flags == ("extension-before-due", "no-time")


def test_no_time_known_costs_nothing_and_is_flagged():
    """Where the platform says no time, nothing is charged, and the instructor is told."""
    assert charge(None) == LateCharge(flags=("no-time",))


@pytest.mark.parametrize("policy", [None, LatePolicy(applied_by="platform", percent_per_day=10.0)])
def test_flag_alone_without_a_policy_of_the_kit(policy):
    """When the platform takes points off, or nobody does, lateness is only said; no time is no matter."""
    assert charge(utc("2026-12-01 10:00:00"), policy) == LateCharge(0, 2, ("late",))
    assert charge(utc("2026-11-01 10:00:00"), policy) == LateCharge()
    assert charge(None, policy) == LateCharge()


def test_never_due_is_never_late():
    """Without a due date nothing is late."""
    assert charge(utc("2036-01-01 00:00:00"), due=None) == LateCharge()


@pytest.mark.parametrize(
    ("came", "days", "points"),
    [
        ("2026-10-24 23:59:00", 0, 0),
        ("2026-10-25 00:29:00", 0, 0),
        ("2026-10-25 00:29:01", 1, 2),
        ("2026-10-26 00:29:00", 1, 2),
        ("2026-10-26 00:29:01", 2, 4),
        ("2026-10-30 09:00:00", 6, 10),
    ],
)
def test_the_worked_table(came, days, points):
    """The rows of docs/late.md: due 24 October 23:59 in Berlin, 30 minutes of grace, at most half."""
    policy = LatePolicy(applied_by="kit", percent_per_day=10.0, cap_percent=50.0, grace_minutes=30)
    got = penalty(policy, berlin("2026-10-24 23:59:00"), berlin(came), None, 20, BERLIN)
    assert (got.days, got.points) == (days, points)


def test_extensions_by_student():
    """Whoever has none is not in the table; a roster is not needed."""
    roster = Roster((Person("1", extension="2026-12-01"), Person("2"), Person("3", extension="  ")))
    assert extensions_of(roster, BERLIN) == {"1": berlin("2026-12-01 23:59:59")}
    assert extensions_of(None, BERLIN) == {}


def test_extension_that_is_no_date():
    """The sentence names the person by id, the column and what would be right."""
    roster = Roster((Person("007", name="Jo", extension="next week"),))
    with pytest.raises(UsageError, match=r"column 'extension': 'next week' of 007 is no date; write it like"):
        extensions_of(roster, BERLIN)


def make_result(student, score, came, penalty_points=0, flags=()):
    """A graded result of 20 points that came at that time."""
    received = Received("0" * 64, came, ("reservation.py",))
    return Result(student, "lab", "graded", score, 20, penalty_points, (), (), flags, received)


def make_course(due, policy=TEN_A_DAY):
    """A course with one exercise, as far as lateness needs it."""
    exercise = Exercise("lab", "Lab", 20, due, policy, Limits(), (), (), {})
    return Course(Path("/nowhere"), "Course", UTC_ZONE, "latest", "", {"lab": exercise})


def test_charged_keeps_other_flags():
    """A charge replaces the flags of an earlier charge and leaves those of other parts."""
    course, flags = make_course(DUE), ("no-time", "odd", "late")
    late = make_result("a", 20, (DUE + timedelta(hours=1)).isoformat(), 4, flags)
    found = charged(late, course, course.exercise("lab"), None)
    assert (found.late_penalty, found.flags) == (2, ("odd", "late"))
    early = make_result("a", 20, DUE.isoformat(), 4, flags)
    found = charged(early, course, course.exercise("lab"), None)
    assert (found.late_penalty, found.flags) == (0, ("odd",))


def test_a_result_without_a_submission_has_no_time():
    """No submission means no known time."""
    course = make_course(DUE)
    result = dataclasses.replace(make_result("a", 20, ""), submission=None)
    assert charged(result, course, course.exercise("lab"), None).flags == ("no-time",)


@pytest.mark.parametrize("text", ["yesterday", "2024-03-02T10:00:00"])
def test_a_time_that_cannot_be_read_is_an_error(text):
    """A damaged time is neither in time nor late: one sentence names the student and the key."""
    course = make_course(DUE)
    with pytest.raises(GraderError, match=r"result.json of '0001': submission.submitted_at is '"):
        charged(make_result("0001", 20, text), course, course.exercise("lab"), None)
