"""Is every file of an exercise there, and does every file there belong to an exercise?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.check.finding import Finding
from grader.course.model import Course, Exercise, test_file
from grader.lesson.handout import HANDOUT

PLACES = ("exercises", "solutions", "tests/visible", "tests/hidden")
MISCONCEPTIONS = "misconceptions.py"


def missing_files(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """What a lesson's folders lack."""
    solutions, lesson = Path("solutions", exercise.name), Path("exercises", exercise.name)
    wanted = {solutions / name: "is missing; write the reference solution" for name in exercise.files}
    wanted[solutions / MISCONCEPTIONS] = "is missing; write wrong versions that the tests must not accept"
    wanted |= {
        lesson / name: "is missing; 'grader build' makes it of the solution" for name in exercise.files
    }
    wanted[lesson / HANDOUT] = "is missing; write the handout"
    for path, text in wanted.items():
        if not (course.root / path).is_file():
            yield Finding(path.as_posix(), text)
    for path in dict.fromkeys(test_file(course, exercise, criterion) for criterion in exercise.criteria):
        if not path.is_file():
            classes = ", ".join(c.tests for c in exercise.criteria if test_file(course, exercise, c) == path)
            yield Finding(shown(course, path), f"is missing; there are points for its {classes}")


def strays(course: Course) -> Iterator[Finding]:
    """Folders of lessons that course.toml does not know: nobody would notice that they count for nothing."""
    for place in PLACES:
        for folder in sorted((course.root / place).glob("*/")):
            if folder.name not in course.exercises and not folder.name.startswith(("_", ".")):
                yield Finding(
                    f"{place}/{folder.name}",
                    f"belongs to no exercise; add a section [exercise.{folder.name}] to course.toml "
                    "or remove the folder",
                )


def stray_tests(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Test files that no criterion names: they would never run."""
    known = {test_file(course, exercise, criterion) for criterion in exercise.criteria}
    places = [course.root / "tests/visible", course.root / "tests/hidden"]
    places += [course.private / "tests/hidden"] if course.private else []
    for place in places:
        for path in sorted((place / exercise.name).rglob("*.py")):
            if path not in known:
                names = " or ".join(f"test_{file}" for file in exercise.files)
                right = "" if path.name in names.split(" or ") else f"name it {names} and "
                yield Finding(
                    shown(course, path), f"is never run; {right}give its classes points, or remove it"
                )


def shown(course: Course, path: Path) -> str:
    """A path as it is shown: below the course's folder, or with the private folder's name before it."""
    if path.is_relative_to(course.root):
        return path.relative_to(course.root).as_posix()
    if course.private and path.is_relative_to(course.private):
        return path.relative_to(course.private.parent).as_posix()
    return path.as_posix()
