"""Forget one person: everything about them in OUT, in the course's files and in what was fetched."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from grader.base.errors import GraderError, UsageError
from grader.base.files import csv_bytes, unescape_formula, write_whole
from grader.course.model import Course
from grader.gradebook.store import forget_student
from grader.intake.platforms.fetched import INDEX, Index
from grader.results.folder import COURSE_TABLE, MARK, ROSTER, clear, course_folder, locked
from grader.results.purge import written_elsewhere
from grader.results.student import student_folder

_TABLES = ("scores.csv", "timing.csv", "unmatched.csv")
_MADE_AGAIN = ("exports", "class.html", "class.csv", "remembered")


def forget(course: Course, out: Path, inbox: Path, student: str) -> Iterator[str]:
    """Remove one person from all exercises of the course; yield what was done.

    Results are those in OUT, and those in or beside it that belong to the same course; ``inbox`` has a folder
    for each exercise that was fetched. Raises UsageError if nothing about this person is there.
    """
    home = course_folder(out)
    folders = sorted({mark.parent for mark in home.glob(f"*/{MARK}")} | ({out} if out.is_dir() else set()))
    found = False
    for folder in folders:
        with locked(folder, seconds=0):
            for line in _from_out(folder, student):
                found = True
                yield line
    fetched = [line for index in sorted(inbox.glob(f"*/{INDEX}")) for line in _from_fetched(index, student)]
    for line in (*_from_course(course, home, student), *fetched):
        found = True
        yield line
    if not found:
        raise UsageError(f"There is nothing about {student!r} in {home}.")


def _from_out(out: Path, student: str) -> Iterator[str]:
    own = student_folder(out, student)
    yield from _from_class(out, student)  # first: a call after a killed one still finds the folder
    if own.is_dir():
        clear(own)
        yield f"{own}: hand-ins, result and feedback"
    for name in _TABLES:
        if _without_rows(out / name, student):
            yield f"{out / name}: their rows"
    for path in [*sorted(out.glob("manual*.json")), out / "gradebook.json"]:
        if _rewritten(path, lambda data: _without_key(data, student)):
            yield f"{path}: points by hand"
    journal = out / "uploads.jsonl"
    if _rewritten(journal, lambda data: _without_lines(data, student)):
        yield f"{journal}: what was sent"


def _from_class(out: Path, student: str) -> Iterator[str]:
    """Remove what is about the whole class, if it may be about this person, and name such files elsewhere."""
    is_known = student_folder(out, student).is_dir()
    for name in _MADE_AGAIN:
        if (out / name).exists() and (is_known or _mentions(out / name, student)):
            clear(out / name)
            yield f"{out / name}: about the whole class; the next call makes it again"
    for path in written_elsewhere(out):
        if is_known or _mentions(path, student):
            yield f"{path}: written by grader export, may name them and stays; remove it yourself"


def _mentions(path: Path, student: str) -> bool:
    """True if a file, or one below a folder, holds the student's id."""
    files = path.rglob("*") if path.is_dir() else [path]
    return any(
        student.encode("utf-8", "surrogateescape") in file.read_bytes() for file in files if file.is_file()
    )


def _from_course(course: Course, home: Path, student: str) -> Iterator[str]:
    for name in (ROSTER, COURSE_TABLE):
        if _without_rows(home / name, student):
            yield f"{home / name}: their row"
    if gradebook := forget_student(course, home, student):
        yield f"the gradebook {gradebook}: their submissions and points"


def _from_fetched(path: Path, student: str) -> Iterator[str]:
    """Remove what was fetched of one person; a group's files stay for the other members."""
    folder = path.parent
    if _without_rows(folder / ROSTER, student):
        yield f"{folder / ROSTER}: their row"
    index = msgspec.json.decode(path.read_bytes(), type=Index)
    left = []
    for one in index.hand_ins:
        others = tuple(other for other in one.students if other != student)
        if others:
            left.append(msgspec.structs.replace(one, students=others))
        else:
            clear(folder / one.folder.split("/")[0])
            yield f"{folder / one.folder}: what they handed in"
    write_whole(path, msgspec.json.encode(msgspec.structs.replace(index, hand_ins=tuple(left))))


def _without_rows(path: Path, student: str) -> bool:
    """Remove the rows of a table whose column student, id or candidates names the person."""

    def change(data: bytes) -> bytes:
        header, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
        columns = [at for at, name in enumerate(header) if name in ("student", "id", "candidates")]
        left = [
            row
            for row in rows
            if not any(
                student == unescape_formula(row[at])
                or (header[at] == "candidates" and student in row[at].split())
                for at in columns
                if at < len(row)
            )
        ]
        return csv_bytes(header, left) if len(left) < len(rows) else data

    return _rewritten(path, change)


def _without_key(data: bytes, student: str) -> bytes:
    document = json.loads(data)
    if not isinstance(document, dict) or student not in document:
        return data
    del document[student]
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def _without_lines(data: bytes, student: str) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(
        line for line in lines if not line.endswith(b"\n") or json.loads(line)["student"] != student
    )


def _rewritten(path: Path, change: Callable[[bytes], bytes]) -> bool:
    """Change a file, if it is there and there is something to change; return whether it was."""
    if not path.is_file():
        return False
    before = path.read_bytes()
    try:
        after = change(before)
    except (ValueError, KeyError, TypeError):
        raise GraderError(f"{path} is damaged; remove it by hand.") from None
    if after != before:
        write_whole(path, after)
    return after != before
