"""The exercise as nbgrader knows it: an assignment with one notebook, a grade cell for each criterion.

A cell's name is the notebook's own ``grade_id``: a criterion's id for its points, a task's name for the
comments on it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from grader.base.errors import GraderError
from grader.course.model import Course, Exercise
from grader.gradebook.store import course_id
from grader.lesson.format import NotebookCell, cell_fingerprint

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_NATIVE = "default_course"  # what nbgrader calls a course that has no name


@dataclass(frozen=True)
class Cells:
    """The database's keys of one exercise: its assignment, its notebook, its cells by name."""

    assignment: str
    notebook: str
    grades: Mapping[str, str]
    solutions: Mapping[str, str]


def ready_cells(
    gradebook: Any, course: Course, exercise: Exercise, sources: Iterable[NotebookCell] = ()
) -> Cells:
    """Find or make the assignment and its cells, in one transaction.

    ``sources`` are the cells of the source notebook, without solutions: what nbgrader puts over a handed-in
    notebook. Without them those that are there stay.

    A cell that is new to submissions recorded before gets an empty grade in each of them, which nbgrader
    takes for granted.

    Raises:
        GraderError: The assignment is another course's, or has cells that the exercise does not have.
    """
    nbgrader = models()
    session = gradebook.db
    if gradebook.engine.dialect.name == "sqlite":
        session.connection().exec_driver_sql("BEGIN IMMEDIATE")
    notebook = _notebook(session, course, exercise)
    grades = {cell.name: cell for cell in notebook.grade_cells}
    new = [criterion.id for criterion in exercise.criteria if criterion.id not in grades]
    for criterion in exercise.criteria:
        if criterion.id in new:
            grades[criterion.id] = nbgrader.GradeCell(name=criterion.id, notebook=notebook, cell_type="code")
            session.add(grades[criterion.id])
        grades[criterion.id].max_score = criterion.points
    solutions = {cell.name for cell in notebook.solution_cells}
    for task in exercise.tasks:
        if task.name not in solutions:
            session.add(nbgrader.SolutionCell(name=task.name, notebook=notebook))
    _put_sources(session, notebook, sources)
    session.flush()
    for criterion_id in new:
        _add_empty_grades(session, notebook, grades[criterion_id])
    cells = _keys(notebook.assignment, notebook, exercise)
    session.commit()
    return cells


def _notebook(session: Any, course: Course, exercise: Exercise) -> Any:
    """The assignment's one notebook, both made if need be."""
    nbgrader = models()
    assignment = session.query(nbgrader.Assignment).filter_by(name=exercise.name).one_or_none()
    ours = course_id(course)
    if assignment is None:
        assignment = nbgrader.Assignment(name=exercise.name, course_id=ours)
        session.add(assignment)
    elif assignment.course_id not in {ours, _NATIVE}:
        raise GraderError(
            f"In the gradebook, {exercise.name} belongs to the course {assignment.course_id!r}, "
            f"not to {ours!r}; give each course a database of its own."
        )
    assignment.duedate = naive_utc(exercise.due)
    name = exercise.notebook.removesuffix(".ipynb")
    _refuse_others(assignment, name, exercise)
    notebook = next((one for one in assignment.notebooks if one.name == name), None)
    if notebook is None:
        notebook = nbgrader.Notebook(name=name, assignment=assignment, kernelspec=json.dumps(_KERNEL))
        session.add(notebook)
    return notebook


def known_cells(gradebook: Any, exercise: Exercise) -> Cells | None:
    """The exercise's keys, as far as it was recorded; None when it never was. Writes nothing."""
    assignment = gradebook.db.query(models().Assignment).filter_by(name=exercise.name).one_or_none()
    name = exercise.notebook.removesuffix(".ipynb")
    notebook = next((one for one in assignment.notebooks if one.name == name), None) if assignment else None
    return _keys(assignment, notebook, exercise) if notebook else None


def _keys(assignment: Any, notebook: Any, exercise: Exercise) -> Cells:
    grades = {cell.name: cell.id for cell in notebook.grade_cells}
    solutions = {cell.name: cell.id for cell in notebook.solution_cells}
    return Cells(
        assignment.id,
        notebook.id,
        {criterion.id: grades[criterion.id] for criterion in exercise.criteria if criterion.id in grades},
        {task.name: solutions[task.name] for task in exercise.tasks if task.name in solutions},
    )


def models() -> Any:
    """The module of nbgrader's models; ``opened`` has imported it before anything asks for it."""
    return sys.modules["nbgrader.api"]


def naive_utc(moment: datetime | None) -> datetime | None:
    """A time as nbgrader keeps it: in UTC, without saying so."""
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None)


def _refuse_others(assignment: Any, name: str, exercise: Exercise) -> None:
    """Points that the exercise does not have would be added to everybody's score."""
    ours = {criterion.id for criterion in exercise.criteria}
    others = [
        cell.name
        for notebook in assignment.notebooks
        for cell in _graded(notebook)
        if notebook.name != name or cell.name not in ours
    ]
    if others:
        raise GraderError(
            f"In the gradebook, {exercise.name} has cells that the exercise does not have "
            f"({', '.join(sorted(others)[:3])}); rename the exercise or remove that assignment with "
            "'nbgrader db assignment remove'."
        )


def _graded(notebook: Any) -> Iterable[Any]:
    return (*notebook.grade_cells, *notebook.task_cells)


def _put_sources(session: Any, notebook: Any, sources: Iterable[NotebookCell]) -> None:
    """Once there are submissions, nbgrader accepts a source notebook with just the cells that it knows."""
    wanted = {cell.id: cell for cell in sources if cell.kind in {"answer", "tests", "shown"}}
    old = {cell.name: cell for cell in notebook.source_cells}
    for name, cell in wanted.items():
        row = old.get(name) or models().SourceCell(name=name, notebook=notebook)
        row.cell_type, row.locked, row.source = "code", cell.kind != "answer", cell.source
        row.checksum = cell_fingerprint(cell)
        session.add(row)
    for name in old.keys() - wanted.keys() if wanted else ():
        session.delete(old[name])


def _add_empty_grades(session: Any, notebook: Any, cell: Any) -> None:
    for submitted in session.query(models().SubmittedNotebook).filter_by(notebook_id=notebook.id):
        session.add(models().Grade(cell_id=cell.id, notebook_id=submitted.id, needs_manual_grade=True))
