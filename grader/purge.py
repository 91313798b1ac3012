"""What in OUT is about people, and how to be rid of it: counted first, removed after."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from grader.errors import GraderError, UsageError

_MARK, _LOCK = "grader.json", ".lock"
_WHAT = {
    "students": "hand-ins, results and feedback",
    "scores.csv": "the table of scores",
    "roster.csv": "names, addresses and ids",
    "unmatched.csv": "names of files that belong to nobody",
    "timing.csv": "ids with times",
    "manual.json": "points given by hand",
    "gradebook.db*": "the gradebook",
    "uploads.jsonl*": "what was sent to a platform",
    "exports": "score files for platforms",
    "report*": "the class report",
    ".writing-*": "files that a run was writing when it ended",
    _MARK: "whose results these were",
    _LOCK: "the lock",
}


@dataclass(frozen=True)
class Found:
    """One thing in OUT: its path, what it holds, and how many files it is."""

    path: Path
    what: str
    files: int


@dataclass(frozen=True)
class Survey:
    """What would be removed, how many students it is about, and what is nobody's of ours and stays."""

    found: tuple[Found, ...]
    students: int
    left: tuple[Path, ...]


def survey(out: Path) -> Survey:
    """Look through OUT; nothing is changed.

    Raises:
        UsageError: It is no folder of results.
    """
    if not (out / _MARK).is_file():
        raise UsageError(f"{out} is no folder of results; name it with --out DIR.")
    found, known = [], set()
    for pattern, what in _WHAT.items():
        for path in sorted(out.glob(pattern)):
            known.add(path)
            found.append(Found(path, what, _count(path)))
    students = sum(1 for _ in (out / "students").glob("*"))
    return Survey(tuple(found), students, tuple(sorted(set(out.iterdir()) - known)))


def remove(out: Path, found: Survey) -> None:
    """Remove what a survey found, and OUT itself when nothing is left in it; links are removed, not followed.

    Raises:
        GraderError: A run is writing to it, or something could not be removed; the rest is gone.
    """
    lock = FileLock(out / _LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise GraderError(f"A run is writing to {out}; wait until it has ended.") from None
    try:
        for one in found.found:
            if one.path.is_dir() and not one.path.is_symlink():
                shutil.rmtree(one.path)
            else:
                one.path.unlink(missing_ok=True)
    except OSError as error:
        raise GraderError(f"{error.filename} could not be removed: {error.strerror}.") from None
    finally:
        lock.release()
    (out / _LOCK).unlink(missing_ok=True)
    if not found.left:
        out.rmdir()


def _count(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return 1
    return sum(1 for inner in path.rglob("*") if inner.is_symlink() or not inner.is_dir())
