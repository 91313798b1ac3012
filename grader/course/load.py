"""Read and check course.toml: the one place for points, sentences, dates and limits.

Two files can be laid over it. ``term.toml`` beside it (git ignores it) holds what changes from term to term:
dates, the late policy, platforms' ids, points. A private folder outside the repository holds an instructor's
own hidden tests and, in its ``private.toml``, the criteria that they earn. A class with settings of its own,
like the sample class, takes tasks and criteria from another course.toml: ``course.criteria_from``.

Every error is a line of the form ``course.toml: exercise.NAME.key: what is wrong and what would be right``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import MAXYEAR, MINYEAR, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta
from msgspec.structs import fields

from grader.base.errors import CourseError, UsageError
from grader.base.files import read_text
from grader.course.model import Course, Criterion, Exercise, LatePolicy, Limits, Name, Sentence, Task
from grader.course.platforms import PLATFORMS, Platform

_T = TypeVar("_T", bound=msgspec.Struct)

COURSE_FILE = "course.toml"
TERM_FILE = "term.toml"
PRIVATE_FILE = "private.toml"
_TAKEN = ("title", "points", "task", "criterion")
"""What an exercise takes from the course.toml that ``course.criteria_from`` names."""

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text in quotes",
    "bool": "true or false",
    "object": "a table",
    "array": "a list",
    "date": "a date alone",
    "datetime": "a date with a time, like 2027-03-01T23:59:00 without quotes",
}
"""Plain words for msgspec's names of kinds of values."""


@dataclass(frozen=True)
class Settings:
    """The merged document, and the files that it was merged from by name, in their order."""

    merged: dict[str, Any]
    layers: tuple[tuple[str, dict[str, Any]], ...]
    broken: Mapping[str, str] = field(default_factory=dict)
    """Drafts whose text in course.toml is no TOML: why not, by name."""

    def file_of(self, key: str) -> str:
        """Return the name of the last file with a value for ``key``, such as ``exercise.x.due``."""
        parts = key.split(".")
        for depth in range(len(parts), 0, -1):
            for name, document in self.layers[::-1]:
                if _holds(document, parts[:depth]):
                    return name
        return self.layers[0][0]

    def files_of(self, key: str) -> tuple[str, ...]:
        """Return the names of all files with a value for ``key``, in their order."""
        return tuple(name for name, document in self.layers if _holds(document, key.split(".")))

    def convert(self, value: object, kind: type[_T], where: str) -> _T:
        """Return ``value``, found at the key ``where``, as ``kind``.

        Raises:
            CourseError: It does not fit.
        """
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            text, _, place = str(error).partition(" - at ")
            inner = re.search(r"\$\.?([^`]*)", place)
            key = ".".join(part for part in (where, inner[1] if inner else "") if part)
            if found := re.fullmatch(r"Object (contains unknown|missing required) field `(.*)`", text):
                key = f"{key}.{found[2]}" if key else found[2]
                known = ", ".join(
                    field for field in kind.__struct_fields__ if field not in ("id", "name", "private")
                )
                text = (
                    f"is not known here; the keys are: {known}"
                    if "unknown" in found[1]
                    else "is missing; write it"
                )
            raise self.mistake(key, _in_plain_words(text, kind, key)) from None

    def mistake(self, key: str, text: str) -> CourseError:
        """Make an error like ``course.toml: exercise.NAME.key: what is wrong; what would be right``."""
        return CourseError(f"{self.file_of(key)}: {key}: {text}.")


def _in_plain_words(text: str, kind: type[msgspec.Struct], key: str) -> str:
    """Say in plain words what msgspec says of a value, and what would be right."""
    if found := re.fullmatch("Invalid enum value '?(.*?)'?", text):
        allowed = [get_args(field.type) for field in fields(kind) if field.name == key.rpartition(".")[2]]
        return f"is {found[1]!r}; write {' or '.join(map(repr, *allowed))}"
    if text == "Invalid RFC3339 encoded datetime":
        text = "Expected `datetime`"
    text = text.replace(" | null", "").replace("of length >=", "of a length >=")
    text = re.sub("`([a-z]+)`", lambda found: _KINDS.get(found[1], found[0]), text)
    text = text.replace("Expected ", "must be ").replace(", got ", ", not ")
    return text[0].lower() + text[1:]


def _holds(document: object, parts: list[str]) -> bool:
    for part in parts:
        if not isinstance(document, dict) or part not in document:
            return False
        document = document[part]
    return True


