"""Match hand-ins with students: by the platform's id, by id, by e-mail, by a name that only one person has.

A hand-in that fits nobody, or several people, is listed in ``unmatched.csv``, and a person writes the
students' ids into it. Without a roster the platform's ids become the students' ids.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.base.errors import UsageError
from grader.base.files import csv_bytes, escape_formula, unescape_formula
from grader.base.flags import ANONYMOUS, GROUP_WORK, TEST_STUDENT
from grader.intake.handin import LEFT_OUT, HandIn, Sender, clean_id
from grader.roster.roster import Person, Roster
from grader.sources.names import nothing_in_common, owner_words, same_name
from grader.sources.table import read_table

_AMBIGUOUS = "its name can be read in more than one way; a roster with the platform's ids would tell"
_HEADER = ("received as", "why", "candidates", "student")
# Numbers that may be another person's id: Moodle's belong to one assignment, Brightspace's are not the
# OrgDefinedId. The person they lead to must have a name like the sender's.
_LOOSE_NUMBERS = ("moodle_id", "brightspace_id")


@dataclass(frozen=True)
class Unmatched:
    """A hand-in without a known student: why, and the ids of the people it could be from."""

    received_as: str
    why: str
    candidates: tuple[str, ...] = ()


def match_students(
    hand_in: HandIn, roster: Roster | None, by_hand: Mapping[str, tuple[str, ...]]
) -> tuple[list[HandIn], list[Unmatched]]:
    """Return the hand-in for each of its students (a group has several), and the senders who fit nobody.

    ``by_hand`` maps labels to the students that a person named; they go before the roster, except for the
    other senders of a group.
    """
    found = list(_match_roster(hand_in, roster))
    matched = [one for one in found if isinstance(one, HandIn)]
    unmatched = [one for one in found if isinstance(one, Unmatched)]
    is_group = len(hand_in.senders) > 1
    given = [student for label in hand_in.labels for student in by_hand.get(label, ())]
    if given:
        matched = [one for one in matched if is_group and one.student not in given]
        matched += [match_by_hand(hand_in, one, roster) for one in dict.fromkeys(given) if one != LEFT_OUT]
        others = is_group and hand_in.label not in by_hand
        unmatched = [one for one in unmatched if others and one.received_as not in by_hand]
    names = [name for one in matched for name in (one.student, one.name)]
    names += [name for sender in hand_in.senders for name in (sender.key, sender.name)]
    words = owner_words(*names)
    return [replace(one, owner_words=words) for one in matched], unmatched


def _match_roster(hand_in: HandIn, roster: Roster | None) -> Iterator[HandIn | Unmatched]:
    """Return the hand-in for each sender on the roster, or why a sender is not found."""
    if hand_in.stray or hand_in.readings:
        candidates = {clean_id(sender.key) for reading in hand_in.readings for sender in reading.senders}
        yield Unmatched(hand_in.label, hand_in.stray or _AMBIGUOUS, tuple(sorted(candidates)))
    for sender in hand_in.senders:
        key, label = clean_id(sender.key), hand_in.label_of(sender)
        people = find(sender, roster) if roster else ()
        # It came without a name, and the roster cannot know the sender.
        known = sender.column != "id" and roster and any(getattr(p, sender.column) for p in roster.people)
        is_unnamed = ANONYMOUS in hand_in.flags and not known
        if not key:
            yield Unmatched(label, "it does not name a student")
        elif TEST_STUDENT in hand_in.flags:
            yield _of(Person(f"{TEST_STUDENT}-{key}", sender.name, sender.email), hand_in, key)
        elif group := _group(sender, people, roster):
            whole = replace(hand_in, flags=(*hand_in.flags, GROUP_WORK))
            yield from (_of(person, whole, key) for person in group)
        elif roster is None or (not people and is_unnamed and not roster.person(key)):
            yield _of(Person(key, sender.name, sender.email), hand_in, key)
        elif len(people) == 1:
            yield _of(people[0], hand_in, key)
        else:
            yield _doubt(sender, label, people, roster)


def match_by_hand(hand_in: HandIn, student: str, roster: Roster | None) -> HandIn:
    """Return the hand-in as that of a student whom a person named; of several readings the one that fits."""
    person = roster.person(student) if roster else None
    if hand_in.readings:
        fitting = (
            reading
            for reading in hand_in.readings
            if (sender := reading.senders[0]).key == student
            or (person and getattr(person, sender.column) == sender.key)
        )
        hand_in = replace(next(fitting, hand_in.readings[-1]), received_as=hand_in.received_as)
    return _of(person or Person(clean_id(student)), hand_in, "")


def _doubt(sender: Sender, label: str, people: Sequence[Person], roster: Roster) -> Unmatched:
    """Say why it is not certain whose hand-in it is, and whose it could be."""
    if people:
        return Unmatched(label, "several people on the roster fit it", tuple(p.id for p in people))
    key = clean_id(sender.key)
    others = tuple(person.id for person in roster.find(sender.column, key))
    if others and sender.column == "moodle_id":
        why = (
            f"participant {key} of the worksheet has another name; is the worksheet another assignment's? "
            "In each the participants have other numbers"
        )
        return Unmatched(label, why, others)
    return Unmatched(label, "nobody on the roster fits it", _near(sender, roster))


def find(sender: Sender, roster: Roster) -> Sequence[Person]:
    """Return the people on the roster who fit, by the first way of looking that finds anyone.

    It looks for the platform's id, for the key as an id, the e-mail, and a name. A number counts for a person
    only if the name beside it may be theirs, as user 7 there is not number 7 of the class; an id or a name
    only if the person's own id on this platform is not known. A folder that no platform named is also looked
    up by logins, and by an id and a name together.
    """
    key, column = clean_id(sender.key), sender.column
    loose = column in _LOOSE_NUMBERS
    found = [p for p in roster.find(column, key) if not loose or _is_like(sender, p, roster)]
    if not found and (sender.name or not loose):
        people = roster.find("id", key)
        found = [p for p in people if _is_free(sender, p) and _is_like(sender, p, roster)]
    if not found:
        found = [*roster.find("email", sender.email or key)]
    if not found:
        named = {p.id: p for name in (sender.name, sender.key) for p in roster.named(name)}
        found = [p for p in named.values() if _is_free(sender, p)]
    return found or (_written_out(key, roster) if column == "id" else ())


def _written_out(key: str, roster: Roster) -> Sequence[Person]:
    """Return the people whose login a folder's name is, or whose id and whole name are both in it."""
    logins = [*roster.find("github_id", key), *roster.find("blackboard_id", key)]
    both = [
        person
        for part in re.split(r"[\s_(),]+", key)
        for person in roster.find("id", part)
        if same_name(key.replace(part, " "), person.name)
        or (person.name and owner_words(person.name) <= owner_words(key))
    ]
    return [*{person.id: person for person in logins or both}.values()]


