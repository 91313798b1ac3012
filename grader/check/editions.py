"""Read the solution and the stub as a student hands them in: as the notebook, and as the bundle's zip."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from grader.base.files import archive_bytes
from grader.check.versions import Version
from grader.course.model import Course, Exercise
from grader.intake.handin import HandIn
from grader.intake.prepare import read_hand_in
from grader.lesson.format import notebook_bytes
from grader.lesson.notebook import instructor_cells, student_cells
from grader.sources.submission import Submission
from grader.sources.tree import Member
from grader.suite.notebook import as_jupyter_runs_it


def as_notebook(course: Course, exercise: Exercise, version: Version, *, solved: bool) -> Version:
    """Put a version's answers into the students' notebook and read it; given code is in locked cells.

    Raises:
        CourseError: The notebook cannot be made.
    """
    cells = student_cells(course, exercise)
    if solved:
        solutions = {cell.id: cell for cell in instructor_cells(course, exercise) if cell.kind == "answer"}
        cells = [solutions.get(cell.id, cell) for cell in cells]
    came = _read(exercise, exercise.notebook, notebook_bytes(cells, released=True))
    what = f"{version.where} as a notebook"
    return replace(
        version, name=what, where=what, files={}, notebook=as_jupyter_runs_it(came.cells, exercise)
    )


def misread_zip(exercise: Exercise, bundle: Mapping[str, bytes], version: Version) -> str:
    """Return a clause if the version is not read completely from the bundle's zip; empty if it is."""
    files = {f"{exercise.name}/{name}": data for name, data in {**bundle, **version.files}.items()}
    came = _read(exercise, f"{exercise.name}.zip", archive_bytes(files))
    if came.files == version.files:
        return ""
    notes = (*came.problems.values(), *came.notes)
    return f"{version.where} is not read from the bundle's zip: {json.dumps(notes, ensure_ascii=False)}"


def _read(exercise: Exercise, name: str, data: bytes) -> Submission:
    def content(limit: int) -> bytes:
        del limit
        return data

    hand_in = HandIn((), (Member((name,), len(data), content),), name, student="check")
    return read_hand_in(hand_in, exercise, to_grade=True)