def read_settings(path: Path, private: Path | None) -> Settings:
    """Read course.toml, what it takes from another one, the term.toml beside it, and a private.toml.

    Raises:
        CourseError: A file cannot be read or is not TOML, or it names an exercise that course.toml lacks.
    """
    own, broken = _read_sections(path)
    layers = [(path.name, own)]
    course, exercises = own.get("course"), own.get("exercise")
    source = course.get("criteria_from") if isinstance(course, dict) else None
    if isinstance(source, str) and isinstance(exercises, dict):
        known = _read(path.parent / source).get("exercise")
        taken = {
            name: {key: table[key] for key in _TAKEN if key in table}
            for name, table in (known.items() if isinstance(known, dict) else ())
            if name in exercises and isinstance(table, dict)
        }
        layers.insert(0, (source, {"exercise": taken}))
    term = path.with_name(TERM_FILE)
    if term.is_file():
        layers.append((TERM_FILE, _read(term)))
    if private is not None:
        layers.append((PRIVATE_FILE, _read(private / PRIVATE_FILE)))
    for name, document in layers[1:]:
        _refuse_unknown_exercises(name, document, layers[0][1])
    merged: dict[str, Any] = {}
    for _name, document in layers:
        merged = _merge(merged, document)
    return Settings(merged, tuple(layers), broken)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path, str(path)))
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path.name}: is not a TOML file: {error}.") from None


