"""The folder OUT: where results are kept, whole files or none, readable by their owner only.

``OUT/scores.csv`` has a row for everyone; ``OUT/students/ID/`` holds one student's ``result.json``,
``report.json``, ``feedback.html``, ``feedback.md`` and ``submission/``. Results on disk are the truth that
report, export, upload and the gradebook read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import msgspec

from grader.base.errors import GraderError
from grader.base.files import csv_bytes, harmless
from grader.grading.score import Result

SCORES_HEADER = ("student", "status", "score", "max_score", "late_penalty", "submitted_at", "flags")

_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


def safe_name(student: str) -> str:
    """A file name for a student's id; two different ids never share one, on no file system.

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


def result_bytes(result: Result) -> bytes:
    """``result.json``: the Result's fields in their order, the same bytes for the same result."""
    text = json.dumps(asdict(result), indent=1, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "backslashreplace")  # half a pair becomes JSON's own escape of it


def load_result(path: Path) -> Result:
    """Read one result.json.

    Raises:
        GraderError: It is not a result of this kit.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Result)
    except (OSError, msgspec.DecodeError) as error:
        raise GraderError(
            f"{path} is not a result of this grader: {error}. Remove it, and grade again to have it back."
        ) from None


def load_results(out: Path) -> list[Result]:
    """Every result below OUT, sorted by student.

    Raises:
        GraderError: One of them is damaged.
    """
    found = [load_result(path) for path in (out / "students").glob("*/result.json")]
    return sorted(found, key=lambda result: result.student)


def scores_bytes(results: Iterable[Result]) -> bytes:
    """``scores.csv``: one row for each result, sorted by student; a score is blank unless graded.

    It is for people, so that no id is a formula in it; programs read the results.
    """
    return csv_bytes(SCORES_HEADER, map(_row, sorted(results, key=lambda result: result.student)))


def _row(result: Result) -> list[object]:
    received = result.submission.submitted_at if result.submission else ""
    numbers = (result.score, result.max_score, result.late_penalty)
    shown = ["" if number is None else number for number in numbers]
    return [harmless(result.student), result.status, *shown, received, " ".join(result.flags)]
