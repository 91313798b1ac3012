"""Hand-ins + roster -> students: by the platform's id, by id, by address, by a name that only one person has.

Nothing is guessed: what fits nobody, or more than one, is listed with the people it could be.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.intake.handin import HandIn, Who, clean_id
from grader.roster import Person, Roster


@dataclass(frozen=True)
class Unmatched:
    """Something that was handed in by nobody we know: why, and the ids of those it could be."""

    received_as: str
    why: str
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matched:
    """A hand-in and the student whose it is."""

    student: str
    name: str
    email: str
    hand_in: HandIn


def match(
    hand_in: HandIn, roster: Roster | None, settled: Mapping[str, str]
) -> tuple[list[Matched], list[Unmatched]]:
    """The students of one hand-in (several for a group's), or why there are none."""
    if hand_in.received_as in settled:
        return [_as(settled[hand_in.received_as], hand_in, roster)], []
    if hand_in.readings:
        candidates = tuple(sorted({who.key for reading in hand_in.readings for who in reading.people}))
        return [], [Unmatched(hand_in.received_as, "the name can be read in several ways", candidates)]
    if roster is None or "test-student" in hand_in.flags:
        return [Matched(clean_id(w.key), w.name, w.email, hand_in) for w in hand_in.people], []
    matched: list[Matched] = []
    unmatched: list[Unmatched] = []
    for who in hand_in.people:
        people = find(who, roster)
        if len(people) == 1:
            matched.append(Matched(people[0].id, people[0].name, people[0].email, hand_in))
        else:
            why = f"several people on the roster fit {who.key}" if people else "nobody on the roster fits"
            ids = tuple(p.id for p in people) or _near(who, roster)
            unmatched.append(Unmatched(hand_in.received_as, why, ids))
    return matched, unmatched


def find(who: Who, roster: Roster) -> Sequence[Person]:
    """Those on the roster who fit: the first of the ways to look that finds anyone decides."""
    key = clean_id(who.key)
    ways = (
        lambda p: bool(key) and getattr(p, who.column) == key,
        lambda p: p.id == key,
        lambda p: bool(who.email) and p.email.casefold() == who.email.casefold(),
        lambda p: bool(p.name) and plain(p.name) in (plain(who.name), plain(key)),
    )
    for way in ways:
        if people := [person for person in roster.people if way(person)]:
            return people
    return []


def plain(text: str) -> str:
    """A name for comparing: NFC, case and spaces levelled."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _near(who: Who, roster: Roster) -> tuple[str, ...]:
    """Ids that differ in case or leading zeros alone."""
    key = clean_id(who.key).casefold().lstrip("0")
    return tuple(p.id for p in roster.people if key and p.id.casefold().lstrip("0") == key)


def _as(student: str, hand_in: HandIn, roster: Roster | None) -> Matched:
    person = roster.person(student) if roster else None
    return Matched(student, person.name if person else "", person.email if person else "", hand_in)
