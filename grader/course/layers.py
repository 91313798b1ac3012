"""Read course.toml and the files that are laid over it, and say in which file a value stands.

``term.toml`` beside it (git ignores it) holds what changes from term to term: dates, the late policy,
platforms' ids, points. A private folder outside the repository holds an instructor's own hidden tests and, in
its ``private.toml``, the criteria that they earn. A class with settings of its own, like the sample class,
takes tasks and criteria from another course.toml: ``course.criteria_from``.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec
from msgspec.structs import fields

from grader.base.errors import CourseError
from grader.base.files import read_text

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
        found = (self.files_of(".".join(parts[:depth])) for depth in range(len(parts), 0, -1))
        return next((names[-1] for names in found if names), self.layers[0][0])

    def files_of(self, key: str) -> tuple[str, ...]:
        """Return the names of all files with a value for ``key``, in their order."""

        def holds(document: object) -> bool:
            for part in key.split("."):
                if not isinstance(document, dict) or part not in document:
                    return False
                document = document[part]
            return True

        return tuple(name for name, document in self.layers if holds(document))

    def convert(self, value: object, kind: type[_T], where: str) -> _T:
        """Return ``value``, found at the key ``where``, as ``kind``."""
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            text, _, place = str(error).partition(" - at ")
            inner = re.search(r"\$\.?([^`]*)", place)
            key = ".".join(part for part in (where, inner[1] if inner else "") if part)
        if found := re.fullmatch(r"Object (contains unknown|missing required) field `(.*)`", text):
            key = f"{key}.{found[2]}" if key else found[2]
            known = [name for name in kind.__struct_fields__ if name not in ("id", "name", "private")]
            unknown = f"is not known here; the keys are: {', '.join(known)}"
            text = unknown if "unknown" in found[1] else "is missing; write it"
        elif found := re.fullmatch("Invalid enum value '?(.*?)'?", text):
            allowed = [get_args(field.type) for field in fields(kind) if field.name == key.rpartition(".")[2]]
            text = f"is {found[1]!r}; write {' or '.join(map(repr, *allowed))}"
        else:
            text = text.replace("Invalid RFC3339 encoded datetime", "Expected `datetime`")
            text = text.replace(" | null", "").replace("of length >=", "of a length >=")
            text = re.sub("`([a-z]+)`", lambda found: _KINDS.get(found[1], found[0]), text)
            text = re.sub(r"text in quotes of a length >= (\d+)", r"text of \1 characters or more", text)
            text = text.replace("Expected ", "must be ").replace(", got ", ", not ")
            text = text[0].lower() + text[1:]
        raise self.mistake(key, text)

    def mistake(self, key: str, text: str) -> CourseError:
        """Make an error like ``course.toml: exercise.NAME.key: what is wrong; what would be right``."""
        return CourseError(f"{self.file_of(key)}: {key}: {text}.")


def read_settings(path: Path, private: Path | None) -> Settings:
    """Read course.toml, what it takes from another one, the term.toml beside it, and a private.toml."""
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
    first = layers[0][1].get("exercise")
    for name, document in layers[1:]:
        above = document.get("exercise")  # a slip in a name would be a new, empty exercise
        if isinstance(above, dict) and isinstance(first, dict) and (new := above.keys() - first.keys()):
            there = ", ".join(sorted(first))
            raise CourseError(f"{name}: exercise.{min(new)}: is not in course.toml; there is: {there}.")
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
    """Read course.toml, and why drafts cannot be read, by name.

    A draft with a mistake in TOML's syntax has nothing but ``draft = true`` in the document.
    """
    try:
        return _read(path), {}
    except CourseError as error:
        mistake = error
    owner, sections, drafts = "", list[tuple[str, str]](), set()
    for line in read_text(path, str(path)).splitlines():
        if line.startswith("["):
            found = re.match(r"\[exercise\.(\w+)", line)
            owner = found[1] if found else ""
        sections.append((owner, line))
        if owner and re.match(r"draft\s*=\s*true\b", line):
            drafts.add(owner)
    broken: dict[str, str] = {}
    for name in drafts:
        try:  # empty lines in place of the others, so that the mistake's line is right
            tomllib.loads("\n".join(line if of == name else "" for of, line in sections))
        except tomllib.TOMLDecodeError as error:
            broken[name] = f"{path.name}: exercise.{name}: is not TOML: {error}."
    try:
        document = tomllib.loads("\n".join("" if of in broken else line for of, line in sections))
    except tomllib.TOMLDecodeError:
        raise mistake from None
    document.setdefault("exercise", {}).update({name: {"draft": True} for name in broken})
    return document, broken


def _merge(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """Merge ``top`` into ``base``, table by table and key by key; other values of ``top`` replace."""
    merged = dict(base)
    for key, value in top.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
