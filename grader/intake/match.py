"""Hand-ins + roster -> students: by the platform's id, by id, by address, by a name that only one person has.

Nothing is guessed: what fits nobody, or more than one, is listed with the people it could be. Without a
roster the platform's own ids become the students' ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from grader.base.flags import ANONYMOUS, GROUP_WORK, TEST_STUDENT
from grader.intake.handin import HandIn, Who, clean_id
from grader.roster.roster import Person, Roster
from grader.sources.names import nothing_in_common, same_name, split_words

_LOOSE_CASE = ("github_id", "blackboard_id")  # platforms that take no notice of case in user names
# Numbers that may be another's id: Moodle's counts in one assignment, Brightspace's is not the OrgDefinedId.
# Whoever they lead to must bear a name like the one beside them.
_LOOSE_NUMBERS = ("moodle_id", "brightspace_id")


@dataclass(frozen=True)
class Unmatched:
    """Something that was handed in by nobody we know: why, and the ids of those it could be."""

    received_as: str
    why: str
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matched:
    """A hand-in and the student whose it is.

    ``key`` is the person's key on the platform; empty where a person said whose it is.
    """

    student: str
    hand_in: HandIn
    key: str
    name: str = ""
    email: str = ""


def match(hand_in: HandIn, roster: Roster | None) -> tuple[list[Matched], list[Unmatched]]:
    """The students of one hand-in (several for a group's), and those of its people who fit nobody."""
    if hand_in.nobody:
        return [], [Unmatched(hand_in.label, hand_in.nobody)]
    if hand_in.readings:
        candidates = {clean_id(who.key) for reading in hand_in.readings for who in reading.people}
        why = "its name can be read in more than one way; a roster with the platform's ids would tell"
        return [], [Unmatched(hand_in.label, why, tuple(sorted(candidates)))]
    matched: list[Matched] = []
    unmatched: list[Unmatched] = []
    for who in hand_in.people:
        yes, no = _match_one(who, hand_in, roster)
        matched += yes
        unmatched += no
    return matched, unmatched


def settle(hand_in: HandIn, student: str, roster: Roster | None) -> Matched:
    """The hand-in as that of a student whom a person named; of several readings the one that fits."""
    person = roster.person(student) if roster else None
    for reading in hand_in.readings:
        who = reading.people[0]
        if who.key == student or (person and getattr(person, who.column) == who.key):
            hand_in = replace(reading, received_as=hand_in.received_as)
            break
    else:
        if hand_in.readings:
            hand_in = replace(hand_in.readings[-1], received_as=hand_in.received_as)
    return _of(person, hand_in, "") if person else Matched(clean_id(student), hand_in, "")


def _match_one(who: Who, hand_in: HandIn, roster: Roster | None) -> tuple[list[Matched], list[Unmatched]]:
    key = clean_id(who.key)
    own = Matched(key, hand_in, key, who.name, who.email)
    if not key:
        return [], [Unmatched(hand_in.label_of(who), "it does not say whose it is")]
    if TEST_STUDENT in hand_in.flags:
        return [replace(own, student=f"{TEST_STUDENT}-{key}")], []
    people = find(who, roster) if roster else []
    if group := _group(who, people, roster):
        whole = replace(hand_in, flags=(*hand_in.flags, GROUP_WORK))
        return [_of(person, whole, key) for person in group], []
    if roster is None or (not people and _is_unnamed(who, hand_in, roster) and not roster.person(key)):
        return [own], []
    if len(people) == 1:
        return [_of(people[0], hand_in, key)], []
    why, candidates = _doubt(who, people, roster)
    return [], [Unmatched(hand_in.label_of(who), why, candidates)]


def _is_unnamed(who: Who, hand_in: HandIn, roster: Roster) -> bool:
    """Whether it was handed in without a name, and the roster could not know whose it is."""
    unknown = who.column == "id" or not any(getattr(person, who.column) for person in roster.people)
    return ANONYMOUS in hand_in.flags and unknown


def _doubt(who: Who, people: Sequence[Person], roster: Roster) -> tuple[str, tuple[str, ...]]:
    """Why a hand-in is nobody's for certain, and the ids of those it could be."""
    if people:
        return "several people on the roster fit it", tuple(person.id for person in people)
    key = clean_id(who.key)
    others = tuple(person.id for person in roster.find(who.column, key))
    if others and who.column == "moodle_id":
        why = (
            f"participant {key} of the worksheet has another name; is the worksheet another assignment's? "
            "In each the participants have other numbers"
        )
        return why, others
    return "nobody on the roster fits it", _near(who, roster)


def find(who: Who, roster: Roster) -> Sequence[Person]:
    """Those on the roster who fit; the first way of looking that finds anyone decides."""
    key, column = clean_id(who.key), who.column
    loose = column in _LOOSE_NUMBERS

    def by_platform() -> Iterable[Person]:
        if column in _LOOSE_CASE:
            return (person for person in roster.people if key and _same(getattr(person, column), key))
        return (person for person in roster.find(column, key) if not loose or _is_like(who, person, roster))

    def by_id() -> Iterable[Person]:
        # The platform's number may be somebody else's id: 7 is user 7 there and the class's number 7 here.
        found = roster.find("id", key) if who.name or not loose else ()
        return (person for person in found if _is_free(who, person) and _is_like(who, person, roster))

    def by_email() -> Iterable[Person]:
        return (person for person in roster.people if who.email and _same(person.email, who.email))

    def by_name() -> Iterable[Person]:
        named = (p for p in roster.people if same_name(who.name, p.name) or same_name(who.key, p.name))
        return (person for person in named if _is_free(who, person))

    ways: tuple[Callable[[], Iterable[Person]], ...] = (by_platform, by_id, by_email, by_name)
    return next((people for way in ways if (people := tuple(way()))), ())


def _is_like(who: Who, person: Person, roster: Roster) -> bool:
    """Whether a name can be that person's: a word in common is enough while nobody has the whole name."""
    if not who.name or same_name(who.name, person.name):
        return True
    return not nothing_in_common(who.name, person.name) and not any(
        same_name(who.name, other.name) for other in roster.people
    )


def _is_free(who: Who, person: Person) -> bool:
    """Whether a person can be meant by something else than the id on this platform, which is not known."""
    return who.column in ("id", "brightspace_id") or not getattr(person, who.column)


def _same(one: str, other: str) -> bool:
    """Whether two texts are the same but for case."""
    return one.casefold() == other.casefold()


def _group(who: Who, people: Sequence[Person], roster: Roster | None) -> Sequence[Person]:
    """Everyone of the group whose name the hand-in bears, unless it is its one person's own name.

    A key that stands for itself may be a group's name, too, as long as it is nobody's. Whoever the platform's
    number belongs to has to be one of the group: people choose the names by which they are shown.
    """
    if roster is None or (len(people) == 1 and same_name(who.name, people[0].name)):
        return ()
    alone = who.column == "id" and not who.name and not people
    name = "".join(split_words(who.key if alone else who.name))
    groups = [members for group, members in roster.groups.items() if "".join(split_words(group)) == name]
    found = [person for members in groups for person in members] if name else []
    owners = people or roster.find(who.column, clean_id(who.key))
    return found if alone or not owners or any(owner in found for owner in owners) else ()


def _near(who: Who, roster: Roster) -> tuple[str, ...]:
    """The ids of those it could be: another case or other leading zeros, part of the name, the same name."""
    key = clean_id(who.key).casefold()
    words = set(split_words(who.key))
    near = []
    for person in roster.people:
        ids = {person.id.casefold().lstrip("0"), person.email.casefold().partition("@")[0]} - {""}
        same = key.lstrip("0") in ids or person.id.casefold() in words
        if same or same_name(who.name, person.name) or same_name(who.key, person.name):
            near.append(person.id)
    return tuple(near)


def _of(person: Person, hand_in: HandIn, key: str) -> Matched:
    return Matched(person.id, hand_in, key, person.name, person.email)
