"""Who takes the course: everyone's id, name and address, and the ids by which platforms know them."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

from grader.base.errors import UsageError
from grader.base.files import csv_bytes

PLATFORM_IDS = (
    "canvas_id",
    "moodle_id",
    "brightspace_id",
    "blackboard_id",
    "gradescope_id",
    "github_id",
    "lti_id",
)
_MAX_ID = 128


@dataclass(frozen=True)
class Person:
    """One person of the course; every id is text, leading zeros included.

    ``canvas_id`` is Canvas's user id, ``moodle_id`` the N of the worksheet's "Participant N",
    ``brightspace_id`` the OrgDefinedId, ``blackboard_id`` the user name, ``gradescope_id`` the SID,
    ``github_id`` the login. ``extension`` is a later due date as it was written. ``extra`` holds the columns
    that the kit has no use for, under their headings.
    """

    id: str
    name: str = ""
    email: str = ""
    canvas_id: str = ""
    moodle_id: str = ""
    brightspace_id: str = ""
    blackboard_id: str = ""
    gradescope_id: str = ""
    github_id: str = ""
    lti_id: str = ""
    extension: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)

    def more(self, heading: str) -> str:
        """A cell of ``extra`` by its heading, whatever its case and spaces; empty where there is none."""
        from grader.sources.table import fold  # noqa: PLC0415  # reading tables needs this module's classes

        return next((cell for name, cell in self.extra.items() if fold(name) == fold(heading)), "")

    @property
    def group(self) -> str:
        """The name of this person's group, if a column ``group`` says one."""
        return self.more("group")


COLUMNS = tuple(one.name for one in fields(Person) if one.name != "extra")


@dataclass(frozen=True)
class Roster:
    """Everyone on the course, sorted by id."""

    people: tuple[Person, ...]

    def person(self, student: str) -> Person | None:
        """The person of that id, if there is one."""
        return next(iter(self.find("id", student)), None)

    def find(self, column: str, value: str) -> Sequence[Person]:
        """Everyone whose ``column`` (a field of Person) is ``value``."""
        return self._found.get((column, value), ())

    @cached_property
    def groups(self) -> Mapping[str, Sequence[Person]]:
        """Everyone who is in a group, by its name."""
        found: dict[str, list[Person]] = defaultdict(list)
        for person in self.people:
            if group := person.group:
                found[group].append(person)
        return dict(found)

    @cached_property
    def _found(self) -> Mapping[tuple[str, str], Sequence[Person]]:
        """Everyone by each field that is filled: a class of thousands is looked up thousands of times."""
        found: dict[tuple[str, str], list[Person]] = defaultdict(list)
        for person in self.people:
            for column in COLUMNS:
                if value := getattr(person, column):
                    found[column, value].append(person)
        return dict(found)


def load_roster(paths: Sequence[Path]) -> Roster:
    """Read one roster or join several: ours or a platform's own list of people, unchanged.

    The first file's ids stay; a later file's people are joined to them by any id they share, or by address,
    and fill in what is not known yet.

    Raises:
        UsageError: A file cannot be used; the text names file, row and column.
    """
    known: list[Person] = []
    for path in paths:
        listed = _read(path)
        known = _join(known, listed, path.name) if known else [person for person, _ in listed]
    known = _with_one_heading_each(known)
    return Roster(tuple(sorted(known, key=lambda person: person.id)))


def roster_bytes(roster: Roster) -> bytes:
    """The roster as our own CSV, the same bytes for the same roster; ``load_roster`` reads it back equal."""
    people = sorted(roster.people, key=lambda person: person.id)
    used = [
        name for name in COLUMNS if name in ("id", "name", "email") or any(getattr(p, name) for p in people)
    ]
    extra = sorted({name for person in people for name in person.extra})
    rows = (
        [*(getattr(person, name) for name in used), *(person.extra.get(name, "") for name in extra)]
        for person in people
    )
    return csv_bytes([*used, *extra], rows)