def _read_sections(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Read course.toml; return drafts with a mistake in TOML's syntax by name, too, with the error's text.

    Such a draft is an exercise with nothing but ``draft = true``.

    Raises:
        CourseError: The file cannot be read, or there is such a mistake elsewhere.
    """
    try:
        return _read(path), {}
    except CourseError:
        lines = read_text(path, str(path)).splitlines()
    owner, owners, drafts = "", [], set()
    for line in lines:
        if line.startswith("["):
            found = re.match(r"\[exercise\.(\w+)", line)
            owner = found[1] if found else ""
        owners.append(owner)
        if re.match(r"draft\s*=\s*true\b", line):
            drafts.add(owner)
    broken: dict[str, str] = {}
    for name in drafts - {""}:
        mine = (line if of == name else "" for line, of in zip(lines, owners, strict=True))
        try:
            tomllib.loads("\n".join(mine))
        except tomllib.TOMLDecodeError as error:
            broken[name] = f"{path.name}: exercise.{name}: is not TOML: {error}."
    others = (line if of not in broken else "" for line, of in zip(lines, owners, strict=True))
    try:
        document = tomllib.loads("\n".join(others))
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path.name}: is not a TOML file: {error}.") from None
    document.setdefault("exercise", {}).update({name: {"draft": True} for name in broken})
    return document, broken


def _refuse_unknown_exercises(name: str, document: Mapping[str, Any], course: Mapping[str, Any]) -> None:
    """Refuse exercises that course.toml lacks: a slip in a name would be a new, empty exercise."""
    above, known = document.get("exercise"), course.get("exercise")
    if isinstance(above, dict) and isinstance(known, dict):
        for key in above.keys() - known.keys():
            there = ", ".join(sorted(known))
            raise CourseError(f"{name}: exercise.{key}: is not in course.toml; there is: {there}.")


def _merge(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """Merge ``top`` into ``base``, table by table and key by key; other values of ``top`` replace."""
    merged = dict(base)
    for key, value in top.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


class _ExerciseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Sentence
    points: Annotated[int, Meta(ge=1)]
    task: dict[Name, Any]
    criterion: dict[Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,47}$")], Any]
    due: datetime | None = None
    late: Any = None
    limits: Any = {}
    platform: dict[str, Any] = {}
    missing: Literal["blank", "zero"] = "blank"
    draft: bool = False


class _CourseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Sentence
    timezone: str = "UTC"
    attempts: Literal["latest", "best"] = "latest"
    gradebook: str = ""
    sample: bool = False
    id_column: str = ""
    folder: str = "."
    criteria_from: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    course: Any
    exercise: dict[Name, Any]


def find_course(start: Path) -> Path:
    """Return the nearest course.toml from ``start`` upwards.

    Raises:
        UsageError: There is none.
    """
    for folder in (start.absolute(), *start.absolute().parents):
        if (folder / COURSE_FILE).is_file():
            return folder / COURSE_FILE
    raise UsageError(f"There is no {COURSE_FILE} here or in any folder above; name one with --course FILE.")


def load_course(path: Path, private: Path | None = None) -> Course:
    """Read and check a course.toml, with this term's settings and an instructor's private criteria.

    Raises:
        CourseError: A file cannot be read, or something in it is wrong; the text names the file and the key.
    """
    file = read_settings(path, private)
    top = file.convert(file.merged, _File, "")
    table = file.convert(top.course, _CourseTable, "course")
    try:
        zone = ZoneInfo(table.timezone)
    except (KeyError, ValueError, OSError):
        raise file.mistake(
            "course.timezone",
            f"there is no time zone {table.timezone!r}; write one like 'Europe/Berlin' or 'UTC'",
        ) from None
    if table.gradebook and "://" not in table.gradebook:
        raise file.mistake(
            "course.gradebook",
            f"{table.gradebook!r} is no database's address; write one like "
            "'postgresql+psycopg2://user@host/name', or leave it out for a file in the results",
        )
    root = path.absolute().parent / table.folder
    if not root.is_dir():
        raise file.mistake("course.folder", f"there is no folder {table.folder!r} beside {path.name}")
    exercises: dict[str, Exercise] = {}
    broken = dict(file.broken)
    for name, value in top.exercise.items():
        if name in broken:
            continue
        try:
            exercise = _exercise(name, value, zone, file)
        except CourseError as error:
            if not (isinstance(value, dict) and value.get("draft") is True):
                raise
            broken[name] = str(error)
            continue
        lesson = root / "exercises" / name
        there = [one for one in (*exercise.files, exercise.notebook) if (lesson / one).is_file()]
        exercises[name] = replace(exercise, released={one: (lesson / one).read_bytes() for one in there})
    finished = [exercise for exercise in exercises.values() if not exercise.draft]
    for name, exercise in exercises.items():
        exercises[name] = replace(exercise, others=tuple(one for one in finished if one.name != name))
    if not exercises and not broken:
        raise file.mistake("exercise", "the course has none; add a section [exercise.NAME]")
    return Course(
        root.resolve(),
        table.title,
        zone,
        table.attempts,
        table.gradebook,
        exercises,
        table.sample,
        private.resolve() if private else None,
        table.id_column,
        broken,
    )


def _exercise(name: str, value: object, zone: ZoneInfo, file: Settings) -> Exercise:
    where = f"exercise.{name}"
    table = file.convert(value, _ExerciseTable, where)
    tasks = tuple(
        msgspec.structs.replace(file.convert(task, Task, f"{where}.task.{key}"), name=key)
        for key, task in table.task.items()
    )
    criteria = tuple(
        _criterion(key, item, f"{where}.criterion.{key}", file) for key, item in table.criterion.items()
    )
    limits = file.convert(table.limits, Limits, f"{where}.limits")
    late = None if table.late is None else file.convert(table.late, LatePolicy, f"{where}.late")
    due = table.due.replace(tzinfo=zone) if table.due and table.due.tzinfo is None else table.due
    if due and due.year in (MINYEAR, MAXYEAR):  # such a time may not exist in another time zone
        raise file.mistake(f"{where}.due", f"is {due.date()}; write a real date, or leave it out")
    platform = {
        key: _platform(key, value, f"{where}.platform.{key}", file) for key, value in table.platform.items()
    }
    exercise = Exercise(
        *(name, table.title, table.points, due, late, limits, tasks, criteria, platform, table.missing),
        draft=table.draft,
    )
    _check(exercise, where, file)
    return exercise


def _criterion(name: str, value: object, where: str, file: Settings) -> Criterion:
    criterion = file.convert(value, Criterion, where)
    private = file.file_of(f"{where}.tests") == PRIVATE_FILE
    if private and criterion.visibility != "hidden":
        raise file.mistake(f"{where}.visibility", "private criteria are hidden; write 'hidden'")
    return msgspec.structs.replace(criterion, id=name, private=private)


def _platform(name: str, value: object, where: str, file: Settings) -> Platform:
    if name not in PLATFORMS:
        raise file.mistake(where, f"is not known here; the platforms are: {', '.join(PLATFORMS)}")
    return file.convert(value, PLATFORMS[name], where)


def _check(exercise: Exercise, where: str, file: Settings) -> None:
    """Check what no single key shows: names must meet, points must add up."""
    names = {task.name for task in exercise.tasks}
    classes: dict[tuple[str, str, str], str] = {}
    for criterion in exercise.criteria:
        key = f"{where}.criterion.{criterion.id}"
        if criterion.task not in names:
            raise file.mistake(
                f"{key}.task",
                f"there is no task {criterion.task!r}; there is: {', '.join(sorted(names))}",
            )
        place = (criterion.visibility, exercise.task(criterion.task).file, criterion.tests)
        if place in classes:
            raise file.mistake(
                f"{key}.tests",
                f"{criterion.tests} already earns the points of "
                f"{classes[place]!r}; give each criterion a class of its own",
            )
        classes[place] = criterion.id
    total = sum(criterion.points for criterion in exercise.criteria)
    if total != exercise.points:
        others = file.files_of(f"{where}.criterion")[1:]
        counted = f" (with those of {' and '.join(others)})" if others else ""
        raise file.mistake(
            f"{where}.points", f"the criteria add up to {total} points{counted}, not {exercise.points}"
        )
    functions = {task.name for task in exercise.tasks if not task.of_constants}
    if idle := functions - {criterion.task for criterion in exercise.criteria}:
        raise file.mistake(
            f"{where}.task.{min(idle)}", "no criterion earns points for it; add one or remove the task"
        )
    if exercise.limits.call_cpu_seconds > exercise.limits.call_wall_seconds:
        raise file.mistake(f"{where}.limits.call_wall_seconds", "is below call_cpu_seconds; make it larger")
    if exercise.late is not None and exercise.due is None:
        raise file.mistake(f"{where}.due", "a late policy needs a due date; write one or remove the policy")
