"""``graded/course.csv``: everyone's points in each exercise of the course, and the sum."""

import csv
import io
from collections.abc import Collection, Mapping
from decimal import Decimal
from pathlib import Path

from grader.base.files import csv_bytes, write_whole
from grader.base.flags import TEST_STUDENT
from grader.course.model import Exercise
from grader.results.folder import COURSE_TABLE, MARK, locked


def write_course_table(home: Path, exercises: Mapping[str, Exercise]) -> None:
    """Write the table anew from each exercise's ``scores.csv``, or remove it where there is none.

    A cell has the points that count; it is empty where there is no score. ``total`` is the sum of the scores,
    ``max_points`` that of all exercises with results. ``exercises`` give the order of the columns.
    """
    with locked(home):
        tables = {path.parent.name: path for path in home.glob("*/scores.csv") if _is_result(path)}
        names = [name for name in exercises if name in tables]
        names += sorted(tables.keys() - exercises.keys())
        points: dict[str, dict[str, Decimal | None]] = {}
        most = dict.fromkeys(names, Decimal(0))
        for name in names:
            exercise = exercises.get(name)
            is_zero = exercise is not None and exercise.missing == "zero"
            for row in csv.DictReader(io.StringIO(tables[name].read_text(encoding="utf-8"), newline="")):
                if TEST_STUDENT not in row["flags"].split():
                    points.setdefault(row["student"], {})[name] = _points(row, is_zero=is_zero)
                    most[name] = max(most[name], Decimal(row["max_score"]))
        rows = [_row(student, points[student], names, sum(most.values())) for student in sorted(points)]
        if names:
            write_whole(home / COURSE_TABLE, csv_bytes(("student", *names, "total", "max_points"), rows))
        else:
            (home / COURSE_TABLE).unlink(missing_ok=True)


def _is_result(path: Path) -> bool:
    return path.is_file() and path.with_name(MARK).is_file()


def _points(row: Mapping[str, str], *, is_zero: bool) -> Decimal | None:
    """Return a student's points after lateness; None without a score."""
    if row["score"]:
        return max(Decimal(0), Decimal(row["score"]) - Decimal(row["late_penalty"] or 0))
    return Decimal(0) if is_zero and row["status"] == "missing" else None


def _row(
    student: str, points: Mapping[str, Decimal | None], names: Collection[str], most: Decimal | int
) -> list[str]:
    known = [points.get(name) for name in names]
    there = [one for one in known if one is not None]
    total = f"{sum(there):f}" if there else ""
    return [student, *("" if one is None else f"{one:f}" for one in known), total, f"{most:f}"]
