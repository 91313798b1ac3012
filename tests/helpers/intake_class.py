"""For the intake's tests: an exercise, and folders and archives built on the spot."""

import functools
import gzip
import io
import stat
import tarfile
import tempfile
import zipfile
from pathlib import Path

from grader.course.load import load_course
from grader.course.model import Exercise
from grader.intake.handin import Setting
from grader.roster.roster import Person, Roster
from grader.sources.tree import Listing, Member, Refused, Tree, UnreadableError

ONE = b"ANSWER = 400\n"
TWO = b"def reserved_slots(limit):\n    return limit\n"
OTHER = b"def used_slots(lengths):\n    return sum(lengths)\n"

COURSE = """\
[course]
title = "Serving"

[exercise.contiguous_reservation]
title = "Reservation"
points = 3

[exercise.contiguous_reservation.task.hands_on]
file = "hands_on.py"
title = "Count by hand"

[exercise.contiguous_reservation.task.reserved_slots]
file = "reservation.py"
title = "Reserved slots"

[exercise.contiguous_reservation.task.used_slots]
file = "reservation.py"
title = "Used slots"
"""
CRITERION = """
[exercise.contiguous_reservation.criterion.{task}]
task = "{name}"
visibility = "visible"
tests = "Test{task}"
points = 1
sentence = "does what it should"
hint = "Read the docstring."
"""


@functools.cache
def exercise() -> Exercise:
    """The exercise: constants in ``hands_on.py``, two functions in ``reservation.py``."""
    text = COURSE
    for number, name in enumerate(("hands_on", "reserved_slots", "used_slots")):
        text += CRITERION.format(task="abc"[number], name=name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "course.toml")
        path.write_text(text, encoding="utf-8")
        return load_course(path).exercise(None)


def setting(*people: Person, zone=None) -> Setting:
    """What schemes are told; without people there is no roster."""
    from datetime import UTC  # noqa: PLC0415  # only here

    return Setting(exercise(), Roster(people) if people else None, zone or UTC)


def member(name: str, data: bytes = b"x = 1\n", problem: str = "") -> Member:
    """One member of that name and content."""
    return Member(tuple(name.split("/")), len(data), lambda limit: data[:limit], problem)


def make_tree(name, members, folders=(), refused: tuple[Refused, ...] = (), *, archive: bool = False) -> Tree:
    """A tree of these members, folders and refused names."""
    listing = Listing()
    listing.members, listing.folders, listing.refused = list(members), list(folders), list(refused)
    return listing.tree(name, archive=archive)


def tree(files, name: str = "class", *, archive: bool = False) -> Tree:
    """A tree of these files; a name that ends in ``/`` is an empty folder."""
    if not isinstance(files, dict):
        files = dict.fromkeys(files, b"x = 1\n")
    folders = [tuple(key.rstrip("/").split("/")) for key in files if key.endswith("/")]
    members = [member(key, data) for key, data in files.items() if not key.endswith("/")]
    return make_tree(name, members, folders, archive=archive)


def lay_out(folder: Path, files) -> Path:
    """Write these files below ``folder``."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(data)
    return folder


def zipped(files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these files, in this order, the same bytes whenever it is made; a name may come twice."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            entry = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            archive.writestr(entry, data, method)
    return stream.getvalue()


def zipped_link(name: str, target: str) -> bytes:
    """A zip with one symbolic link, as Unix tools write it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        entry = zipfile.ZipInfo(name)
        entry.create_system = 3
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, target)
    return stream.getvalue()


def tarred(files, mode: str = "w:gz", links=()) -> bytes:
    """A tar of these files and of ``links``, triples of name, type and target; always the same bytes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name.rstrip("/"))
            entry.size = len(data)
            entry.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            archive.addfile(entry, io.BytesIO(data))
        for name, kind, target in links:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, target
            archive.addfile(entry)
    return gzip.compress(stream.getvalue(), mtime=0) if mode == "w:gz" else stream.getvalue()


def contents(one: Tree) -> dict[str, bytes | str]:
    """Every member's bytes by name, or why it is not read."""
    found: dict[str, bytes | str] = {}
    for each in one.members:
        try:
            found["/".join(each.parts)] = each.read(1 << 20)
        except UnreadableError as error:
            found["/".join(each.parts)] = str(error)
    return found
