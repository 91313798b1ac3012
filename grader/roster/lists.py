"""Read a platform's own list of people as a roster: what its columns mean, one entry a platform."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.base.errors import UsageError
from grader.course.platforms import WorksheetColumn
from grader.roster.worksheet import later_due_date, participant, participants_columns, worksheet_columns
from grader.sources.table import Table, TableRow, fold_heading

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


@dataclass(frozen=True)
class ListedPerson:
    """One row of a list: Person's ``fields``, further ids of the person as ``aliases``, other columns."""

    row: int
    fields: Mapping[str, str]
    aliases: frozenset[str]
    extra: Mapping[str, str]


KnownId = Callable[[Mapping[str, str]], str]
"""Returns the id of the one person whom the course knows by these values, by column; "" without one."""


@dataclass(frozen=True)
class _PlatformList:
    """A platform's list of people; columns are given by their folded headings."""

    has: frozenset[str]  # a table with all of these is such a list
    ids: tuple[str, ...]  # the first that is filled in every row gives the ids
    platform: Mapping[str, str]
    names: tuple[str, ...]  # the column of the whole name, then those of its parts
    email: str = ""
    kept: tuple[str, ...] = ()
    person: Callable[[TableRow], bool] = lambda _: True
    clean: Callable[[str], str] = str
    extension: Callable[[TableRow], str] | None = None  # a person's own due date, where the list states it


def _is_canvas_student(row: TableRow) -> bool:
    name = " ".join(row.cells.get(part, "") for part in ("student", "firstname", "lastname"))
    words = sorted(re.split(r"\W+", name.casefold().strip()))
    return bool(row.cells["id"]) and [word for word in words if word] != ["student", "test"]


_WORKSHEET = _PlatformList(  # Moodle's, with English headings
    has=frozenset({"identifier"}),
    ids=("id number", "identifier"),
    platform={"moodle_id": "identifier"},
    names=("full name",),
    email="email address",
    kept=("id number", "group", "last modified (submission)"),
    extension=later_due_date,
)

