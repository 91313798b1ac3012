"""Collect what is sent to a platform: each person's final points, and who is left out and why."""

import math
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from grader.base.errors import UsageError
from grader.base.flags import TEST_STUDENT
from grader.course.model import Exercise
from grader.course.platforms import Platform
from grader.grading.score import FinalResult, points_text
from grader.roster.roster import PLATFORM_IDS, Person, Roster

_P = TypeVar("_P", bound=Platform)

_WHY = {
    "missing": "nothing was handed in",
    "unreadable": "the hand-in could not be read",
    "grader-error": "the grader failed on it; grade it again",
}


@dataclass(frozen=True)
class Payload:
    """One person and their final result: graded, or of a hand-in that could not be read."""

    person: Person
    result: FinalResult

    @property
    def has_score(self) -> bool:
        """False if the hand-in could not be read: only a comment and a page can leave."""
        return self.result.status != "unreadable"


@dataclass(frozen=True)
class Withheld:
    """A student who is not sent, by id, and why; ``lost`` if a graded score is withheld by that."""

    student: str
    why: str
    lost: bool = False


@dataclass(frozen=True)
class Scale:
    """From our maximum to the platform's, both in points."""

    ours: int
    theirs: Fraction

    def __call__(self, points: Decimal) -> Decimal:
        """Convert points: exactly where the maxima agree, else rounded once to hundredths.

        Halves are rounded up, but less than everything never becomes everything.
        """
        if self.theirs == self.ours:
            return points
        exact = Fraction(points) * self.theirs / self.ours
        cents = math.floor(100 * exact + Fraction(1, 2))
        if points < self.ours and cents >= 100 * self.theirs:
            cents = math.ceil(100 * self.theirs) - 1
        return Decimal(cents) / 100


@dataclass(frozen=True)
class Leaving:
    """Who is sent, who is withheld, and who has no score but a page: their hand-in could not be read."""

    sent: tuple[Payload, ...]
    withheld: tuple[Withheld, ...]
    unread: tuple[Payload, ...]


def leaving(
    results: Collection[FinalResult],
    roster: Roster | None,
    exercise: Exercise | None = None,
    only: Collection[str] = (),
) -> Leaving:
    """Sort results into those that are sent and those that are withheld, by id; ``only`` these students.

    Without a roster a student's id is the one that the platform gave, and so it stands for the platform's.
    Who handed in nothing is sent with 0 points if the exercise says so. ``unread`` are withheld, too.
    Somebody in ``only`` without a result raises UsageError.
    """
    known = {result.student for result in results}
    if strangers := [student for student in only if student not in known]:
        raise UsageError(f"--only: there is no result of {', '.join(map(repr, strangers))}.")
    zero = exercise is not None and exercise.missing == "zero"
    people = {person.id: person for person in roster.people} if roster else {}
    sent, withheld, unread = [], [], []
    for result in sorted(results, key=lambda result: result.student):
        if only and result.student not in only:
            continue
        person = people.get(result.student)
        if roster is None:
            ids = dict.fromkeys(PLATFORM_IDS, result.student)
            person = Person(result.student, **ids, extra={"edx_id": result.student})
        if TEST_STUDENT in result.flags:
            withheld.append(Withheld(result.student, "is the platform's test student"))
        elif result.status != "graded" and not (zero and result.status == "missing"):
            withheld.append(Withheld(result.student, _WHY[result.status]))
            if result.status == "unreadable" and person:
                unread.append(Payload(person, result))
        elif person is None:
            withheld.append(Withheld(result.student, "is not on the roster", lost=True))
        else:
            sent.append(Payload(person, result))
    return Leaving(tuple(sent), tuple(withheld), tuple(unread))


@dataclass(frozen=True)
class PersonKey:
    """How a platform knows a person: its name, how to find it, its form, and what to do without one."""

    name: str
    of: Callable[[Person], str]
    form: re.Pattern[str]
    advice: str = "add it to the roster"

    def sort(self, sent: Iterable[Payload]) -> tuple[dict[str, Payload], list[Withheld]]:
        """Who can be sent, by key, and who cannot: without a key, with an odd one, or with another's."""
        by_key: dict[str, list[Payload]] = {}
        withheld = []
        for one in sent:
            if self.form.fullmatch(key := self.of(one.person)):
                by_key.setdefault(key, []).append(one)
            else:
                wrong = f"{self.name} {key!r} is not one" if key else f"has no {self.name}"
                withheld.append(Withheld(one.person.id, f"{wrong}; {self.advice}", lost=one.has_score))
        for key, ones in by_key.items():
            ids = ", ".join(one.person.id for one in ones)
            if len(ones) > 1:
                why = f"{self.name} {key} belongs to {ids}"
                withheld += [Withheld(one.person.id, why, lost=one.has_score) for one in ones]
        return {key: ones[0] for key, ones in by_key.items() if len(ones) == 1}, withheld


NUMBER = re.compile(r"[1-9][0-9]{0,18}")
ANY_ID = re.compile(r"\S(?:.*\S)?")


def settings_of(exercise: Exercise, kind: type[_P]) -> _P:
    """The exercise's settings for one platform; what course.toml does not say is as by default."""
    return next((found for found in exercise.platform.values() if isinstance(found, kind)), kind())


def scale_to(exercise: Exercise, platform: str, found: Decimal | None, where: str) -> Scale:
    """How points are converted for a platform, of this name in course.toml.

    ``found`` is the maximum that the platform itself says, None if it says nothing, and ``where`` it says so.
    Raises UsageError if its maximum is unlike ours, and course.toml does not allow to convert.
    """
    settings = exercise.platform.get(platform, Platform())
    key = f"course.toml: exercise.{exercise.name}.platform.{platform}"
    theirs = found
    if theirs is None and settings.maximum is not None:
        theirs, where = Decimal(repr(settings.maximum)), f"{key}.maximum"
    if theirs is None:
        return Scale(exercise.points, Fraction(exercise.points))
    if theirs <= 0 or (theirs != exercise.points and not settings.scale):
        raise UsageError(
            f"{exercise.name} is worth {exercise.points} points here and {points_text(theirs)} on the "
            f"platform ({where}): set it to {exercise.points} there, or write scale = true under {key}."
        )
    return Scale(exercise.points, Fraction(theirs))
