"""Is everything there that an exercise needs, and nothing else: files, sentences, TODO numbers?"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from grader.base.errors import CourseError
from grader.base.files import read_text
from grader.check.finding import Finding, at_key
from grader.course.model import Course, Exercise, test_file
from grader.lesson.handout import HANDOUT
from grader.lesson.new import NOT_WRITTEN
from grader.lesson.stubs import parse_python

PLACES = ("exercises", "solutions", "tests/visible", "tests/hidden")
MISCONCEPTIONS = "misconceptions.py"
MOST_WORDS = 45  # words that a hint may have

_TODO = re.compile(r"#\s*TODO (\d+)\b")
_TODO_IN_TITLE = re.compile(r"\bTODO (\d+)(?: to (\d+))?")


def missing_files(
    course: Course, exercise: Exercise, *, quick: bool = False
) -> Iterator[tuple[bool, Finding]]:
    """Find files that a lesson lacks, and whether tests need them; a ``quick`` check needs no stubs."""
    solutions, lesson = Path("solutions", exercise.name), Path("exercises", exercise.name)
    wanted = {solutions / name: (True, "is missing; write the reference solution") for name in exercise.files}
    wrong = "is missing; write wrong versions that the tests must not accept"
    wanted[solutions / MISCONCEPTIONS] = False, wrong
    stub = True, "is missing; 'grader build' makes it from the solution"
    wanted |= dict.fromkeys(() if quick else (lesson / name for name in exercise.files), stub)
    wanted[lesson / HANDOUT] = False, "is missing; write the handout"
    for path, (needed, text) in wanted.items():
        if not (course.root / path).is_file():
            yield needed, Finding(path.as_posix(), text)
    for path in dict.fromkeys(test_file(course, exercise, criterion) for criterion in exercise.criteria):
        if not path.is_file():
            classes = ", ".join(c.tests for c in exercise.criteria if test_file(course, exercise, c) == path)
            yield True, Finding(shown(course, path), f"is missing; there are points for its {classes}")


def syntax_findings(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Find Python files of the lesson that Python cannot read, each with the line."""
    places = [course.root / place for place in PLACES]
    places += [course.private / "tests/hidden"] if course.private else []
    for path in (path for place in places for path in sorted((place / exercise.name).rglob("*.py"))):
        try:
            parse_python(path, shown(course, path))
        except CourseError as error:
            yield Finding.of(error)


def stray_folders(course: Course) -> Iterator[Finding]:
    """Find folders of lessons that course.toml does not know: their tests would never count."""
    for place in PLACES:
        for folder in sorted((course.root / place).glob("*/")):
            known = {*course.exercises, *course.broken}
            if folder.name not in known and not folder.name.startswith(("_", ".")):
                yield Finding(
                    f"{place}/{folder.name}",
                    f"belongs to no exercise; add a section [exercise.{folder.name}] to course.toml "
                    "or remove the folder",
                )


def stray_tests(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Find test files that no criterion names: they would never run."""
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


def handout_findings(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Find what a handout lacks before it is released: own text, the lesson's title, the files to hand in."""
    where = f"exercises/{exercise.name}/{HANDOUT}"
    path = course.root / where
    if exercise.draft or not path.is_file():
        return
    text = read_text(path, where)
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(NOT_WRITTEN):
            yield Finding(f"{where}:{number}", "is not written yet; write the text in place of this line")
    title = text.partition("\n")[0].removeprefix("# ").strip()
    if title != exercise.title:
        yield Finding(f"{where}:1", f"says {title!r}, and course.toml {exercise.title!r}; write one title")
    for file in exercise.files:
        if file not in text:
            yield Finding(where, f"does not name {file}, which students hand in; name it")


def sentence_findings(exercise: Exercise) -> Iterator[Finding]:
    """Find criteria with an empty or too long text, or with a class name that another criterion has too."""
    named: dict[str, str] = {}
    for criterion in exercise.criteria:
        key = f"criterion.{criterion.id}"
        for field, text in (("sentence", criterion.sentence), ("hint", criterion.hint)):
            if not re.search(r"\w", text):
                yield at_key(exercise, f"{key}.{field}", "says nothing; write it for the student")
        if (count := len(criterion.hint.split())) > MOST_WORDS:
            yield at_key(exercise, f"{key}.hint", f"has {count} words; say it in {MOST_WORDS}")
        if criterion.tests in named:
            text = f"{named[criterion.tests]!r} has a class {criterion.tests} too; name one of them otherwise"
            yield at_key(exercise, f"{key}.tests", text)
        named.setdefault(criterion.tests, criterion.id)


def todo_findings(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Find tasks that the solution lacks or does not number, and TODO numbers that are not 1, 2, 3, ..."""
    expected = 1
    for file in exercise.files:
        where = f"solutions/{exercise.name}/{file}"
        source, tree = parse_python(course.root / where, where)
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        lines = enumerate(source.splitlines(), start=1)
        numbers = {line: int(found[1]) for line, text in lines if (found := _TODO.search(text))}
        for line, number in numbers.items():
            if number != expected:
                text = f"TODO {number} follows TODO {expected - 1}; number them 1, 2, 3, ..."
                yield Finding(f"{where}:{line}", text)
            expected = number + 1
        for task in (task for task in exercise.tasks if task.file == file):
            key, name = f"task.{task.name}", task.name
            first, last = 1, max(numbers, default=1)
            if not task.of_constants:
                if name not in functions:
                    text = f"{where} has no function {name}; write it or remove the task"
                    yield at_key(exercise, key, text)
                    continue
                first, last = functions[name].lineno, functions[name].end_lineno or 0
            mine = [number for line, number in numbers.items() if first <= line <= last]
            if not mine:
                text = f"{name} has no TODO; write '# TODO n: what to do' above its solution"
                yield Finding(f"{where}:{first}", text)
                continue
            said = _TODO_IN_TITLE.search(task.title)
            if said and (int(said[1]), int(said[2] or said[1])) != (mine[0], mine[-1]):
                text = f"says {said[0]}, and {where} numbers it TODO {mine[0]}"
                text += f" to {mine[-1]}" if len(mine) > 1 else ""
                yield at_key(exercise, f"{key}.title", text)


def shown(course: Course, path: Path) -> str:
    """Return a path for a message: below the course's folder, or with the private folder's name first."""
    if path.is_relative_to(course.root):
        return path.relative_to(course.root).as_posix()
    if course.private and path.is_relative_to(course.private):
        return path.relative_to(course.private.parent).as_posix()
    return path.as_posix()
