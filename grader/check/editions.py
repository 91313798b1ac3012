"""Check what students get and hand in: generated files, the bundle, the notebook, and the bundle's zip."""

import json
from collections.abc import Iterator
from dataclasses import replace

from grader.base.errors import CourseError
from grader.base.files import archive_bytes, read_text
from grader.check.finding import Finding, build_call
from grader.check.versions import Version, solution, stub
from grader.course.model import Course, Exercise
from grader.intake.handin import HandIn
from grader.intake.prepare import read_hand_in
from grader.lesson.format import notebook_bytes
from grader.lesson.generate import stale_files
from grader.lesson.handout import HANDOUT
from grader.lesson.notebook import instructor_cells, student_cells
from grader.lesson.release import bundle_files
from grader.lesson.tables import has_points
from grader.sources.submission import Submission
from grader.sources.tree import Member
from grader.suite.notebook import as_jupyter_runs_it


def stale(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Find generated files that differ from their source; private criteria are in none of them."""
    course, exercise = replace(course, private=None), exercise.public
    try:
        where = f"exercises/{exercise.name}/{HANDOUT}"
        if (course.root / where).is_file() and not has_points(read_text(course.root / where, where)):
            text = "write the lines '<!-- BEGIN POINTS -->' and '<!-- END POINTS -->', and run 'grader build'"
            yield Finding(where, f"has no table of points; {text}")
        for path in stale_files(course, exercise):
            what = "is not what its source makes" if path.is_file() else "is missing"
            text = f"{what}; run '{build_call(course, exercise)}'"
            yield Finding(path.relative_to(course.root).as_posix(), text)
    except CourseError as error:
        yield Finding.of(error)


def generated(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Find stale files, what a bundle would tell, and versions that are not read from the bundle's zip."""
    found = list(stale(course, exercise))
    yield from found
    handout = course.root / "exercises" / exercise.name / HANDOUT
    if any(not finding.where for finding in found) or not handout.is_file():
        return
    try:
        bundle = bundle_files(replace(course, private=None), exercise.public)
    except CourseError as error:
        yield Finding.of(error)
        return
    for version in () if found else (solution(course, exercise), stub(course, exercise)):
        files = {f"{exercise.name}/{name}": data for name, data in {**bundle, **version.files}.items()}
        came = _read(exercise, f"{exercise.name}.zip", archive_bytes(files))
        if came.files != version.files:
            notes = json.dumps((*came.problems.values(), *came.notes), ensure_ascii=False)
            yield Finding("", f"{version.where} is not read from the bundle's zip: {notes}")


def as_notebook(course: Course, exercise: Exercise, version: Version, *, solved: bool) -> Version:
    """Put a version's answers into the students' notebook and read it; given code is in locked cells."""
    cells = student_cells(course, exercise)
    if solved:
        solutions = {cell.id: cell for cell in instructor_cells(course, exercise) if cell.kind == "answer"}
        cells = [solutions.get(cell.id, cell) for cell in cells]
    came = _read(exercise, exercise.notebook, notebook_bytes(cells, released=True))
    what = f"{version.where} as a notebook"
    notebook = as_jupyter_runs_it(came.cells, exercise)
    return replace(version, name=what, where=what, files={}, notebook=notebook)


def _read(exercise: Exercise, name: str, data: bytes) -> Submission:
    member = Member((name,), len(data), lambda _limit: data)
    return read_hand_in(HandIn((), (member,), name, student="check"), exercise, to_grade=True)
