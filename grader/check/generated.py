"""Check that generated files are current, and that the bundle tells nothing that it must hide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from grader.base.errors import CourseError
from grader.base.files import read_text
from grader.check.finding import Finding, build_call
from grader.course.model import Course, Exercise
from grader.lesson.closing import closing_bytes, closing_path
from grader.lesson.handout import HANDOUT
from grader.lesson.notebook import notebook_is_current, notebook_path
from grader.lesson.release import bundle_files
from grader.lesson.stubs import stale_files
from grader.lesson.tables import has_points


def generated(course: Course, exercise: Exercise) -> tuple[list[Finding], Mapping[str, bytes]]:
    """Find stale files, and what a bundle would tell; return the bundle's files too, if there is nothing."""
    found = list(stale(course, exercise))
    course, exercise = replace(course, private=None), exercise.public
    if (
        any(not finding.where for finding in found)
        or not (course.root / "exercises" / exercise.name / HANDOUT).is_file()
    ):
        return found, {}
    try:
        bundle = bundle_files(course, exercise)
    except CourseError as error:
        return [*found, Finding("", str(error).rstrip("."))], {}
    return found, {} if found else bundle


def stale(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Find stubs, pictures, a notebook and points that differ from their source.

    Private criteria belong to one instructor and are in no generated file.
    """
    course, exercise = replace(course, private=None), exercise.public
    try:
        where = f"exercises/{exercise.name}/{HANDOUT}"
        if (course.root / where).is_file() and not has_points(read_text(course.root / where, where)):
            text = "write the lines '<!-- BEGIN POINTS -->' and '<!-- END POINTS -->', and run 'grader build'"
            yield Finding(where, f"has no table of points; {text}")
        for name in stale_files(course, exercise):
            yield _stale(course, exercise, course.root / "exercises" / exercise.name / name)
        closing, data = closing_path(course, exercise), closing_bytes(course, exercise)
        if data is not None and (not closing.is_file() or closing.read_bytes() != data):
            yield _stale(course, exercise, closing)
        if (course.root / where).is_file() and not notebook_is_current(course, exercise):
            yield _stale(course, exercise, notebook_path(course, exercise))
    except CourseError as error:
        yield Finding("", str(error).rstrip("."))


def _stale(course: Course, exercise: Exercise, path: Path) -> Finding:
    what = "is not what its source makes" if path.is_file() else "is missing"
    return Finding(path.relative_to(course.root).as_posix(), f"{what}; run '{build_call(course, exercise)}'")
