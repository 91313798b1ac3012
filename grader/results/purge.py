"""What in OUT is about people, and how to be rid of it: counted first, removed after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from grader.base.errors import GraderError, UsageError
from grader.results.folder import LOCK, MARK, clear, made_here

_OF_OUT = {MARK: "whose results these were", LOCK: "the lock"}


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
    if not (out / MARK).is_file():
        raise UsageError(f"{out} is no folder of results; name it with --out DIR.")
    known = made_here(out) | {out / name: what for name, what in _OF_OUT.items() if (out / name).exists()}
    found = tuple(Found(path, what, _count(path)) for path, what in known.items())
    students = sum(1 for _ in (out / "students").glob("*"))
    return Survey(found, students, tuple(sorted(set(out.iterdir()) - known.keys())))


def remove(out: Path, found: Survey) -> None:
    """Remove what a survey found, and OUT itself when nothing is left in it; links are removed, not followed.

    Raises:
        GraderError: A run is writing to it, or something could not be removed; the rest is gone.
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
    if not found.left:
        out.rmdir()


def _count(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return 1
    return sum(1 for inner in path.rglob("*") if inner.is_symlink() or not inner.is_dir())
