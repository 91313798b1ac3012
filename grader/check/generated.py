"""Check that generated files are current, and that the bundle tells nothing that it must hide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from grader.base.errors import CourseError
from grader.base.files import read_text
from grader.check.finding import Finding, build_call
from grader.course.model import Course, Exercise
from grader.lesson.generate import stale_files
from grader.lesson.handout import HANDOUT
from grader.lesson.release import bundle_files
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
        for path in stale_files(course, exercise):
            what = "is not what its source makes" if path.is_file() else "is missing"
            text = f"{what}; run '{build_call(course, exercise)}'"
            yield Finding(path.relative_to(course.root).as_posix(), text)
    except CourseError as error:
        yield Finding("", str(error).rstrip("."))
