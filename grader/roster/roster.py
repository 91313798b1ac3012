"""Who takes the course: each person's id, name, address, ids on platforms and later due date."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, tzinfo
from functools import cached_property
from pathlib import Path

from grader.base.errors import UsageError
from grader.base.files import csv_bytes
from grader.course.platforms import WorksheetColumn
from grader.roster.lists import OWN_COLUMNS, list_people
from grader.sources.names import letters_of, owner_words, same_name, split_words
from grader.sources.table import fold_heading, read_table

PLATFORM_IDS = (
    "canvas_id",
    "moodle_id",
    "brightspace_id",
    "blackboard_id",
    "gradescope_id",
    "github_id",
    "lti_id",
)
_ANY_CASE = ("email", "github_id", "blackboard_id")
MAX_ID = 128  # characters of a student's id
# Format characters: zero-width spaces, soft hyphens, marks of direction, byte order marks.
_HIDDEN = re.compile("[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
_JOINERS = re.compile("[\u200c\u200d]")


@dataclass(frozen=True)
class Person:
    """One person of the course. Every id is text and keeps its leading zeros."""

    id: str
    name: str = ""
    email: str = ""
    canvas_id: str = ""  # Canvas's user id
    moodle_id: str = ""  # the N of the worksheet's "Participant N"
    brightspace_id: str = ""  # the OrgDefinedId
    blackboard_id: str = ""  # the user name
    gradescope_id: str = ""  # the SID
    github_id: str = ""  # the login
    lti_id: str = ""
    extension: str = ""  # a later due date as it was written
    extra: Mapping[str, str] = field(default_factory=dict)  # all other columns under their headings

    def more(self, heading: str) -> str:
        """Return a cell of ``extra`` by its heading in any case, with spaces or ``_``; "" without one."""
        return next(
            (cell for name, cell in self.extra.items() if fold_heading(name) == fold_heading(heading)), ""
        )

    @property
    def group(self) -> str:
        """The name of this person's group, from the column ``group``; "" without one."""
        return self.more("group")


PERSON_COLUMNS = tuple(one.name for one in fields(Person) if one.name != "extra")


@dataclass(frozen=True)
class Roster:
    """Everyone on the course, sorted by id."""

    people: tuple[Person, ...]
    notes: tuple[str, ...] = field(default=(), compare=False)  # what was taken out or left aside in reading
    states_extensions: bool = field(default=False, compare=False)  # a file of it has later due dates

    def person(self, student: str) -> Person | None:
        """Return the person with this id, or None."""
        return next(iter(self.find("id", student)), None)

    def student(self, fields: Mapping[str, str]) -> str:
        """Return the id of the one person with one of these values, by column; "" without one."""
        found = {
            person.id for column, value in fields.items() if value for person in self.find(column, value)
        }
        return found.pop() if len(found) == 1 else ""

    def find(self, column: str, value: str) -> Sequence[Person]:
        """Return the people with this value in a column, which is a field of Person."""
        return self._found.get(_mark(column, value), ())

    def named(self, name: str) -> Sequence[Person]:
        """Return the people with the same name, in any order or run together."""
        found = self._found.get(("letters", letters_of(name)), ())
        return [person for person in found if same_name(name, person.name)]

    def members(self, group: str) -> Sequence[Person]:
        """Return the members of the one group of that name, in any case and with any separators."""
        found = self._found.get(("group", "".join(split_words(group))), ())
        return found if len({person.group for person in found}) == 1 else ()

    @cached_property
    def words(self) -> Sequence[tuple[Person, frozenset[str]]]:
        """Everyone, each with the words of the name."""
        return [(person, owner_words(person.name)) for person in self.people]

    @cached_property
    def _found(self) -> Mapping[tuple[str, str], Sequence[Person]]:
        """The people by what is looked up: a class of thousands is looked up thousands of times."""
        found: dict[tuple[str, str], list[Person]] = defaultdict(list)
        for person in self.people:
            marks = [_mark(column, value) for column in PERSON_COLUMNS if (value := getattr(person, column))]
            marks.append(("letters", letters_of(person.name)))
            marks.append(("group", "".join(split_words(person.group))))
            for mark in marks:
                if mark[1]:
                    found[mark].append(person)
        return dict(found)


