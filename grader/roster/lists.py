"""Read a platform's own list of people as a roster: what its columns mean, one entry a platform."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grader.base.errors import UsageError
from grader.sources.table import Row, Table

OWN_COLUMNS = ("id", "name", "email")

# What a spreadsheet makes of an id: 12E4 -> 1.20E+05, 3-1 -> 01. Mrz, 00012 -> 12.0.
_MANGLED = re.compile(
    r"\d+(?:[.,]\d+)?E\+\d+|\d+\.0|#{2,}|#(?:N/A|NV|REF!|VALUE!|NAME\?)|"
    r"\d{1,2}[.-] ?[A-Z][a-zä]{2}\.?(?:[-. ]\d{2,4})?|[A-Z][a-zä]{2}[- ]\d{2,4}|"
    r"\d{1,2}([./])\d{1,2}\1\d{2,4}|\d{4}-\d{2}-\d{2}(?:[ T]00:00(?::00)?)?"
)
_MONTHS = frozenset(
    "jan feb mar mrz mär apr may mai jun jul aug sep oct okt nov dec dez".split()  # noqa: SIM905  # shorter
)
# Names that people choose may look like a date: jan-12.
_CHOSEN_NAMES = frozenset({"github id", "github username", "lti id", "blackboard id", "username"})


_PARTICIPANT = re.compile(r"([^\W\d]\D*) \d+")


@dataclass(frozen=True)
class ListedPerson:
    """One row of a list: Person's ``fields``, further ids of the person as ``aliases``, other columns."""

    row: int
    fields: Mapping[str, str]
    aliases: frozenset[str]
    extra: Mapping[str, str]


@dataclass(frozen=True)
class _PlatformList:
    """A platform's list of people; columns are given by their folded headings.

    A table with all columns of ``has`` is such a list. ``ids`` are tried in order: the first that is filled
    in every row gives the ids. ``names`` are the column of the whole name, then those of its parts.
    """

    has: frozenset[str]
    ids: tuple[str, ...]
    platform: Mapping[str, str]
    names: tuple[str, ...]
    email: str = ""
    kept: tuple[str, ...] = ()
    person: Callable[[Row], bool] = lambda _: True
    clean: Callable[[str], str] = str


def _is_canvas_student(row: Row) -> bool:
    name = sorted(re.split(r"\W+", row.cells["student"].casefold().strip()))
    return bool(row.cells["id"]) and [word for word in name if word] != ["student", "test"]


def _participant(text: str) -> str:
    """Return the N of "Participant N" in any language, or the whole text without a number."""
    found = re.search(r"(\d+)$", text)
    return found[1] if found else text


_PLATFORM_LISTS = (
    _PlatformList(  # Canvas's gradebook export
        has=frozenset({"student", "id", "section"}),
        ids=("sis user id", "id"),
        platform={"canvas_id": "id"},
        names=("student",),
        kept=("section", "sis user id", "sis login id"),
        person=_is_canvas_student,
    ),
    _PlatformList(  # Moodle's grading worksheet
        has=frozenset({"identifier", "status"}),
        ids=("id number", "identifier"),
        platform={"moodle_id": "identifier"},
        names=("full name",),
        email="email address",
        kept=("id number", "group", "last modified (submission)"),
        clean=_participant,
    ),
    _PlatformList(  # GitHub Classroom's roster
        has=frozenset({"identifier", "github username"}),
        ids=("identifier",),
        platform={"github_id": "github username"},
        names=("name",),
    ),
    _PlatformList(  # Brightspace's grades export
        has=frozenset({"orgdefinedid"}),
        ids=("orgdefinedid", "username"),
        platform={"brightspace_id": "orgdefinedid"},
        names=("name", "first name", "last name"),
        email="email",
        kept=("username",),
        clean=lambda text: text.removeprefix("#"),
    ),
    _PlatformList(  # Blackboard's grade centre
        has=frozenset({"last name", "first name", "username"}),
        ids=("student id", "username"),
        platform={"blackboard_id": "username"},
        names=("name", "first name", "last name"),
        email="email",
        kept=("student id",),
        person=lambda row: not row.cells["username"].endswith("_previewuser"),
    ),
    _PlatformList(  # Gradescope's roster
        has=frozenset({"sid", "email"}),
        ids=("sid", "email"),
        platform={"gradescope_id": "sid"},
        names=("name", "first name", "last name"),
        email="email",
        kept=("section", "sections"),
        person=lambda row: row.cells.get("role", "").casefold() in ("", "student"),
    ),
)