def _is_like(sender: Sender, person: Person, roster: Roster) -> bool:
    """Return whether a name may be that person's: one shared word suffices if nobody has the whole name."""
    if not sender.name or same_name(sender.name, person.name):
        return True
    return not nothing_in_common(sender.name, person.name) and not roster.named(sender.name)


def _is_free(sender: Sender, person: Person) -> bool:
    """Return whether other marks may identify a person, since the id on this platform is not known."""
    return sender.column in ("id", "brightspace_id") or not getattr(person, sender.column)


def _group(sender: Sender, people: Sequence[Person], roster: Roster | None) -> Sequence[Person]:
    """Return the members of the group that the sender is named after; nobody if it is the sender's own name.

    A key that is no number may be a group's name if it came alone and nobody on the roster fits it. The
    person to whom the platform's number belongs must be a member: people choose their display names.
    """
    if roster is None or (len(people) == 1 and same_name(sender.name, people[0].name)):
        return ()
    alone = sender.column in ("id", "github_id", "blackboard_id") and not sender.name and not people
    found = roster.members(sender.key if alone else sender.name)
    owners = people or roster.find(sender.column, clean_id(sender.key))
    return found if alone or not owners or any(owner in found for owner in owners) else ()


def _near(sender: Sender, roster: Roster) -> tuple[str, ...]:
    """Return the ids of people it could be from: other case, leading zeros, or a name with a word less."""
    key = clean_id(sender.key).casefold()
    words, name = owner_words(sender.key), owner_words(sender.name or sender.key)
    named = {person.id for text in (sender.name, sender.key) for person in roster.named(text)}
    near = []
    for person, theirs in roster.words:
        ids = {person.id.casefold().lstrip("0"), person.email.casefold().partition("@")[0]} - {""}
        same_id = person.id in named or key.lstrip("0") in ids or person.id.casefold() in words
        if same_id or (name and theirs and (name <= theirs or theirs <= name)):
            near.append(person.id)
    return tuple(near)


def _of(person: Person, hand_in: HandIn, key: str) -> HandIn:
    came = hand_in.times.get(person.id, hand_in.submitted_at)
    return replace(
        hand_in, student=person.id, name=person.name, email=person.email, key=key, submitted_at=came
    )


def is_on_roster(name: str, roster: Roster | None) -> bool:
    """Return whether a folder, an archive or a file is named like somebody on the roster."""
    return bool(roster and find(Sender(name), roster))


def unmatched_bytes(rows: Iterable[Unmatched]) -> bytes:
    """Write ``unmatched.csv`` with an empty column ``student`` to fill in; no cell is a formula."""
    ordered = sorted(rows, key=lambda row: (row.received_as, row.why))
    cells = ((row.received_as, row.why, " ".join(row.candidates), "") for row in ordered)
    return csv_bytes(_HEADER, (map(escape_formula, row) for row in cells))


def read_matches(path: Path, roster: Roster | None) -> dict[str, tuple[str, ...]]:
    """Read the ids that a person wrote into ``unmatched.csv``, by label; ``-`` leaves a hand-in out.

    Several ids, with ``;`` between them, are the members of a group. Raises UsageError if the file cannot be
    used, or names someone who is not on the roster.
    """
    table = read_table(path)
    for column in ("received as", "student"):
        if column not in table.headings:
            raise UsageError(
                f"{path.name}: there is no column {column!r}; it has 'received as' and 'student'."
            )
    matches: dict[str, tuple[str, ...]] = {}
    for row in table.rows:
        name, cell = unescape_formula(row.cells["received as"]), row.cells["student"]
        whole = (cell,) if roster and roster.person(cell) else cell.split(";")
        students = tuple(part.strip() for part in whole if part.strip())
        if not students:
            continue
        for student in students:
            if roster and student != LEFT_OUT and roster.person(student) is None:
                raise table.mistake("student", [row.number], f"{student!r} is not on the roster")
        if matches.setdefault(name, students) != students:
            raise table.mistake("received as", [row.number], f"{name!r} is there twice, with two students")
    return matches