def _mark(column: str, value: str) -> tuple[str, str]:
    """Return a column and a value as they are compared: some platforms ignore case in user names."""
    return column, value.casefold() if column in _ANY_CASE else value


def load_roster(
    paths: Sequence[Path],
    named: Mapping[WorksheetColumn, str] | None = None,
    kept: Roster | None = None,
    id_column: str = "",
) -> Roster:
    """Read one roster or join several: ours, or a platform's own list of people as downloaded.

    The ids of the first file are kept, and those of the roster that the course ``kept``. A person in a later
    file is matched by any id that both files have, or by address, and fills in fields that are still empty.
    If two platforms state a later due date, the later one is used; a due date in a file of our own replaces
    both. ``named`` are headings of Moodle's worksheet in course.toml by the English ones, ``id_column`` is
    the heading of the ids in platforms' lists. An error names file, row and column.
    """
    known: list[Person] = []
    own: dict[str, str] = {}  # who has a due date in a file of our own, and which file
    notes: list[str] = []
    states = False
    for path in paths:
        file = _read(path, named, kept, id_column)
        notes += file.notes
        states = states or file.states_extensions
        known = _join(known, file, path.name, own, notes) if known else [person for person, _ in file.people]
        if file.own:
            own |= {p.id: path.name for p, _ in file.people if p.extension and p.id not in own}
    headings: dict[str, str] = {}  # a further column has one heading, however the files write it
    for at, person in enumerate(known):
        extra: dict[str, str] = {}
        for heading, cell in person.extra.items():
            extra.setdefault(headings.setdefault(fold_heading(heading), heading), cell)
        known[at] = replace(person, extra=extra)
    return Roster(tuple(sorted(known, key=lambda person: person.id)), tuple(notes), states)


