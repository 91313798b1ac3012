"""Points that a person gave in nbgrader's formgrader, and the results with them: ``OUT/manual.json``.

``result.json`` stays what the grader found; whatever leaves OUT (scores.csv, exports, uploads) is the final
result, in which a person's points come before the grader's and the flag ``manual`` says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from grader.course import Course
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.results import load_results, write_whole
from grader.roster import Person
from grader.scoring import Result

MANUAL_FILE = "manual.json"
FLAG = "manual"


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
    flags = tuple(sorted({*result.flags, FLAG}))
    return replace(result, status="graded", score=score, late_penalty=result.late_penalty or 0, flags=flags)


def read_manual(out: Path) -> dict[str, float]:
    """The scores that were given by hand, by student, as of the last look into the gradebook.

    Raises:
        GraderError: manual.json is damaged.
    """
    try:
        found = json.loads((out / MANUAL_FILE).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(points, int | float) for points in found.values()):
        raise GraderError(
            f"{out / MANUAL_FILE} is damaged; remove it, and grade again to have it written anew."
        )
    return {str(student): float(points) for student, points in found.items()}


def write_manual(out: Path, manual: Mapping[str, float]) -> None:
    """Keep what was given by hand; no file while there is nothing."""
    if manual:
        write_whole(out / MANUAL_FILE, (json.dumps(dict(sorted(manual.items())), indent=1) + "\n").encode())
    else:
        (out / MANUAL_FILE).unlink(missing_ok=True)


def record_results(
    course: Course, exercise: Exercise, out: Path, people: Iterable[Person]
) -> tuple[str, ...]:
    """Bring the gradebook up to date with OUT, and OUT with the points that people gave there.

    Returns:
        The students whose own points have changed under those that a person gave.

    Raises:
        GraderError: The gradebook cannot be used; OUT is as it was.
    """
    from grader.gradebook import record  # noqa: PLC0415 - nbgrader takes seconds to import

    report = record(course, exercise, load_results(out), out, people)
    write_manual(out, {student: one.score for student, one in report.manual.items()})
    return report.overtaken


def refresh_manual(course: Course, exercise: Exercise, out: Path) -> None:
    """Look into the gradebook, where there is one, for points that were given since it was last recorded.

    Raises:
        GraderError: The gradebook cannot be read.
    """
    from grader.gradebook_store import nbgrader_is_installed  # noqa: PLC0415 - only when something leaves OUT

    if not nbgrader_is_installed() or not (course.gradebook or (out / "gradebook.db").is_file()):
        return
    from grader.gradebook import manual_scores  # noqa: PLC0415 - nbgrader takes seconds to import

    found = manual_scores(course, exercise, load_results(out), out)
    write_manual(out, {student: one.score for student, one in found.items()})
