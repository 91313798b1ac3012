"""Is what is made from the one source still what it would be made today, and does it hide what it must?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.check.finding import Finding
from grader.course import Course
from grader.errors import CourseError
from grader.exercise import Exercise
from grader.notebook import notebook_is_current, notebook_path
from grader.release import bundle_files
from grader.stubs import stale_files


def generated(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Stubs, pictures and notebook that differ from their source, and a bundle that would say too much.

    Private criteria are an instructor's own and in nothing that is generated here.
    """
    course = replace(course, private=None)
    exercise = replace(exercise, criteria=tuple(c for c in exercise.criteria if not c.private))
    try:
        for name in stale_files(course, exercise):
            yield _stale(f"exercises/{exercise.name}/{name}")
        if not notebook_is_current(course, exercise):
            yield _stale(notebook_path(course, exercise).relative_to(course.root).as_posix())
    except CourseError as error:
        yield Finding("", str(error).rstrip("."))
        return
    try:
        bundle_files(course, exercise)
    except CourseError as error:
        yield Finding("", str(error).rstrip("."))


def _stale(where: str) -> Finding:
    return Finding(where, "is not what its source makes; run 'grader build'")
