"""Where results lie: OUT for one exercise, the course's own files, marks of their owners, and locks.

OUT is ``graded/NAME/``; what belongs to the course as a whole (roster, gradebook) lies in ``graded/``. An OUT
that was named with ``--out`` holds these files itself, unless the folder above it has the course's mark.
"""

import json
import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from grader.base.errors import GraderError, UsageError
from grader.base.files import WRITING, sweep, write_whole
from grader.course.model import Course, Exercise

GRADED = Path("graded")
MARK, COURSE_MARK, LOCK = "grader.json", "course.json", ".lock"
ROSTER = "roster.csv"
COURSE_TABLE = "course.csv"
ELSEWHERE = "elsewhere.json"
OF_COURSE = {
    ROSTER: "names, addresses and ids",
    "gradebook.db*": "the gradebook",
    COURSE_TABLE: "the points of all exercises",
}
"""What the course's files hold about people, by patterns of names."""
OF_EXERCISE = {
    "students": "hand-ins, results and feedback",
    "scores.csv": "the table of scores",
    "class.*": "the report on the class",
    "unmatched.csv": "names of files that belong to nobody",
    "timing.csv": "ids with times",
    "remembered": "what functions answered, without names",
    "manual*.json": "points given by hand",
    "gradebook.json": "points given by hand, as the gradebook has them",
    "uploads.jsonl*": "what was sent to a platform",
    "exports": "score files for platforms",
    ELSEWHERE: "where other score files were written",
    f"{WRITING}*": "files that a run was writing when it ended",
}
"""What an exercise's files hold about people, by patterns of names."""

_LOCK_SECONDS = 5


def course_folder(out: Path) -> Path:
    """The folder of the course's files: above OUT where the course's mark is, else OUT itself."""
    return out.parent if (out.parent / COURSE_MARK).is_file() else out


def kept_roster(out: Path, course: Course) -> Path | None:
    """The roster of an earlier run; that of the sample class says nothing about a real one."""
    path = course_folder(out) / ROSTER
    return path if path.is_file() and (course.sample or not holds_sample(out)) else None


def holds_sample(out: Path) -> bool:
    """True if these are the sample class's results, which opening OUT for a real class removes."""
    home = course_folder(out)
    marks = (read_mark(out / MARK), read_mark(home / COURSE_MARK))
    return any(mark is not None and mark.get("sample") is True for mark in marks)


def move_old_results(graded: Path, course: Course) -> str:
    """Move the results of one exercise from ``graded/``, where they used to lie, to ``graded/NAME/``.

    Each thing is moved by one rename and the mark last, so that a killed call loses nothing and the next one
    goes on. Returns a sentence that says so, or an empty text when there was nothing to move.
    """
    if not (graded / MARK).is_file():
        return ""
    with locked(graded):
        mark = read_mark(graded / MARK)
        if mark is None:
            return ""  # another call was faster
        title, name, sample = mark.get("course"), str(mark.get("exercise")), mark.get("sample") is True
        if (title != course.title and not sample) or Path(name).name != name or name in {"", ".", ".."}:
            raise UsageError(
                f"{graded} holds the results of {name} in {title!r}; name another folder with --out."
            )
        target = graded / name
        if (target / MARK).exists():
            raise UsageError(f"{graded} and {target} both hold results of {name}; move one of them away.")
        write_whole(graded / COURSE_MARK, (json.dumps({"course": title, "sample": sample}) + "\n").encode())
        try:
            target.mkdir(mode=0o700, exist_ok=True)
            for path in found_in(graded, OF_EXERCISE):
                path.rename(target / path.name)
            (graded / MARK).rename(target / MARK)
        except OSError as error:
            raise GraderError(f"{error.filename} could not be moved to {target}: {error.strerror}.") from None
    return f"Each exercise has its own folder in {graded} now; the results of {name} were moved to {target}."


