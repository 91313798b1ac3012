"""The handout of a lesson: its pictures, drawn from the reference solution, and the points that it names.

``solutions/NAME/picture.py``, where a lesson has one, holds ``pictures(solutions)``: it gets the modules of
the reference solution by name (``solutions["reservation"]``) and returns text by file name. The same
solution gives the same text.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

from grader.base.errors import CourseError
from grader.base.files import read_text
from grader.course.model import Course, Criterion, Exercise, Task

DRAWING = "picture.py"
HANDOUT = "README.md"

_ROW = re.compile(r"^\| `?(?P<name>[\w ]+?)`? \| (?P<points>\d+ \| \d+) \|$", re.MULTILINE)


def handout_files(course: Course, exercise: Exercise) -> Mapping[str, bytes]:
    """The drawn files of ``exercises/NAME/``, their bytes by file name; none where the lesson draws none.

    Raises:
        CourseError: The drawing or the solution that it draws from cannot be run.
    """
    folder = course.root / "solutions" / exercise.name
    if not (folder / DRAWING).is_file():
        return {}
    where = f"solutions/{exercise.name}"
    drawing = _load(folder / DRAWING, where)
    solutions = {Path(name).stem: _load(folder / name, where) for name in exercise.files}
    try:
        pictures: Mapping[str, str] = drawing.pictures(solutions)
        return {name: text.encode() for name, text in pictures.items()}
    except Exception as error:  # whatever the author's own code raises is a mistake in the course
        raise CourseError(
            f"{where}/{DRAWING}: pictures(solutions) failed with {type(error).__name__}: {error}."
        ) from error


def wrong_points(course: Course, exercise: Exercise) -> list[str]:
    """What the handout says of points that course.toml says otherwise, a sentence each.

    The handout, ``exercises/NAME/README.md``, has a table with a row for each task (its name, or ``Part 1``
    for constants, then its visible and its hidden points) and a last row ``all N``.

    Raises:
        CourseError: There is no handout.
    """
    path = course.root / "exercises" / exercise.name / HANDOUT
    where = f"exercises/{exercise.name}/{HANDOUT}"
    text = read_text(path, where)
    rows = {match["name"]: match["points"] for match in _ROW.finditer(text)}
    wanted = {_row_name(task): _points(exercise.criteria_of(task.name)) for task in exercise.tasks}
    wanted[f"all {exercise.points}"] = _points(exercise.criteria)
    return [
        f"{where}: the table of points needs the row {name!r} with {points} (visible | hidden)"
        for name, points in wanted.items()
        if rows.get(name) != points
    ]


def _row_name(task: Task) -> str:
    """How the handout's table calls a task: a function by its name, a file of constants as Part 1."""
    return "Part 1" if task.of_constants else task.name


def _points(criteria: Iterable[Criterion]) -> str:
    sums = {"visible": 0, "hidden": 0}
    for criterion in criteria:
        sums[criterion.visibility] += criterion.points
    return f"{sums['visible']} | {sums['hidden']}"


def _load(path: Path, where: str) -> ModuleType:
    """The course's own file as a module that nothing else can import."""
    module = ModuleType(path.stem)
    try:
        vars(module).update(runpy.run_path(str(path), run_name=path.stem))
    except Exception as error:  # the same
        raise CourseError(f"{where}/{path.name}: failed with {type(error).__name__}: {error}.") from error
    return module
