"""One student's folder below OUT: its name, what was graded, the result, the report and the feedback."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import msgspec

from grader import __version__
from grader.base.errors import CourseError, GraderError
from grader.base.files import write_whole
from grader.course.model import Course, Exercise, test_file
from grader.feedback.closing import Section
from grader.feedback.pages import feedback_pages
from grader.grading.diagnosis import table_path
from grader.grading.score import FinalResult, Result
from grader.grading.workers import Graded
from grader.results.final import FinalPart, final_part, final_result
from grader.sources.submission import Submission

PAGES = ("feedback.html", "feedback.md")
REPORT = "report.json"
STAMP = "graded.json"
_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


def safe_name(student: str) -> str:
    """A file name for a student's id; two different ids never share one, on any file system.

    A plain lower-case id is its own name. Any other keeps what is plain of it, for the reader, followed by
    ``~`` (which no plain id holds) and a digest of the whole.
    """
    if _PLAIN.fullmatch(student) and not _RESERVED.fullmatch(student):
        return student
    readable = re.sub(r"[^a-z0-9_-]+", "-", student.lower())[:24].strip("-")
    return f"{readable}~{hashlib.sha256(student.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def student_folder(out: Path, student: str) -> Path:
    """The folder of one student's files below OUT."""
    return out / "students" / safe_name(student)


def result_bytes(found: Result, final: FinalResult | None = None) -> bytes:
    """``result.json``: what the grader found, in the order of Result's fields, and ``final`` as the last one.

    Without ``final`` nothing was changed by hand. The same results give the same bytes.
    """
    kept = {field.name: getattr(found, field.name) for field in fields(Result)}
    return _indented(_Kept(**kept, final=final_part(final or final_result(found))))


def _indented(message: Any) -> bytes:
    """Write JSON in lines, as ``json.dumps`` with an indent does in ten times the time."""
    try:
        return msgspec.json.format(msgspec.json.encode(message), indent=1) + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can escape alone
        text = json.dumps(msgspec.to_builtins(message), indent=1, ensure_ascii=False) + "\n"
        return text.encode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class _Kept(Result):
    final: FinalPart | None = None


def load_result(path: Path) -> Result:
    """Read one result.json: what the grader found."""
    return load_kept(path)[0]


def load_kept(path: Path) -> tuple[Result, FinalPart | None]:
    """Read one result.json: what the grader found, and the final part, None in an earlier version's file."""
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError) as error:
        raise GraderError(
            f"{path} is not a result of this grader: {error}. Remove it, and grade again to have it back."
        ) from None
    return Result(**{field.name: getattr(kept, field.name) for field in fields(Result)}), kept.final


def write_graded(
    folder: Path,
    exercise: Exercise,
    graded: Graded,
    found: Result,
    final: FinalResult,
    *,
    suite: str,
    closing: Sequence[Section] = (),
) -> None:
    """Write all files of a student who was graded; the stamp that makes them count as done comes last."""
    submission = graded.submission
    (folder / STAMP).unlink(missing_ok=True)
    write_submission(folder / "submission", exercise, submission)
    if graded.report:
        write_whole(folder / REPORT, _indented(graded.report), durable=False)
    else:
        (folder / REPORT).unlink(missing_ok=True)  # an earlier hand-in's
    write_result(folder, exercise, found, final, submission.name, closing)
    stamp = json.dumps(_stamp_of(submission, suite), indent=1) + "\n"
    write_whole(folder / STAMP, stamp.encode(), durable=False)


def write_result(  # noqa: PLR0917 - a page needs all of it
    folder: Path,
    exercise: Exercise,
    found: Result,
    final: FinalResult,
    name: str,
    closing: Sequence[Section] = (),
) -> None:
    """Write both pages, made from the final result, and then result.json, which says that they are there."""
    html, markdown = feedback_pages(final, exercise, name, closing)
    for page, data in zip(PAGES, (html, markdown), strict=True):
        write_whole(folder / page, data, durable=False)
    write_whole(folder / "result.json", result_bytes(found, final))


def write_submission(folder: Path, exercise: Exercise, submission: Submission) -> None:
    """Write the graded bytes under the names of the exercise, and drop what an earlier attempt had more.

    A folder in it is of somebody who ran the files there, and stays.
    """
    files = {**submission.helpers, **submission.files}
    if submission.cells and submission.notebook is not None:
        files[exercise.notebook] = submission.notebook
    for old in folder.glob("*") if folder.is_dir() else ():
        if old.name not in files and (old.is_symlink() or not old.is_dir()):
            old.unlink()
    for name, data in files.items():
        write_whole(folder / name, data, durable=False)


def read_stamp(folder: Path) -> Mapping[str, Any]:
    """Read what a student's files were made of, as it was written last; nothing if that is not known."""
    try:
        stamp = json.loads((folder / STAMP).read_bytes())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def is_unfinished(folder: Path) -> bool:
    """True if a run ended while it wrote what was graded: the pages may show another result."""
    return (folder / "submission").is_dir() and not (folder / STAMP).is_file()


def is_done(out: Path, submission: Submission, suite: str) -> bool:
    """True if the same hand-in was graded before, to the end, by the same suite, and its files are there."""
    folder = student_folder(out, submission.student)
    if read_stamp(folder) != _stamp_of(submission, suite):
        return False
    try:
        status = load_result(folder / "result.json").status
    except GraderError:
        return False
    written = (*PAGES, *[REPORT] * (status == "graded"))
    return status in ("graded", "unreadable") and all((folder / name).is_file() for name in written)


def is_by(out: Path, student: str, suite: str) -> bool:
    """True if the files of a student were written to the end and graded by this suite."""
    folder = student_folder(out, student)
    return (folder / "result.json").exists() and read_stamp(folder).get("suite") == suite


def _stamp_of(submission: Submission, suite: str) -> dict[str, str]:
    """All that a student's files depend on: the suite, the bytes, and what is known of them beside."""
    beside = [submission.submitted_at, submission.flags, submission.notes, submission.problems]
    return {
        "suite": suite,
        "digest": submission.digest,
        "received_as": submission.received_as,
        "name": submission.name,
        "beside": hashlib.sha256(msgspec.json.encode(beside, order="sorted")).hexdigest(),
    }


def suite_digest(course: Course, exercise: Exercise) -> str:
    """A digest of all that a student's files depend on beside the hand-in, the kit's version included."""
    about = [exercise.title, exercise.tasks, exercise.criteria, exercise.limits, __version__]
    total = hashlib.sha256(msgspec.json.encode(about))
    table = table_path(course, exercise)
    for path in sorted({test_file(course, exercise, criterion) for criterion in exercise.criteria}):
        try:
            total.update(path.read_bytes())
        except OSError as error:
            raise CourseError(f"{path}: {error.strerror}; a criterion's tests must be there.") from None
    total.update(table.read_bytes() if table.is_file() else b"")
    return total.hexdigest()
