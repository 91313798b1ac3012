"""What in OUT is about people, and its removal: counted first, removed after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from grader.base.errors import GraderError, UsageError
from grader.results.folder import (
    COURSE_MARK,
    LOCK,
    MARK,
    OF_COURSE,
    OF_EXERCISE,
    clear,
    course_folder,
    found_in,
)

_OF_OUT = {MARK: "the name of the course and the exercise", LOCK: "the lock"}
_OF_HOME = {COURSE_MARK: "the name of the course", LOCK: "the lock"}


@dataclass(frozen=True)
class Found:
    """One thing in OUT: its path, what it holds, and how many files it is."""

    path: Path
    what: str
    files: int


@dataclass(frozen=True)
class Survey:
    """What would be removed, the number of students it is about, and what stays.

    ``left`` are files in OUT that the grader did not make; ``shared`` are the course's files, which stay as
    long as another exercise has results. ``folders`` are removed when nothing is left in them.
    """

    found: tuple[Found, ...]
    students: int
    left: tuple[Path, ...]
    shared: tuple[Path, ...]
    folders: tuple[Path, ...]


def survey(out: Path) -> Survey:
    """Look through OUT; nothing is changed.

    Raises:
        UsageError: It is no folder of results.
    """
    if not (out / MARK).is_file():
        raise UsageError(f"{out} is no folder of results; name it with --out DIR.")
    known = found_in(out, OF_EXERCISE | OF_COURSE | _OF_OUT)
    left = sorted(set(out.iterdir()) - known.keys())
    home, folders = course_folder(out), [out]
    shared: tuple[Path, ...] = ()
    if home != out and any(mark.parent != out for mark in home.glob(f"*/{MARK}")):
        shared = tuple(found_in(home, OF_COURSE))
    elif home != out:
        of_course = found_in(home, OF_COURSE | _OF_HOME)
        known |= of_course
        left += sorted(set(home.iterdir()) - of_course.keys() - {out})
        folders.append(home)
    found = tuple(Found(path, what, _count(path)) for path, what in known.items())
    students = sum(1 for _ in (out / "students").glob("*"))
    return Survey(found, students, tuple(left), shared, tuple(folders))


def remove(out: Path, found: Survey) -> None:
    """Remove what a survey found, and folders in which nothing is left; links are removed, not followed.

    Raises:
        GraderError: A run is writing to OUT, or something could not be removed; the rest is gone.
    """
    lock = FileLock(out / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise GraderError(f"A run is writing to {out}; wait until it has ended.") from None
    try:
        for one in found.found:
            clear(one.path)
    finally:
        lock.release()
    (out / LOCK).unlink(missing_ok=True)
    for folder in found.folders:
        if not any(folder.iterdir()):
            folder.rmdir()


def _count(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return 1
    return sum(1 for inner in path.rglob("*") if inner.is_symlink() or not inner.is_dir())
