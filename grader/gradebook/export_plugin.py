"""A plugin for ``nbgrader export``: nbgrader's own columns, written so that any name can stand in them.

nbgrader's exporter writes no quotes, so that ``Lovelace, Countess`` shifts a row, and a zero where nothing is
graded. This one leaves such a score blank, and has the scores of ``grader export nbgrader``. Only nbgrader
imports it, for ``ExportApp.plugin_class``.
"""

from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry  # type: ignore[import-untyped]
from nbgrader.plugins import ExportPlugin  # type: ignore[import-untyped]

from grader.base.files import csv_bytes, write_whole
from grader.gradebook.words import EXPORT_COLUMNS

_DEFAULT = "grades.csv"


class ScoreExport(ExportPlugin):  # type: ignore[misc]  # nbgrader has no types
    """Every assignment's and student's score before and after the late penalty; blank when not graded."""

    def export(self, gradebook: Any) -> None:
        """Write the table to ``self.to``."""
        rows = [
            _row(gradebook, assignment, student)
            for assignment in gradebook.assignments
            if not self.assignment or assignment.name in map(str, self.assignment)
            for student in gradebook.students
            if not self.student or student.id in map(str, self.student)
        ]
        write_whole(Path(self.to or _DEFAULT), csv_bytes(EXPORT_COLUMNS, rows))
        self.log.info("Wrote %d rows to %s", len(rows), self.to or _DEFAULT)


def _row(gradebook: Any, assignment: Any, student: Any) -> list[str]:
    row = {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "max_score": _number(assignment.max_score),
    }
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        submission = None
    if submission is not None:
        row["timestamp"] = submission.timestamp
        grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
        if any(p is not None for g in grades for p in (g.auto_score, g.manual_score, g.extra_credit)):
            penalty = submission.late_submission_penalty or 0.0
            row["raw_score"] = _number(submission.score)
            row["late_submission_penalty"] = _number(penalty)
            row["score"] = _number(max(0.0, submission.score - penalty))
    return ["" if row.get(name) is None else str(row[name]) for name in EXPORT_COLUMNS]


def _number(value: float) -> str:
    """Points as people write them: 14, 12.5."""
    return f"{round(value, 6):g}"