@contextmanager
def locked_out(out: Path, course: Course, exercise: Exercise) -> Iterator[None]:
    """Hold OUT for writing: made if need be, locked, and checked to be this exercise's."""
    if out == GRADED / exercise.name or course_folder(out) != out:
        with locked(out.parent):
            if not (out.parent / COURSE_MARK).exists() and (others := found_in(out.parent, OF_COURSE)):
                raise UsageError(f"{min(others)} is not the grader's; name another folder with --out.")
            _claim(out.parent / COURSE_MARK, {"course": course.title, "sample": course.sample}, OF_COURSE)
    with locked(out, strangers_refused=True):
        mark = {"course": course.title, "exercise": exercise.name, "sample": course.sample}
        _claim(out / MARK, mark, OF_EXERCISE | OF_COURSE)
        _move_up(out)
        if (out / LOCK).stat().st_size:  # the last run was killed
            sweep(out)
            for path in course_folder(out).glob(f"{WRITING}*"):
                clear(path)
        (out / LOCK).write_text(f"{socket.gethostname()} process {os.getpid()}", encoding="utf-8")
        try:
            yield
        finally:
            os.truncate(out / LOCK, 0)


@contextmanager
def locked(folder: Path, *, strangers_refused: bool = False, seconds: float | None = None) -> Iterator[None]:
    """Hold a folder of results, made if need be; wait for another run so many ``seconds``, by default a few.

    Raises UsageError if it holds files of others and ``strangers_refused``.
    """
    lock = FileLock(folder / LOCK, timeout=_LOCK_SECONDS if seconds is None else seconds, mode=0o600)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if strangers_refused:
            _refuse_strangers(folder)  # before anything of it is touched
            folder.chmod(0o700)
        lock.acquire()
    except Timeout:
        raise GraderError(
            f"Another run is writing to {folder}{_holder(folder)}; wait until it has ended."
        ) from None
    except OSError as error:
        raise GraderError(f"{folder} cannot be written: {error.strerror}.") from None
    try:
        if strangers_refused:
            _refuse_strangers(folder)  # again: what was there may have changed while we waited
        yield
    finally:
        lock.release()


def _holder(folder: Path) -> str:
    """Who holds the lock, as far as its file says."""
    try:
        text = (folder / LOCK).read_text(encoding="utf-8", errors="replace")[:80].strip()
    except OSError:
        return ""
    return f" ({text})" if text.isprintable() and text else ""


def _refuse_strangers(out: Path) -> None:
    """Refuse a folder without a mark that holds files which are not ours.

    Students without a mark count as such: nobody knows of which exercise they are.
    """
    if (out / MARK).exists():
        return
    ours = {out / LOCK, *found_in(out, OF_EXERCISE | OF_COURSE)} - {out / "students"}
    if others := sorted(path.name for path in out.iterdir() if path not in ours):
        raise UsageError(f"{out} holds other files ({others[0]}); name an empty folder with --out.")


def _claim(path: Path, mark: Mapping[str, object], about_people: Mapping[str, str]) -> None:
    """Write a folder's mark; where it says the sample class and the class is real, empty the folder first."""
    found = read_mark(path)
    if found is not None and found.get("sample") is True and not mark["sample"]:
        for old in found_in(path.parent, about_people):
            clear(old)
    elif found is not None and any(found.get(key) != mark[key] for key in mark.keys() - {"sample"}):
        exercise = f"{found.get('exercise')} in " if "exercise" in mark else ""
        raise UsageError(
            f"{path.parent} holds the results of {exercise}{found.get('course')!r}; "
            "name another folder with --out."
        )
    write_whole(path, (json.dumps(mark, indent=1) + "\n").encode())


def _move_up(out: Path) -> None:
    """Move the course's files from OUT, where an earlier version kept them, to the course's folder.

    Nothing is moved if that folder has such files already, or if the gradebook is being written.
    """
    home = course_folder(out)
    if home != out and not found_in(home, OF_COURSE) and not (out / "gradebook.db-journal").exists():
        for path in found_in(out, OF_COURSE):
            path.rename(home / path.name)


def read_mark(path: Path) -> dict[str, object] | None:
    """What a mark says its folder holds; None when there is no mark."""
    try:
        mark = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise GraderError(
            f"{path} is damaged; bring a copy of it back, or name an empty folder with --out."
        ) from None
    return mark if isinstance(mark, dict) else {}


def found_in(folder: Path, about_people: Mapping[str, str]) -> dict[Path, str]:
    """What is there of these patterns of names: each path, and what it holds."""
    return {path: what for pattern, what in about_people.items() for path in sorted(folder.glob(pattern))}


def clear(path: Path) -> None:
    """Remove a file, a folder with all that is in it, or a link, which is not followed."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise GraderError(f"{error.filename} could not be removed: {error.strerror}.") from None
