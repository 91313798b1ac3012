"""Build a template of students' repositories: the released bundle, and a workflow that runs its tests."""

from __future__ import annotations

from pathlib import Path

from grader.base.files import archive_bytes
from grader.course.model import Course, Exercise
from grader.lesson.release import bundle_files

_SOURCES = {"points.yml": ".github/workflows/points.yml", "points.py": ".github/points.py"}


def template_zip(course: Course, exercise: Exercise) -> bytes:
    """Build the archive; its tests are once more beside the workflow, where students do not change them.

    Raises:
        CourseError: A file of the exercise is missing, or the bundle would leak something.
    """
    files = bundle_files(course, exercise)
    members = {**files, **{f".github/bundle/{name}": data for name, data in files.items()}}
    for name, place in _SOURCES.items():
        members[place] = (Path(__file__).parent / name).read_bytes()
    return archive_bytes(members)
