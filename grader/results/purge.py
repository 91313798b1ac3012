"""What folders of results hold about people, and its removal: counted first, removed after."""

import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from grader.base.errors import UsageError
from grader.base.files import write_whole
from grader.results.folder import (
    COURSE_MARK,
    ELSEWHERE,
    LOCK,
    MARK,
    OF_COURSE,
    OF_EXERCISE,
    clear,
    course_folder,
    found_in,
    locked,
)

_OF_OUT = {MARK: "the name of the course and the exercise", LOCK: "the lock"}
_OF_HOME = {COURSE_MARK: "the name of the course", LOCK: "the lock"}


@dataclass(frozen=True)
class Found:
    """One thing to remove: its path, what it holds, and how many files it is."""

    path: Path
    what: str
    files: int


@dataclass(frozen=True)
class Survey:
    """What would be removed, the number of students it is about, and what stays.

    The folders of results ``outs`` and the course's folder ``home`` are removed when nothing is left in them.
    """

    outs: tuple[Path, ...]
    home: Path
    found: tuple[Found, ...]
    students: int
    left: tuple[Path, ...]  # files that the grader did not make
    shared: tuple[Path, ...]  # the course's files, as long as another exercise has results
    elsewhere: tuple[Path, ...]  # score files and pages outside OUT


def survey(outs: Sequence[Path]) -> Survey:
    """Look through the results of one or more exercises of a course; nothing is changed."""
    known: dict[Path, str] = {}
    left: list[Path] = []
    for out in outs:
        if not (out / MARK).is_file():
            raise UsageError(f"{out} is no folder of results; name it with --out DIR.")
        mine = found_in(out, OF_EXERCISE | OF_COURSE | _OF_OUT)
        left += sorted(set(out.iterdir()) - mine.keys())
        known |= mine
    home = course_folder(outs[0])
    shared: tuple[Path, ...] = ()
    if home not in outs and any(mark.parent not in outs for mark in home.glob(f"*/{MARK}")):
        shared = tuple(found_in(home, OF_COURSE))
    elif home not in outs:
        of_course = found_in(home, OF_COURSE | _OF_HOME)
        known |= of_course
        left += sorted(set(home.iterdir()) - of_course.keys() - set(outs))
    found = tuple(Found(path, what, _count(path)) for path, what in known.items())
    students = len({folder.name for out in outs for folder in (out / "students").glob("*")})
    away = tuple(path for out in outs for path in written_elsewhere(out))
    return Survey(tuple(outs), home, found, students, tuple(left), shared, away)


def remove(found: Survey) -> None:
    """Remove what a survey found, and folders in which nothing is left; links are removed, not followed.

    Raises GraderError if a run is writing, or something could not be removed; the rest is gone.
    """
    with ExitStack() as stack:
        for out in found.outs:
            stack.enter_context(locked(out, seconds=0))
        for one in found.found:
            clear(one.path)
    for folder in dict.fromkeys((*found.outs, found.home)):
        if folder in found.outs:
            (folder / LOCK).unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()


def note_elsewhere(out: Path, paths: Iterable[Path]) -> None:
    """Keep the paths of files about people that a command wrote, so that a purge can name them."""
    outside = [path.resolve() for path in paths if not path.resolve().is_relative_to(out.resolve())]
    known = written_elsewhere(out)
    if new := [path for path in outside if path not in known]:
        write_whole(out / ELSEWHERE, json.dumps([str(path) for path in (*known, *new)], indent=1).encode())


def written_elsewhere(out: Path) -> list[Path]:
    """The files that commands wrote outside OUT and that are still there; a damaged list says nothing."""
    try:
        known = json.loads((out / ELSEWHERE).read_bytes())
        return [path for path in map(Path, known) if path.is_file()]
    except (OSError, ValueError, TypeError):
        return []


def _count(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return 1
    return sum(1 for inner in path.rglob("*") if inner.is_symlink() or not inner.is_dir())