def _read(path: Path) -> list[tuple[Person, frozenset[str]]]:
    """The people of one file with their other ids; each has an id of its own."""
    from grader.roster.lists import list_people  # noqa: PLC0415  # it is no part of the model
    from grader.sources.table import read_table  # noqa: PLC0415  # the same

    table = read_table(path)
    people: list[tuple[Person, frozenset[str]]] = []
    rows: dict[str, int] = {}
    for listed in list_people(table, COLUMNS):
        values = {
            name: _tidy(value) if name.endswith("id") else value for name, value in listed.fields.items()
        }
        student = values["id"]
        if not student:
            raise table.mistake("id", [listed.row], "there is no id; every person needs one")
        if len(student) > _MAX_ID or not student.isprintable():
            raise table.mistake("id", [listed.row], "the id is very long or holds an invisible character")
        if student in rows:
            raise table.mistake("id", [rows[student], listed.row], f"the id {student!r} is there twice")
        rows[student] = listed.row
        people.append((Person(**values, extra=dict(listed.extra)), listed.aliases))
    if not people:
        raise UsageError(f"{path.name} lists nobody; it needs a row for each person.")
    _check_platform_ids(people, path.name)
    return people


def _check_platform_ids(people: Iterable[tuple[Person, frozenset[str]]], file: str) -> None:
    for column in PLATFORM_IDS:
        owners: dict[str, str] = {}
        for person, _ in people:
            value = getattr(person, column)
            if value and owners.setdefault(value, person.id) != person.id:
                raise UsageError(
                    f"{file}: column {column!r}: {value!r} stands at {owners[value]!r} and at {person.id!r}; "
                    "each person has one of their own."
                )


def _join(known: list[Person], listed: list[tuple[Person, frozenset[str]]], file: str) -> list[Person]:
    """``known`` with what another file says of them, and those that only the other file lists."""
    joined = dict.fromkeys(range(len(known)), "")
    people = list(known)
    for person, aliases in listed:
        same = [at for at in range(len(known)) if _is_same(known[at], person, aliases)]
        if len(same) > 1 or (same and joined[same[0]]):
            both = ", ".join(repr(known[at].id) for at in same)
            raise UsageError(
                f"{file}: {person.id!r} fits more than one person, or one that was there: {both}."
            )
        if same:
            joined[same[0]] = person.id
            people[same[0]] = _merged(known[same[0]], person)
        else:
            people.append(person)
    if not any(joined.values()):
        raise UsageError(
            f"{file}: nobody in it has an id or an address that the roster before it has; "
            "add a column 'email' or the platform's ids to one of them."
        )
    return people


def _is_same(known: Person, person: Person, aliases: frozenset[str]) -> bool:
    if known.id == person.id or known.id in aliases:
        return True
    if known.email and known.email.casefold() == person.email.casefold():
        return True
    return any(
        getattr(known, name) and getattr(known, name) == getattr(person, name) for name in PLATFORM_IDS
    )


def _merged(known: Person, person: Person) -> Person:
    filled = {name: getattr(known, name) or getattr(person, name) for name in COLUMNS}
    more = {heading: cell for heading, cell in person.extra.items() if heading not in known.extra}
    return replace(known, **filled, extra={**known.extra, **more})


def _with_one_heading_each(people: list[Person]) -> list[Person]:
    """The people with every further column under one heading, the first, however the files write it."""
    from grader.sources.table import fold  # noqa: PLC0415  # reading tables needs this module's classes

    headings: dict[str, str] = {}
    for person in people:
        for heading in person.extra:
            headings.setdefault(fold(heading), heading)
    tidied = []
    for person in people:
        extra: dict[str, str] = {}
        for heading, cell in person.extra.items():
            extra.setdefault(headings[fold(heading)], cell)
        tidied.append(replace(person, extra=extra))
    return tidied


def _tidy(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()
