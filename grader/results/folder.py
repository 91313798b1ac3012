"""OUT as a whole: whose results it holds, and that one run at a time writes to it."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from grader.base.errors import GraderError, UsageError
from grader.base.files import write_whole
from grader.course.model import Course, Exercise

MARK, LOCK = "grader.json", ".lock"
MADE_HERE = {
    "students": "hand-ins, results and feedback",
    "scores.csv": "the table of scores",
    "roster.csv": "names, addresses and ids",
    "unmatched.csv": "names of files that belong to nobody",
    "timing.csv": "ids with times",
    "manual*.json": "points given by hand",
    "gradebook.db*": "the gradebook",
    "uploads.jsonl*": "what was sent to a platform",
    "exports": "score files for platforms",
    ".writing-*": "files that a run was writing when it ended",
}
"""All that is about people in an OUT, as patterns of names, and what it is."""

_LOCK_SECONDS = 5


@contextmanager
def opened(out: Path, course: Course, exercise: Exercise) -> Iterator[None]:
    """Hold OUT for writing: made if need be, locked, and checked to be this exercise's.

    Raises:
        UsageError: It holds the results of another exercise or course.
        GraderError: It cannot be written, or another run holds it.
    """
    try:
        out.mkdir(parents=True, exist_ok=True, mode=0o700)
        _refuse_others(out)  # before anything of it is touched
        out.chmod(0o700)
        lock = FileLock(out / LOCK, timeout=_LOCK_SECONDS, mode=0o600)
        lock.acquire()
    except Timeout:
        raise GraderError(
            f"Another run is writing to {out}{_holder(out)}; wait until it has ended."
        ) from None
    except OSError as error:
        raise GraderError(f"{out} cannot be written: {error.strerror}.") from None
    try:
        _claim(out, course, exercise)
        (out / LOCK).write_text(f"{socket.gethostname()} process {os.getpid()}", encoding="utf-8")
        yield
    finally:
        lock.release()


def kept_roster(out: Path, course: Course) -> Path | None:
    """The roster of OUT's earlier run; that of the sample class says nothing about a real one.

    Raises:
        GraderError: OUT's mark is damaged.
    """
    path = out / "roster.csv"
    if not path.is_file():
        return None
    return None if holds_sample(out) and not course.sample else path


def holds_sample(out: Path) -> bool:
    """Whether these are the sample class's results, which opening OUT for a real class would clear away.

    Raises:
        GraderError: OUT's mark is damaged.
    """
    return (_read_mark(out) or {}).get("sample") is True


def _holder(out: Path) -> str:
    """Who holds the lock, as far as its file says."""
    try:
        text = (out / LOCK).read_text(encoding="utf-8", errors="replace")[:80].strip()
    except OSError:
        return ""
    return f" ({text})" if text.isprintable() and text else ""


def _claim(out: Path, course: Course, exercise: Exercise) -> None:
    """Mark OUT as this exercise's; empty it first when it holds the sample class and the class is real."""
    mark = {"course": course.title, "exercise": exercise.name, "sample": course.sample}
    found = _read_mark(out)
    if found is None:
        _refuse_others(out)
    elif found.get("sample") is True and not course.sample:
        for path in made_here(out):
            clear(path)
    elif (found.get("course"), found.get("exercise")) != (course.title, exercise.name):
        raise UsageError(
            f"{out} holds the results of {found.get('exercise')} in {found.get('course')!r}; "
            "name another folder with --out."
        )
    write_whole(out / MARK, (json.dumps(mark, indent=1) + "\n").encode())


def made_here(out: Path) -> dict[Path, str]:
    """What in OUT is about people: each path, and what it is."""
    return {path: what for pattern, what in MADE_HERE.items() for path in sorted(out.glob(pattern))}


def clear(path: Path) -> None:
    """Remove a file, a folder with all that is in it, or a link, which is not followed.

    Raises:
        GraderError: Something could not be removed.
    """
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise GraderError(f"{error.filename} could not be removed: {error.strerror}.") from None


def _refuse_others(out: Path) -> None:
    """Refuse a folder that is not ours and not empty.

    Raises:
        UsageError: It holds files, and no mark.
    """
    if (out / MARK).exists():
        return
    ours = {out / LOCK, *made_here(out)} - {out / "students"}
    if others := sorted(path.name for path in out.iterdir() if path not in ours):
        raise UsageError(f"{out} holds other files ({others[0]}); name an empty folder with --out.")


def _read_mark(out: Path) -> dict[str, object] | None:
    """What OUT says it holds; None when it says nothing."""
    try:
        mark = json.loads((out / MARK).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise GraderError(
            f"{out / MARK} is damaged; remove it if the results in {out} may be replaced."
        ) from None
    return mark if isinstance(mark, dict) else {}
