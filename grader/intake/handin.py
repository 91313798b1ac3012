"""What one person or group handed in at one time, as the platform names it: not yet joined to the roster."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from grader.base.flags import TEST_STUDENT
from grader.course.model import Exercise
from grader.roster.roster import Roster
from grader.sources.tree import Member, shown

NOBODY = "-"
"""What a person writes for the student of a hand-in that is to be left out, whoever's it is."""

_MAX_ID = 128


@dataclass(frozen=True)
class Who:
    """A person as a platform knows them: ``key`` is looked up in the roster's ``column``, then as an id."""

    key: str
    column: str = "id"
    name: str = ""
    email: str = ""


@dataclass(frozen=True)
class HandIn:
    """One hand-in; ``people`` are several for a group's.

    ``received_as`` is the name of its folder or first file as the platform wrote it. ``attempt`` is the
    platform's number of it, or 0; ``order`` grows with time where the platform has such a number, else 0.
    ``lone`` says that its one file is named for the student, not for the exercise. ``problem``, where it is
    not empty, says in a sentence why nothing of it can be read. ``readings`` are the hand-ins that an
    ambiguous name can stand for; then the other fields but ``received_as`` say nothing. ``nobody`` says why a
    file is nobody's; it is a part of the hand-in of the student to whom a person gives it.
    """

    people: tuple[Who, ...]
    members: tuple[Member, ...]
    received_as: str
    submitted_at: datetime | None = None
    attempt: int = 0
    order: int = 0
    flags: tuple[str, ...] = ()
    lone: bool = False
    problem: str = ""
    readings: tuple[HandIn, ...] = ()
    nobody: str = ""

    @property
    def label(self) -> str:
        """``received_as`` as it is listed for a person, who may write it back."""
        return label(self.received_as)

    @property
    def labels(self) -> tuple[str, ...]:
        """The label, and for a group's hand-in one more for each of its people."""
        of_people = tuple(self.label_of(who) for who in self.people) if len(self.people) > 1 else ()
        return (self.label, *of_people)

    def label_of(self, who: Who) -> str:
        """The label of one person's part in it: that of the whole, but for a group's."""
        return label(f"{self.received_as}: {who.key}") if len(self.people) > 1 else self.label


@dataclass(frozen=True)
class Setting:
    """What a naming scheme may ask about: the exercise, the roster and the course's time zone.

    ``settled`` says by label whose a hand-in is, where a person has said so.
    """

    exercise: Exercise
    roster: Roster | None
    zone: tzinfo
    settled: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sorted:
    """A tree sorted into hand-ins; ``leftover`` are members that belong to nobody.

    ``label`` says what the tree was taken for, where that is not what the scheme's LABEL says.
    """

    hand_ins: tuple[HandIn, ...]
    leftover: tuple[Member, ...] = ()
    label: str = ""


def label(received_as: str) -> str:
    """A received name as a table keeps it: nothing invisible in it, and no outer spaces."""
    return shown(received_as, 1000).strip()


def clean_id(text: str) -> str:
    """An id that is harmless wherever it is shown: NFC, stripped, bounded, nothing invisible in it."""
    plain = shown(unicodedata.normalize("NFC", text).strip(), 4 * _MAX_ID)
    if len(plain) <= _MAX_ID:
        return plain
    return f"{plain[:96]}~{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def flags_of(who: Who) -> tuple[str, ...]:
    """``test-student`` for the make-believe students by which platforms let a teacher look around."""
    words = sorted(re.split(r"[\W_]+", who.name.casefold()))
    names = [word for word in words if word]
    made_up = names in (["student", "test"], ["demo", "student"], ["studenttest"])
    return (TEST_STUDENT,) if made_up or who.key.endswith("_previewuser") else ()
