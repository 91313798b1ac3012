"""Points that a person gave in nbgrader's formgrader, and the results with them: ``OUT/manual.json``.

When OUT's gradebook is gone, what was in manual.json goes into ``OUT/manual-kept.json`` and still counts,
unless a person gives that student other points in the new gradebook.

``result.json`` stays what the grader found; whatever leaves OUT (scores.csv, exports, uploads) is the final
result, in which a person's points come before the grader's and the flag ``manual`` says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from grader.base.errors import GraderError
from grader.base.files import write_whole
from grader.base.flags import MANUAL
from grader.course.model import Course, Exercise
from grader.gradebook.store import DATABASE
from grader.grading.score import Result
from grader.results.files import load_results
from grader.roster.roster import Person

MANUAL_FILE = "manual.json"
KEPT_FILE = "manual-kept.json"


def final_results(out: Path) -> list[Result]:
    """Every result below OUT with the points that a person gave, sorted by student.

    Raises:
        GraderError: A result or manual.json is damaged.
    """
    return with_manual(load_results(out), read_manual(out))


def with_manual(results: Iterable[Result], manual: Mapping[str, float]) -> list[Result]:
    """The results with a person's scores (points, before the late penalty) in place of the grader's."""
    return [
        _final(result, manual[result.student]) if result.student in manual else result for result in results
    ]


def _final(result: Result, points: float) -> Result:
    score = int(points) if points == int(points) else points
    flags = tuple(sorted({*result.flags, MANUAL}))
    return replace(result, status="graded", score=score, late_penalty=result.late_penalty or 0, flags=flags)


def read_manual(out: Path) -> dict[str, float]:
    """The scores that were given by hand, by student, as of the last look into the gradebook.

    Raises:
        GraderError: A file of them is damaged.
    """
    return {**_read(out / KEPT_FILE), **_read(out / MANUAL_FILE)}


def _read(path: Path) -> dict[str, float]:
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(points, int | float) for points in found.values()):
        raise GraderError(f"{path} is damaged; remove it, and grade again to have it written anew.")
    return {str(student): float(points) for student, points in found.items()}


def write_manual(out: Path, manual: Mapping[str, float]) -> None:
    """Keep what was given by hand; no file while there is nothing."""
    _write(out / MANUAL_FILE, manual)


def _write(path: Path, manual: Mapping[str, float]) -> None:
    if manual:
        write_whole(path, (json.dumps(dict(sorted(manual.items())), indent=1) + "\n").encode())
    else:
        path.unlink(missing_ok=True)


def _keep_when_gone(course: Course, out: Path) -> None:
    """Put aside what a gradebook held that is no longer there, before the new one is asked."""
    if not course.gradebook and not (out / DATABASE).exists():
        _write(out / KEPT_FILE, read_manual(out))
        _write(out / MANUAL_FILE, {})


def record_results(
    course: Course, exercise: Exercise, out: Path, people: Iterable[Person]
) -> tuple[str, ...]:
    """Bring the gradebook up to date with OUT, and OUT with the points that people gave there.

    Returns:
        The students whose own points have changed under those that a person gave.

    Raises:
        GraderError: The gradebook cannot be used; OUT is as it was.
    """
    from grader.gradebook.sync import record  # noqa: PLC0415 - nbgrader takes seconds to import

    _keep_when_gone(course, out)
    report = record(course, exercise, load_results(out), out, people)
    write_manual(out, {student: one.score for student, one in report.manual.items()})
    return report.overtaken


def refresh_manual(course: Course, exercise: Exercise, out: Path) -> None:
    """Look into the gradebook, where there is one, for points that were given since it was last recorded.

    Raises:
        GraderError: The gradebook cannot be read.
    """
    from grader.gradebook.store import nbgrader_is_installed  # noqa: PLC0415 - only when something leaves OUT

    if not nbgrader_is_installed() or not (course.gradebook or (out / DATABASE).is_file()):
        return
    from grader.gradebook.sync import manual_scores  # noqa: PLC0415 - nbgrader takes seconds to import

    found = manual_scores(course, exercise, load_results(out), out)
    write_manual(out, {student: one.score for student, one in found.items()})