_CANVAS = _PlatformList(  # its gradebook export
    has=frozenset({"student", "id", "section"}),
    ids=("sis user id", "id"),
    platform={"canvas_id": "id"},
    names=("student", "firstname", "lastname"),
    kept=("section", "sis user id", "sis login id"),
    person=_is_canvas_student,
)
_PLATFORM_LISTS = (
    _CANVAS,
    replace(_CANVAS, has=frozenset({"lastname", "firstname", "id", "section"})),
    _PlatformList(  # Moodle's Participants download
        has=frozenset({"first name", "last name", "email address"}),
        ids=("id number", "email address"),
        platform={},
        names=("name", "first name", "last name"),
        email="email address",
        kept=("group",),
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


@dataclass(frozen=True)
class PeopleList:
    """A table's people; whether the list is ``own``, not a platform's; whether it ``states_extensions``."""

    people: list[ListedPerson]
    own: bool
    states_extensions: bool


def list_people(
    table: Table,
    columns: Sequence[str],
    named: Mapping[WorksheetColumn, str] | None = None,
    known_id: KnownId | None = None,
    id_column: str = "",
) -> PeopleList:
    """Read everyone in a table, ours (with these ``columns``) or a platform's.

    ``named`` are headings of Moodle's worksheet in course.toml by the English ones, ``id_column`` is the
    folded heading of the ids, if course.toml names one. ``known_id`` gives the ids that the course has, so
    that no other column gives them now.
    """
    is_worksheet = False
    if not set(OWN_COLUMNS) <= set(table.headings):
        sheet = worksheet_columns(table, named)
        english = sheet or participants_columns(table)
        table, is_worksheet = _with_headings(table, {key: name for name, key in english.items()}), bool(sheet)
    found = set(table.headings)
    if "end-of-line indicator" in found and "orgdefinedid" not in found:
        raise UsageError(
            f"{table.file}: there is no column 'OrgDefinedId'; export the grades again from Brightspace with "
            "the key field 'Both'."
        )
    kind = _WORKSHEET if is_worksheet else next((one for one in _PLATFORM_LISTS if one.has <= found), None)
    if kind is None or set(OWN_COLUMNS) <= found:
        if "id" not in found:
            listed = ", ".join(table.headings.values())
            raise UsageError(f"{table.file}: there is no column 'id'; the columns are: {listed}.")
        return PeopleList(_read_own(table, columns), own=True, states_extensions="extension" in found)
    people = _read_platform(table, kind, known_id, id_column)
    return PeopleList(people, own=False, states_extensions=kind.extension is not None)


def _with_headings(table: Table, english: Mapping[str, str]) -> Table:
    """Return a table of Moodle's with English headings, and N for "Participant N"; "Groups" are the group."""
    names = {key: "Group" if name == "Groups" else name for key, name in english.items()}
    headings = {
        fold_heading(names.get(key, key)): names.get(key, text) for key, text in table.headings.items()
    }
    if len(headings) < len(table.headings):  # another column has that English heading already
        return table
    rows = []
    for row in table.rows:
        cells = {fold_heading(names.get(key, key)): cell for key, cell in row.cells.items()}
        if number := participant(cells.get("identifier", "")):
            cells["identifier"] = number
        rows.append(TableRow(row.number, cells))
    return Table(table.file, headings, tuple(rows))


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


def _read_platform(
    table: Table, kind: _PlatformList, known_id: KnownId | None, id_column: str
) -> list[ListedPerson]:
    rows = [row for row in table.rows if kind.person(row)]
    ids = [name for name in kind.ids if name in table.headings and name != id_column]
    if id_column in table.headings:
        ids = [id_column, *ids]
    _check_ids(Table(table.file, table.headings, tuple(rows)), [*ids, *kind.platform.values()])
    main = _id_column(table, kind, rows, ids, known_id)
    people = []
    for row in rows:
        own = next((row.cells[name] for name in (main, *ids[::-1]) if row.cells[name]), "")
        fields = {"id": kind.clean(own), "email": row.cells.get(kind.email, "")}
        fields |= {field: kind.clean(row.cells[name]) for field, name in kind.platform.items()}
        fields["extension"] = kind.extension(row) if kind.extension else ""
        parts = [row.cells.get(name, "") for name in kind.names]
        fields["name"] = parts[0] if kind.names[0] in table.headings else " ".join(filter(None, parts[1:]))
        aliases = frozenset(kind.clean(row.cells[name]) for name in ids) | {row.cells.get("sis login id", "")}
        more = {table.headings[name]: row.cells[name] for name in kind.kept if name in table.headings}
        people.append(ListedPerson(row.number, fields, aliases - {""}, more))
    return people


def _id_column(
    table: Table, kind: _PlatformList, rows: Sequence[TableRow], ids: Sequence[str], known_id: KnownId | None
) -> str:
    """Choose the column of ids: the one that gives everyone whom the course knows the id that they have.

    In a new course it is the first that is filled anywhere; a row without it gets the platform's id.
    """
    filled = [name for name in ids if any(row.cells[name] for row in rows)] or list(ids[:1])
    known: list[tuple[TableRow, str]] = []
    for row in rows if known_id else ():
        values = {field: kind.clean(row.cells[name]) for field, name in kind.platform.items()}
        values |= {"email": row.cells.get(kind.email, ""), "moodle_id": ""}  # a number of one assignment
        if known_id and (student := known_id(values)):
            known.append((row, student))

    def gives(name: str, row: TableRow) -> str:
        return kind.clean(next((row.cells[one] for one in (name, *ids[::-1]) if row.cells[one]), ""))

    fitting = [name for name in filled if all(gives(name, row) == student for row, student in known)]
    if fitting:
        return fitting[0]
    row, student = next((row, student) for row, student in known if gives(filled[0], row) != student)
    there = next((table.headings[name] for name in ids if kind.clean(row.cells[name]) == student), "")
    had = f"the column {there!r}" if there else "another column or file"
    raise table.mistake(
        filled[0],
        [row.number],
        f"the id would become {gives(filled[0], row)!r}, and the course knows this person as {student!r} "
        f"from {had}; an id never changes: use the list that has it, or grade into a new folder with --out",
    )


def _check_ids(table: Table, columns: Sequence[str]) -> None:
    for column in (name for name in columns if name not in _CHOSEN_NAMES):
        rows = []
        for row in table.rows:
            text = row.cells.get(column, "")
            words = re.findall(r"[a-zä]{3,}", text.casefold())
            is_mangled = _MANGLED.fullmatch(text) and (text[0] == "#" or _MONTHS.issuperset(words))
            if is_mangled and text not in {row.cells.get(name) for name in _CHOSEN_NAMES}:
                rows.append(row.number)
        if rows:
            raise table.mistake(
                column,
                rows,
                "a spreadsheet has changed these ids (into a number or a date); export the file again and do "
                "not save it in a spreadsheet, or set the column to text first",
            )
