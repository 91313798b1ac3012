"""A native nbgrader course around an exercise, for an instructor who works in nbgrader.

DIR gets settings, the source notebook and the roster; of the results in OUT it gets what nbgrader shows and
releases: a notebook for each student's page in formgrader, and our own feedback pages. The grades themselves
are in one gradebook, the one that ``grader grade`` records in.
"""

import os
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from string import Template

from grader.base.errors import GraderError, UsageError
from grader.base.files import FOR_ALL, sweep, write_whole
from grader.course.model import Course, Exercise
from grader.gradebook.store import DATABASE, course_id, gradebook_url, refuse_unusable
from grader.gradebook.sync import RecordReport, record_out
from grader.gradebook.words import gradebook_id
from grader.grading.score import Result
from grader.lesson.fill import filled_cells
from grader.lesson.format import notebook_bytes
from grader.lesson.notebook import instructor_cells, without_solutions
from grader.results.folder import GRADED, course_folder, holds_sample
from grader.results.out import Out
from grader.results.student import student_folder
from grader.sources.archives import NBGRADER_TIMESTAMP
from grader.sources.reader import read_each

CONFIG, README = "nbgrader_config.py", "README.md"

_COURSE_ID = re.compile(r"""^\s*c\.CourseDirectory\.course_id\s*=\s*["']([^"'\n]*)["']""", re.MULTILINE)
_SECRET = "submission_secret.txt"  # noqa: S105 - a file's name

_STUDENT_SECONDS = 10.0  # CPU seconds to fill one student's notebook; ordinary ones take milliseconds


@dataclass(frozen=True)
class Layout:
    """What was done: ``kept`` are files that people had changed and that were left alone."""

    kept: tuple[str, ...]
    recorded: RecordReport


def refuse_native(course: Course, exercise: Exercise, folder: Path, out: Path) -> None:
    """Refuse what :func:`lay_out` could not do, before anything is written."""
    home = GRADED if out == GRADED / exercise.name else course_folder(out)
    if len(course.exercises) > 1 and not course.gradebook and home == out:
        raise UsageError(
            f"nbgrader keeps a course in one database, and {out} has its own; leave --out away, or "
            'write gradebook = "sqlite:///gradebook.db" under [course] in course.toml.'
        )
    try:
        found = _COURSE_ID.search((folder / CONFIG).read_text(encoding="utf-8", errors="replace"))
    except FileNotFoundError:
        found = None
    except OSError as error:
        raise UsageError(f"{folder / CONFIG}: {error.strerror}; name another folder.") from None
    if found and found[1] != course_id(course):
        raise UsageError(f"{folder} holds the nbgrader course {found[1]!r}; name another folder.")
    instructor_cells(course, exercise)
    if course.gradebook or course.sample or not holds_sample(out):  # the sample's own gradebook is removed
        refuse_unusable(course, home)


def lay_out(out: Out, folder: Path) -> Layout:
    """Make ``folder`` a course that nbgrader works in, or bring it up to date with OUT."""
    course, exercise = out.course, out.exercise
    refuse_native(course, exercise, folder, out.folder)
    own = _settings(course, folder, out.home)
    cells = instructor_cells(course, exercise)
    times = _times(folder, exercise, out.results())
    recorded = record_out(out, times=times, sources=without_solutions(cells))
    sweep(folder)
    kept = []
    for name, data in own.items():
        if (folder / name).is_file() and (folder / name).read_bytes() != data:
            kept.append(name)
        else:
            write_whole(folder / name, data)
    source = folder / "source" / exercise.name / exercise.notebook
    write_whole(source, notebook_bytes(cells, released=False))
    if out.results():
        out.write_tables()
    faults = []
    there = [result for result in out.results() if result.status != "missing"]

    def notebook_of(result: Result) -> bytes:
        # Formgrader shows HTML of a notebook as it is: nothing but code comes from the student.
        graded = student_folder(out.folder, result.student) / "submission"
        paths = {name: graded / name for name in (*exercise.files, exercise.notebook)}
        files = {name: path.read_bytes() for name, path in paths.items() if path.is_file()}
        return notebook_bytes(filled_cells(cells, exercise, files), released=True)

    for result, notebook in read_each(there, notebook_of, lambda _: _STUDENT_SECONDS):
        unread = dict.fromkeys(exercise.files, b"# This file takes too much time or memory to read.\n")
        data = notebook or notebook_bytes(filled_cells(cells, exercise, unread), released=True)
        try:
            _write_pages(exercise, folder, out.folder, result, data)
        except (GraderError, OSError) as error:  # the others have their pages all the same
            faults.append(f"{result.student}: {error}")
    if faults:
        raise GraderError(" ".join(faults[:5]))
    return Layout(tuple(kept), recorded)


def _times(folder: Path, exercise: Exercise, results: Iterable[Result]) -> Mapping[str, datetime]:
    """Read by student when nbgrader collected the submission, as nbgrader itself reads it."""
    times: dict[str, datetime] = {}
    for result in results:
        path = folder / "submitted" / gradebook_id(result.student) / exercise.name / NBGRADER_TIMESTAMP
        if path.is_file():
            from nbgrader.utils import parse_utc  # type: ignore[import-untyped]  # noqa: PLC0415 - it takes seconds

            try:
                times[result.student] = parse_utc(path.read_text(encoding="utf-8").strip())
            except (ValueError, OverflowError):
                continue  # the time in the result is the one that counts
    return times


def _settings(course: Course, folder: Path, home: Path) -> Mapping[str, bytes]:
    """Fill in the files that people may change: nbgrader's settings and a README."""
    here = Path(__file__).parent / "nbgrader_files"
    if course.gradebook:
        address = repr(gradebook_url(course, home).render_as_string(hide_password=False))
    else:
        way = repr(Path(os.path.relpath(home / DATABASE, folder)).as_posix())
        address = f'URL.create("sqlite", database=str((HERE / {way}).resolve())).render_as_string()'
    words = {"course": course_id(course), "address": address, "title": course.title}
    return {
        name: Template((here / f"{name}.template").read_text(encoding="utf-8")).substitute(words).encode()
        for name in (CONFIG, README)
    }


def _write_pages(exercise: Exercise, folder: Path, out: Path, result: Result, notebook: bytes) -> None:
    """Write one student's notebook for formgrader, and the page where ``release_feedback`` looks for it.

    Beside the page goes what ``release_feedback`` reads: when the work came, and its secret. With the secret
    of a student who handed in through nbgrader the page can be fetched. For others one is drawn, because
    nbgrader stops at a page without a secret.
    """
    student = gradebook_id(result.student)
    kept = student_folder(out, result.student)
    write_whole(folder / "autograded" / student / exercise.name / exercise.notebook, notebook, durable=False)
    feedback = folder / "feedback" / student / exercise.name
    try:
        html = (kept / "feedback.html").read_bytes()
    except OSError as error:
        raise GraderError(f"{kept / 'feedback.html'} cannot be read: {error.strerror}.") from None
    page = feedback / exercise.notebook.replace(".ipynb", ".html")
    write_whole(page, html, durable=False, mode=FOR_ALL)
    submitted = folder / "submitted" / student / exercise.name
    received = result.submission.submitted_at if result.submission else ""
    for name, data in ((NBGRADER_TIMESTAMP, received), (_SECRET, secrets.token_hex(64))):
        if (submitted / name).is_file():
            write_whole(feedback / name, (submitted / name).read_bytes(), durable=False)
        elif not (feedback / name).is_file():
            write_whole(feedback / name, data.encode(), durable=False)
