"""The pictures of a lesson's handout, drawn from its reference solution so that they cannot contradict it.

``solutions/NAME/picture.py``, where a lesson has one, holds ``pictures(solutions)``: it gets the modules of
the reference solution by name (``solutions["reservation"]``) and returns text by file name. The same
solution gives the same text.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from grader.course import Course, Exercise
from grader.errors import CourseError

DRAWING = "picture.py"


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


def _load(path: Path, where: str) -> ModuleType:
    """The course's own file as a module that nothing else can import."""
    spec = importlib.util.spec_from_file_location(f"solution_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise CourseError(f"{where}/{path.name}: is not a Python file; rename it to end in .py.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the same
        raise CourseError(f"{where}/{path.name}: failed with {type(error).__name__}: {error}.") from error
    return module