def list_people(table: Table, columns: Sequence[str]) -> list[ListedPerson]:
    """Read everyone in a table, ours or a platform's; ``columns`` are Person's own.

    Raises:
        UsageError: It has no column of ids, or an id was changed by a spreadsheet.
    """
    found = set(table.headings)
    kind = next((kind for kind in _PLATFORM_LISTS if kind.has <= found), None)
    if kind is None or set(OWN_COLUMNS) <= found:
        if "id" not in found:
            listed = ", ".join(table.headings.values())
            raise UsageError(f"{table.file}: there is no column 'id'; the columns are: {listed}.")
        _refuse_participants(table)
        return _read_own(table, columns)
    return _read_platform(table, kind)


def _refuse_participants(table: Table) -> None:
    """Refuse Moodle's worksheet in another language, which looks like a list of ours, and say what to do."""
    found = [_PARTICIPANT.fullmatch(row.cells["id"]) for row in table.rows]
    words = {one[1] if one else "" for one in found}
    if "name" not in table.headings and len(words) == 1 and "" not in words:
        raise UsageError(
            f"{table.file}: column {table.headings['id']!r} holds the participants of a Moodle worksheet in "
            "another language; name its columns in English: Identifier, Full name, Email address, Status."
        )


def _read_own(table: Table, columns: Sequence[str]) -> list[ListedPerson]:
    known = {column.replace("_", " "): column for column in columns}
    _check_ids(table, [name for name, column in known.items() if column == "id" or column.endswith("_id")])
    return [
        ListedPerson(
            row.number,
            {known[name]: cell for name, cell in row.cells.items() if name in known},
            frozenset(),
            {table.headings[name]: cell for name, cell in row.cells.items() if name not in known},
        )
        for row in table.rows
    ]


def _read_platform(table: Table, kind: _PlatformList) -> list[ListedPerson]:
    rows = [row for row in table.rows if kind.person(row)]
    ids = [name for name in kind.ids if name in table.headings]
    _check_ids(Table(table.file, table.headings, tuple(rows)), [*ids, *kind.platform.values()])
    main = next((name for name in ids if all(row.cells[name] for row in rows)), ids[0])
    people = []
    for row in rows:
        fields = {"id": kind.clean(row.cells[main]), "email": row.cells.get(kind.email, "")}
        fields |= {field: kind.clean(row.cells[name]) for field, name in kind.platform.items()}
        parts = [row.cells.get(name, "") for name in kind.names]
        fields["name"] = parts[0] if kind.names[0] in table.headings else " ".join(filter(None, parts[1:]))
        aliases = frozenset(kind.clean(row.cells[name]) for name in ids) | {row.cells.get("sis login id", "")}
        kept = {table.headings[name]: row.cells[name] for name in kind.kept if name in table.headings}
        people.append(ListedPerson(row.number, fields, aliases - {""}, kept))
    return people


def _check_ids(table: Table, columns: Sequence[str]) -> None:
    for column in (name for name in columns if name not in _CHOSEN_NAMES):
        rows = [row.number for row in table.rows if _is_mangled(row.cells.get(column, ""), row)]
        if rows:
            raise table.mistake(
                column,
                rows,
                "a spreadsheet has changed these ids (into a number or a date); export the file again and do "
                "not save it in a spreadsheet, or set the column to text first",
            )


def _is_mangled(text: str, row: Row) -> bool:
    chosen = {row.cells.get(name) for name in _CHOSEN_NAMES}
    if not _MANGLED.fullmatch(text) or text in chosen:
        return False
    words = re.findall(r"[a-zä]{3,}", text.casefold())
    return text[0] == "#" or all(word in _MONTHS for word in words)
