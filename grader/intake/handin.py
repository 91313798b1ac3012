"""The record of one hand-in, from a platform's download to the submission, and what naming schemes share."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from grader.base.flags import GROUP_WORK, TEST_STUDENT, UNREADABLE_TIME
from grader.base.text import printable
from grader.course.model import Exercise
from grader.roster.roster import MAX_ID, Roster
from grader.sources.archives import is_handed_in
from grader.sources.submission import Submission
from grader.sources.tree import Member, Tree
from grader.sources.when import read_time

LEFT_OUT = "-"  # what a person writes as the student of a hand-in that is to be left out


@dataclass(frozen=True)
class Sender:
    """A person as a platform names them; ``key`` is looked up in the roster's ``column``, then as an id."""

    key: str
    column: str = "id"
    name: str = ""
    email: str = ""


@dataclass(frozen=True)
class HandIn:
    """What one person, or a group with several ``senders``, handed in at one time.

    The platform's naming scheme fills the first fields. ``received_as`` is the name of its folder or first
    file as the platform wrote it. ``attempt`` is the platform's number of it, or 0. ``order`` grows with time
    where the platform has such a number, else 0. ``named_for_student`` says that the one file in it is named
    for the student, not for the exercise. ``problem`` is a sentence that says why nothing of it can be read,
    or empty. ``readings`` are the hand-ins that an ambiguous name may stand for; the other fields except
    ``received_as`` are empty then. ``times`` say when it came for each member of a group, by the member's id,
    where that differs from ``submitted_at``. ``stray`` says why a file belongs to no hand-in; a person may
    add it to a student's.

    Matching with the roster fills the rest: the id, name and e-mail of the ``student``, ``key`` as the
    student's key on the platform (empty where a person named the student), ``path`` as the number of the PATH
    that it came from, and ``owner_words``, the words of its senders' names that may be part of file names.
    """

    senders: tuple[Sender, ...]
    members: tuple[Member, ...]
    received_as: str
    submitted_at: datetime | None = None
    attempt: int = 0
    order: int = 0
    flags: tuple[str, ...] = ()
    named_for_student: bool = False
    problem: str = ""
    readings: tuple[HandIn, ...] = ()
    stray: str = ""
    student: str = ""
    name: str = ""
    email: str = ""
    key: str = ""
    path: int = 0
    times: Mapping[str, datetime] = field(default_factory=dict)
    owner_words: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """``received_as`` as unmatched.csv lists it: printable and stripped."""
        return printable(self.received_as, 1000).strip()

    @property
    def labels(self) -> tuple[str, ...]:
        """The label, and for a group's hand-in one more for each sender."""
        of_senders = tuple(self.label_of(one) for one in self.senders) if len(self.senders) > 1 else ()
        return (self.label, *of_senders)

    def label_of(self, sender: Sender) -> str:
        """Return the label of one sender of a group's hand-in; without a group that of the whole."""
        is_group = len(self.senders) > 1
        return printable(f"{self.received_as}: {sender.key}", 1000).strip() if is_group else self.label

    def empty_submission(self) -> Submission:
        """Return the student's submission with no file taken yet."""
        return Submission(
            self.student,
            {},
            flags=tuple(sorted(set(self.flags))),
            received_as=self.received_as,
            submitted_at=self.submitted_at,
            name=self.name,
            email=self.email,
            attempt=self.attempt,
        )

    def unreadable(self, exercise: Exercise, why: str) -> Submission:
        """Return the submission of a hand-in of which nothing can be read; the sentence says why."""
        return replace(self.empty_submission(), problems=dict.fromkeys(exercise.files, why))


@dataclass(frozen=True)
class Setting:
    """What a naming scheme may ask: the exercise, the roster, the course's time zone, where results are."""

    exercise: Exercise
    roster: Roster | None
    zone: tzinfo
    out: Path | None = None


@dataclass(frozen=True)
class SortedTree:
    """A tree sorted into hand-ins; ``leftover`` are the members that belong to none.

    ``label`` says what the tree was taken for, where it differs from the scheme's LABEL.
    """

    hand_ins: tuple[HandIn, ...]
    leftover: tuple[Member, ...] = ()
    label: str = ""


def clean_id(text: str) -> str:
    """Return an id that is safe to show: NFC, stripped, printable, at most 128 characters."""
    plain = printable(unicodedata.normalize("NFC", text).strip(), 4 * MAX_ID)
    if len(plain) <= MAX_ID:
        return plain
    return f"{plain[:96]}~{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def handed_in(
    senders: Iterable[Sender],
    members: Iterable[Member],
    received_as: str,
    *,
    came: str | None = None,
    zone: tzinfo = UTC,
    order: int = 0,
    flags: Iterable[str] = (),
) -> HandIn:
    """Make a platform's hand-in, flagged for test accounts, groups, and a time, ``came``, that is unreadable.

    ``came`` is None where the platform states none.
    """
    senders, time = tuple(senders), read_time(came, zone) if came else None
    every = {*flags}
    for sender in senders:  # platforms let a teacher look around as a test student
        words = sorted(filter(None, re.split(r"[\W_]+", sender.name.casefold())))
        is_test = words in (["student", "test"], ["demo", "student"], ["studenttest"])
        every |= {TEST_STUDENT} if is_test or sender.key.endswith("_previewuser") else set()
    every |= {GROUP_WORK} if len(senders) > 1 else set()
    every |= {UNREADABLE_TIME} if came is not None and time is None else set()
    return HandIn(senders, tuple(members), received_as, time, order=order, flags=tuple(sorted(every)))


def one_of(readings: Iterable[HandIn], received_as: str) -> HandIn:
    """Return the only reading of a name, or a hand-in that may be any of them."""
    each = tuple(readings)
    return each[0] if len(each) == 1 else HandIn((), (), received_as, readings=each)


def grouped(
    tree: Tree, *patterns: re.Pattern[str]
) -> tuple[dict[tuple[str, ...], tuple[str, list[Member]]], tuple[Member, ...]]:
    """Group what lies at the top of a tree by the named groups of its names; return that, and other members.

    The group ``file`` is the student's own name of a file; the others are the key. Each value is the first
    name and the members: a folder's, and files at the top under the students' own names.
    """
    groups: dict[tuple[str, ...], tuple[str, list[Member]]] = {}
    named = set()
    for name in sorted({*tree.files, *tree.tops}):
        found = next(filter(None, (pattern.fullmatch(name) for pattern in patterns)), None)
        if found is None:
            continue
        named.add(name)
        key = found.groupdict("")
        own_name = key.pop("file", "")
        members = groups.setdefault(tuple(key.values()), (name, []))[1]
        members += tree.below(name).members
        if name in tree.files:
            members.append(replace(tree.files[name], parts=(own_name or name,)))
    return groups, tuple(m for m in tree.members if m.parts[0] not in named)


def share_named(
    tree: Tree,
    *,
    folder: Callable[[str], object] = lambda _: False,
    file: Callable[[str], object] = lambda _: False,
) -> float:
    """Return which share of the names at the top fits a platform, or 0 for one half or less.

    ``folder`` and ``file`` tell whether a name fits; without one of them no such name does. A file that
    students do not hand in (such as a platform's index) counts only if its name fits.
    """
    named = sum(bool(folder(name)) for name in tree.tops)
    others = len(tree.tops) - named
    for name in tree.files:
        if file(name):
            named += 1
        elif is_handed_in(name):
            others += 1
    return named / (named + others) if named > others else 0.0
