"""The local copy of an assignment's hand-ins: only what is new is read; a call can be repeated."""

import itertools
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from grader.base.errors import UsageError
from grader.base.files import write_whole
from grader.intake.platforms.fetched import INDEX, FetchedHandIn, Index
from grader.lms.upload.target import MAX_BYTES, RefusedError
from grader.results.folder import ROSTER
from grader.roster.roster import Person, Roster, roster_bytes

_MAX_NAME = 200


@dataclass(frozen=True)
class RemoteFile:
    """A file of a hand-in: the student's name for it, its size in bytes (None: not known), how to read it."""

    name: str
    size: int | None
    read: Callable[[], bytes] = field(repr=False)


RemoteHandIn = tuple[FetchedHandIn, tuple[RemoteFile, ...]]
"""One attempt on the platform, and its files. Its folder, of plain names, is another one if they changed."""


class HandInSource(Protocol):
    """One assignment on a platform, as far as it is fetched; ``place`` names it with its course."""

    place: str

    def people(self, kept: Roster | None) -> Iterable[Person]:
        """Read everyone who can hand in, with extensions; people whom the course knows keep their ids."""

    def hand_ins(self, *, every: bool) -> Iterable[RemoteHandIn]:
        """Read the latest hand-ins, or with ``every`` all attempts; asked for after the people."""

    def notes(self, *, charged: bool) -> Iterable[str]:
        """Say what to know about the assignment; ``charged``: the kit takes points off for lateness."""

    def close(self) -> None:
        """Close the connections."""


@dataclass
class Fetched:
    """What a call brought: new files, files that were here, hand-ins, and why a file could not be fetched."""

    new: int = 0
    known: int = 0
    hand_ins: int = 0
    failed: list[str] = field(default_factory=list)


def fetch(source: HandInSource, folder: Path, kept: Roster | None, *, every: bool) -> Fetched:
    """Bring people and hand-ins into a folder; if the platform fails for good, what came is kept."""
    index = folder / INDEX
    if index.is_file():
        try:
            there = msgspec.json.decode(index.read_bytes(), type=Index).place
        except (OSError, msgspec.DecodeError):
            there = source.place  # it is written anew
        if there != source.place:
            raise UsageError(f"{folder} holds what was fetched from {there}; name another folder with --to.")
    elif folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds other files; name another folder with --to.")
    write_whole(folder / ".gitignore", b"*\n")
    if not index.is_file():
        write_whole(index, msgspec.json.encode(Index(source.place)))
    # A list that grows while its pages are read names somebody twice.
    people: dict[str, Person] = {}
    for person in source.people(kept):
        if people.setdefault(person.id, person) != person:
            raise UsageError(
                f"{source.place}: {people[person.id].name!r} and {person.name!r} both have the id "
                f"{person.id!r}; give one of them another id there."
            )
    in_order = tuple(people[student] for student in sorted(people))
    write_whole(folder / ROSTER, roster_bytes(Roster(in_order, states_extensions=True)))
    fetched, listed = Fetched(), dict[str, FetchedHandIn]()
    for one, files in source.hand_ins(every=every):
        if one.folder not in listed:
            _bring(one, files, folder, fetched)
            listed[one.folder] = one
    fetched.hand_ins = len(listed)
    hand_ins = sorted(listed.values(), key=lambda one: (one.students, one.attempt, one.folder))
    write_whole(index, msgspec.json.encode(Index(source.place, tuple(hand_ins))))
    return fetched


def _bring(one: FetchedHandIn, files: Iterable[RemoteFile], folder: Path, fetched: Fetched) -> None:
    """Read the files of one hand-in that are not here yet; two of one name get folders of their own."""
    used: set[str] = set()
    (folder / one.folder).mkdir(parents=True, exist_ok=True, mode=0o700)
    for number, file in enumerate(files):
        name = _plain_name(file.name)
        if name.casefold() in used:
            own = next(str(one) for one in itertools.count(number) if str(one) not in used)
            used.add(own)  # a file may have a number for its name, too
            name = f"{own}/{name}"
        used.add(name.casefold())
        path = folder / one.folder / name
        who = f"{', '.join(one.students)}: {file.name}"
        if path.is_file() and file.size in (None, path.stat().st_size):
            fetched.known += 1
            continue
        if file.size is not None and file.size > MAX_BYTES:
            fetched.failed.append(f"{who} has {file.size >> 20} MiB and is not fetched")
            continue
        try:
            data = file.read()
        except RefusedError as error:
            fetched.failed.append(f"{who}: {error}")
            continue
        if file.size not in (None, len(data)):
            fetched.failed.append(f"{who} did not arrive whole; fetch again")
            continue
        write_whole(path, data)
        fetched.new += 1


def _plain_name(name: str) -> str:
    """Return a student's name for a file as one that can be no path, no hidden file and nobody else's."""
    letters = unicodedata.normalize("NFC", name)
    text = "".join("_" if one in "/\\" or not one.isprintable() else one for one in letters).strip()
    while len(text.encode("utf-8", "replace")) > _MAX_NAME:
        text = text[1:]  # the ending stays
    return "_" + text.lstrip(".") if text.startswith(".") or not text else text
