"""course.toml as it counts: with this term's own settings and private criteria laid over it.

``term.toml`` beside course.toml (git ignores it) holds what changes from term to term: dates, the late
policy, platforms' ids, points. A private folder outside the repository holds hidden tests of an
instructor's own and, in its ``private.toml``, the criteria that they earn.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec
from msgspec.structs import fields

from grader.base.errors import CourseError
from grader.base.files import read_text

_T = TypeVar("_T", bound=msgspec.Struct)

TERM_FILE = "term.toml"
PRIVATE_FILE = "private.toml"

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
"""What msgspec calls a value, in the words of someone who edits the file."""


@dataclass(frozen=True)
class Settings:
    """The merged document, and the layers that it was merged from, in their order."""

    merged: dict[str, Any]
    layers: tuple[tuple[str, dict[str, Any]], ...]

    def file_of(self, key: str) -> str:
        """The name of the last file that says anything about ``key`` (``exercise.x.due``), for messages."""
        parts = key.split(".")
        for depth in range(len(parts), 0, -1):
            for name, document in self.layers[::-1]:
                if _holds(document, parts[:depth]):
                    return name
        return self.layers[0][0]

    def files_of(self, key: str) -> tuple[str, ...]:
        """The names of all files that say anything about ``key``, in the order of their layers."""
        return tuple(name for name, document in self.layers if _holds(document, key.split(".")))


def _holds(document: object, parts: list[str]) -> bool:
    for part in parts:
        if not isinstance(document, dict) or part not in document:
            return False
        document = document[part]
    return True


def read_settings(path: Path, private: Path | None) -> Settings:
    """Read course.toml, the term.toml beside it if there is one, and a private folder's private.toml.

    Raises:
        CourseError: A file cannot be read or is not TOML, or it names an exercise that course.toml lacks.
    """
    layers = [(path.name, _read(path))]
    term = path.with_name(TERM_FILE)
    if term.is_file():
        layers.append((TERM_FILE, _read(term)))
    if private is not None:
        layers.append((PRIVATE_FILE, _read(private / PRIVATE_FILE)))
    for name, document in layers[1:]:
        _refuse_strangers(name, document, layers[0][1])
    merged: dict[str, Any] = {}
    for _name, document in layers:
        merged = _laid_over(merged, document)
    return Settings(merged, tuple(layers))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path, str(path)))
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path.name}: is not a TOML file: {error}.") from None


def _refuse_strangers(name: str, document: Mapping[str, Any], course: Mapping[str, Any]) -> None:
    """A slip in an exercise's name would otherwise be a new exercise in which everything is missing."""
    above, known = document.get("exercise"), course.get("exercise")
    if isinstance(above, dict) and isinstance(known, dict):
        for key in above.keys() - known.keys():
            there = ", ".join(sorted(known))
            raise CourseError(f"{name}: exercise.{key}: is not in course.toml; there is: {there}.")


def _laid_over(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with the tables of ``top`` merged into it, key by key; any other value of ``top`` replaces."""
    merged = dict(base)
    for key, value in top.items():
        old = merged.get(key)
        merged[key] = _laid_over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def convert(value: object, kind: type[_T], where: str, file: Settings) -> _T:
    """``value`` as ``kind``, or a CourseError that names the key below ``where``."""
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
        raise mistake(file, key, _plainly(text, kind, key)) from None


def _plainly(text: str, kind: type[msgspec.Struct], key: str) -> str:
    """What msgspec says of a value, in plain words and with what would be right."""
    if found := re.fullmatch("Invalid enum value '?(.*?)'?", text):
        allowed = [get_args(field.type) for field in fields(kind) if field.name == key.rpartition(".")[2]]
        return f"is {found[1]!r}; write {' or '.join(map(repr, *allowed))}"
    if text == "Invalid RFC3339 encoded datetime":
        text = "Expected `datetime`"
    text = text.replace(" | null", "").replace("of length >=", "of a length >=")
    text = re.sub("`([a-z]+)`", lambda found: _KINDS.get(found[1], found[0]), text)
    text = text.replace("Expected ", "must be ").replace(", got ", ", not ")
    return text[0].lower() + text[1:]


def mistake(file: Settings, key: str, text: str) -> CourseError:
    """An error of the form ``course.toml: exercise.NAME.key: what is wrong and what would be right``."""
    return CourseError(f"{file.file_of(key)}: {key}: {text}.")
