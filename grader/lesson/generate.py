"""Generate files of a lesson from its solution, tests and course.toml, and find those that are stale."""

from collections.abc import Iterator
from pathlib import Path

from grader.base.files import FOR_ALL, read_text, write_whole
from grader.course.model import Course, Exercise
from grader.lesson.handout import HANDOUT
from grader.lesson.mistakes import mistakes_table
from grader.lesson.notebook import student_notebook
from grader.lesson.own_code import closing_bytes, closing_path, drawn_files
from grader.lesson.points import POINTS, points_bytes
from grader.lesson.stubs import parse_python, stubs_of
from grader.lesson.tables import with_tables


def generated_files(course: Course, exercise: Exercise) -> Iterator[tuple[Path, bytes]]:
    """Yield stubs, points, pictures, the text after full marks, the handout with tables, and the notebook.

    The notebook is read from the handout and the pictures on disk: write each file before you ask for more. A
    lesson without a handout has no notebook yet. Raises CourseError if a source is missing or wrong; if it is
    a solution or a picture, before the first file.
    """
    lesson, exercise = course.root / "exercises" / exercise.name, exercise.public
    stubs = stubs_of(course, exercise)
    tests = course.root / "tests" / "visible" / exercise.name
    for path in tests.glob("test_*.py"):
        parse_python(path, path.relative_to(course.root).as_posix())
    given = {path.name: path.read_bytes() for path in tests.glob("test_*.py")}
    known = points_bytes(exercise, {**stubs, **given}, mistakes_table(course, exercise))
    for name, data in {**stubs, POINTS: known, **drawn_files(course, exercise)}.items():
        yield lesson / name, data
    if closing := closing_bytes(course, exercise):
        yield closing_path(course, exercise), closing
    if (lesson / HANDOUT).is_file():
        where = f"exercises/{exercise.name}/{HANDOUT}"
        text = read_text(lesson / HANDOUT, where)
        yield lesson / HANDOUT, with_tables(text, where, exercise, stubs).encode()
        yield lesson / exercise.notebook, student_notebook(course, exercise)


def stale_files(course: Course, exercise: Exercise) -> Iterator[Path]:
    """Find the generated files that are missing or differ from their source."""
    return (path for path, data in generated_files(course, exercise) if is_stale(path, data))


def build(course: Course, exercise: Exercise) -> list[Path]:
    """Write the generated files that are stale, each whole or not at all, and return their paths.

    Raises CourseError if a source is missing or wrong; nothing is written if that is a solution or a picture.
    """
    return [path for path, data in generated_files(course, exercise) if write_if_stale(path, data)]


def write_if_stale(path: Path, data: bytes) -> bool:
    """Write a file for everyone who has the repository, unless it is there; return whether it was written."""
    if is_stale(path, data):
        write_whole(path, data, mode=FOR_ALL)
        return True
    return False


def is_stale(path: Path, data: bytes) -> bool:
    """True if the file is missing or holds something else."""
    return not path.is_file() or path.read_bytes() != data
