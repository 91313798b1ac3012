"""Make what a student reads after full marks from ``solutions/NAME/closing.py``, where a lesson has one.

Its function ``closing(solutions)`` gets the solution's modules by name and returns sections: a title, a list
of paragraphs, and a list of pictures as :mod:`grader.bundle.draw` takes them.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from grader.base.errors import CourseError
from grader.course.model import Course, Exercise
from grader.feedback.closing import CLOSING, Section
from grader.lesson.handout import run_module

SOURCE = "closing.py"


def closing_path(course: Course, exercise: Exercise) -> Path:
    """Where it is kept: in ``solutions/``, which is never released."""
    return course.root / "solutions" / exercise.name / CLOSING


def closing_bytes(course: Course, exercise: Exercise) -> bytes | None:
    """The content of ``closing.json``, counted anew; None where the lesson has nothing to say.

    Raises:
        CourseError: The file, or the solution that it counts with, cannot be run, or gives something else.
    """
    where = f"solutions/{exercise.name}"
    if not (course.root / where / SOURCE).is_file():
        return None
    source = run_module(course, f"{where}/{SOURCE}")
    solutions = {Path(name).stem: run_module(course, f"{where}/{name}") for name in exercise.files}
    try:
        made = [
            Section(title, tuple(text), tuple(pictures))
            for title, text, pictures in source.closing(solutions)
        ]
        plain = msgspec.to_builtins(made)
        msgspec.convert(plain, tuple[Section, ...])
    except Exception as error:  # the course's own code may raise anything
        raise CourseError(
            f"{where}/{SOURCE}: closing(solutions) failed with {type(error).__name__}: {error}."
        ) from error
    return (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode()
