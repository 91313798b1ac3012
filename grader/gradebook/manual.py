"""Points that a person gave in nbgrader's formgrader: before the grader's own, and never touched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.gradebook.cells import Cells, models
from grader.gradebook.words import gradebook_id

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True)
class Manual:
    """A score with a person's points in it: ``score`` before ``late_penalty``, both in points as recorded."""

    score: float
    late_penalty: float


def is_by_hand(grade: Mapping[str, Any]) -> bool:
    """Whether a person gave points in this cell, as its score or as extra credit."""
    return grade["manual_score"] is not None or grade["extra_credit"] is not None


def worth(grade: Mapping[str, Any] | None, auto: float | None) -> float:
    """What a cell is worth, by nbgrader's own rule: a person's points, or else ours, and extra credit."""
    if grade is None:
        return auto or 0.0
    own = auto if grade["manual_score"] is None else grade["manual_score"]
    return float(own or 0) + float(grade["extra_credit"] or 0)


def manual_scores_of(connection: Connection, cells: Cells, students: Sequence[str]) -> dict[str, Manual]:
    """Of some students those whom a person gave points, with their scores as they stand recorded."""
    from sqlalchemy import select  # noqa: PLC0415 - only recording needs it

    nbgrader = models()
    one, book = nbgrader.SubmittedAssignment.__table__, nbgrader.SubmittedNotebook.__table__
    grade = nbgrader.Grade.__table__
    keys = {gradebook_id(student): student for student in students}
    query = (
        select(one.c.student_id, book.c.late_submission_penalty, grade)
        .join_from(one, book, book.c.assignment_id == one.c.id)
        .join(grade, grade.c.notebook_id == book.c.id)
        .where(one.c.assignment_id == cells.assignment, book.c.notebook_id == cells.notebook)
        .where(one.c.student_id.in_(keys), grade.c.cell_id.in_(cells.grades.values()))
    )
    by_student: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in connection.execute(query).mappings():
        by_student[row["student_id"]].append(dict(row))
    return {
        keys[key]: Manual(
            sum(worth(row, row["auto_score"]) for row in some), some[0]["late_submission_penalty"] or 0.0
        )
        for key, some in by_student.items()
        if any(map(is_by_hand, some))
    }