def read_extension(text: str, zone: tzinfo) -> datetime | None:
    """Read a later due date as a person writes it: a day means its last second, an empty text None.

    A time without an offset is in ``zone``. The first and the last year of the calendar are refused, because
    such a time may not exist in another time zone. Raises ValueError if it is no date.
    """
    text = text.strip()
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    with suppress(ValueError):
        moment = datetime.combine(date.fromisoformat(text), time(23, 59, 59))
    if moment.year in (MINYEAR, MAXYEAR):
        raise ValueError(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def roster_bytes(roster: Roster) -> bytes:
    """Write the roster as our own CSV; ``load_roster`` reads it back equal."""
    people = sorted(roster.people, key=lambda person: person.id)
    used = [name for name in PERSON_COLUMNS if name in OWN_COLUMNS or any(getattr(p, name) for p in people)]
    if roster.states_extensions and "extension" not in used:
        used.append("extension")  # the next call shall know that nobody has one
    extra = sorted({name for person in people for name in person.extra})
    rows = (
        [*(getattr(person, name) for name in used), *(person.extra.get(name, "") for name in extra)]
        for person in people
    )
    return csv_bytes([*used, *extra], rows)


@dataclass(frozen=True)
class _File:
    """The people of one file, each with further ids of theirs, and what to know about the file."""

    people: list[tuple[Person, frozenset[str]]]
    own: bool
    states_extensions: bool
    notes: tuple[str, ...]


def _read(
    path: Path, named: Mapping[WorksheetColumn, str] | None, kept: Roster | None, id_column: str
) -> _File:
    """Read the people of one file; nobody lacks an id or shares one."""
    table = read_table(path)
    people: list[tuple[Person, frozenset[str]]] = []
    rows: dict[str, int] = {}
    unseen: dict[str, list[int]] = {}
    known_id = kept.student if kept else None
    file = list_people(table, PERSON_COLUMNS, named, known_id, fold_heading(id_column))
    for listed in file.people:
        values = {}
        for name, value in listed.fields.items():
            if _HIDDEN.search(value) or (name != "name" and _JOINERS.search(value)):
                unseen.setdefault(name, []).append(listed.row)
            # Nobody sees these characters; some scripts need the joiners in names.
            plain = _HIDDEN.sub("", value)
            is_key = name == "email" or name.endswith("id")
            key = _JOINERS.sub("", unicodedata.normalize("NFC", plain)).strip()
            values[name] = key if is_key else plain if name == "name" else value
        student = values["id"]
        if not student:
            raise table.mistake("id", [listed.row], "there is no id; every person needs one")
        if len(student) > MAX_ID or not student.isprintable():
            raise table.mistake("id", [listed.row], "the id is very long or holds an invisible character")
        if student in rows:
            raise table.mistake("id", [rows[student], listed.row], f"the id {student!r} is there twice")
        rows[student] = listed.row
        try:
            read_extension(values.get("extension", ""), UTC)
        except ValueError:
            what = f"{values['extension']!r} is no date of a course; write it like 2026-12-01 23:59"
            raise table.mistake("extension", [listed.row], what) from None
        people.append((Person(**values, extra=dict(listed.extra)), listed.aliases))
    if not people:
        raise UsageError(f"{path.name} lists nobody; it needs a row for each person.")
    _refuse_shared_ids(path.name, [person for person, _ in people])
    notes = tuple(
        f"{path.name}: invisible characters were taken out of {name!r} in row{'s' * (len(numbers) > 1)} "
        f"{', '.join(map(str, numbers[:5]))}{' ...' * (len(numbers) > 5)}"
        for name, numbers in unseen.items()
    )
    return _File(people, file.own, file.states_extensions, notes)


def _refuse_shared_ids(file: str, people: Sequence[Person]) -> None:
    owners: dict[tuple[str, str], str] = {}
    for column, person in ((column, person) for column in PLATFORM_IDS for person in people):
        value = getattr(person, column)
        if value and (other := owners.setdefault((column, value), person.id)) != person.id:
            raise UsageError(
                f"{file}: column {column!r}: {value!r} stands at {other!r} and at {person.id!r}; "
                "each person has one of their own."
            )


def _join(
    known: list[Person], listed: _File, file: str, own: Mapping[str, str], notes: list[str]
) -> list[Person]:
    """Add what another file says about known people, and the people that only this file lists."""
    places: dict[tuple[str, str], set[int]] = defaultdict(set)
    for at, first in enumerate(known):
        for mark in _identity(first):
            places[mark].add(at)
    joined: set[int] = set()
    people = list(known)
    for person, aliases in listed.people:
        marks = {*_identity(person), *(("id", alias) for alias in aliases)}
        same = sorted({at for mark in marks for at in places.get(mark, ())})
        if len(same) > 1 or joined & {*same}:
            both = ", ".join(repr(known[at].id) for at in same)
            raise UsageError(
                f"{file}: {person.id!r} fits more than one person, or one that was there: {both}."
            )
        if not same:
            people.append(person)
            continue
        joined.add(same[0])
        first = known[same[0]]
        filled = {name: getattr(first, name) or getattr(person, name) for name in PERSON_COLUMNS}
        # A worksheet has the number in this assignment; a file of our own perhaps that in an earlier one.
        filled["moodle_id"] = (not listed.own and person.moodle_id) or filled["moodle_id"]
        if first.extension and person.extension and first.extension != person.extension:
            if first.id not in own:
                later = max(first.extension, person.extension)
                filled["extension"] = person.extension if listed.own else later
            if first.id in own or listed.own:
                notes.append(
                    f"{first.id}: the extension {filled['extension']} of {own.get(first.id, file)} "
                    f"counts, and another file says {first.extension if listed.own else person.extension}"
                )
        people[same[0]] = replace(first, **filled, extra={**first.extra, **person.extra, **first.extra})
    if not joined:
        raise UsageError(
            f"{file}: nobody in it has an id or an address that the roster before it has; "
            "add a column 'email' or the platform's ids to one of them."
        )
    return people


def _identity(person: Person) -> list[tuple[str, str]]:
    """Return what tells in another file that it is the same person: the id, the address, platforms' ids."""
    return [_mark(name, value) for name in ("id", "email", *PLATFORM_IDS) if (value := getattr(person, name))]


def last_and_first(name: str) -> tuple[str, str]:
    """Split a name into last and first name; ``Lovelace, Ada`` and ``Ada Lovelace`` are split alike."""
    if "," in name:
        last, _, first = name.partition(",")
    else:
        first, _, last = name.strip().rpartition(" ")
    return last.strip(), first.strip()
