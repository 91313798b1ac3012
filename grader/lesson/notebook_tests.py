"""A file of tests -> cells of a notebook that run the same classes on the functions of the notebook.

In a test file, ``import reservation`` names the exercise's module; in a notebook the answers stand beside the
tests. One read-only cell gives the notebook an object of that name, and ``check``, which runs the tests of a
class one after the other, as pytest would.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.base.errors import CourseError
from grader.base.files import read_text
from grader.course.model import Course, Criterion, Exercise, test_file

BEGIN_HIDDEN = "### BEGIN HIDDEN TESTS"
END_HIDDEN = "### END HIDDEN TESTS"

_SETUP = '''
"""Run this cell first. The tests below find your answers with it."""


class Answers:
    """What this notebook defines, under the names that the tests use."""

    def __getattr__(self, name):
        if name not in globals():
            raise AttributeError(f"this notebook has no {name}: run the cell that defines it")
        answer = globals()[name]
        return _noted(name, answer) if callable(answer) else answer


def _noted(name, function):
    def call(*args, **kwargs):
        words = [*map(repr, args), *(f"{key}={value!r}" for key, value in kwargs.items())]
        _last_call[0] = f"{name}({', '.join(words)})"
        answer = function(*args, **kwargs)
        _last_call[0] += f" returned {answer!r}"
        return answer

    return call


def _cases(test):
    cases = [{}]
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names, rows = mark.args
            names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            rows = [getattr(row, "values", row) for row in rows]
            rows = [[row] if len(names) == 1 and not isinstance(row, tuple) else row for row in rows]
            cases = [case | dict(zip(names, row)) for case in cases for row in rows]
    return cases


def check(tests):
    """Run the tests of one class; the first that fails ends it and shows why."""
    count = 0
    for name, test in list(vars(tests).items()):
        for case in _cases(test) if name.startswith("test") else []:
            _last_call[0] = ""
            try:
                test(tests(), **case)
            except BaseException:
                if _last_call[0]:
                    print(_last_call[0])
                raise
            count += 1
    print(f"{tests.__name__}: all {count} tests pass.")


_last_call = [""]
'''


@dataclass(frozen=True)
class SuiteFile:
    """One file of tests: the criteria's classes by name, and what stands beside them (imports, helpers)."""

    prelude: str
    classes: Mapping[str, str]


def setup_source(exercise: Exercise) -> str:
    """The read-only cell that makes the tests' names known."""
    names = " = ".join(file.removesuffix(".py") for file in exercise.files)
    return f"{_SETUP.strip()}\n{names} = Answers()"


def read_suites(course: Course, exercise: Exercise, file: str) -> Mapping[str, SuiteFile]:
    """For each criterion of a file's tasks, by its id, the tests of which its class is one.

    Raises:
        CourseError: A test file is missing, is not Python, lacks a criterion's class, or imports names out of
            the exercise (which would bind them before there is a submission).
    """
    criteria = [one for one in exercise.criteria if exercise.task(one.task).file == file]
    places = {criterion.id: test_file(course, exercise, criterion) for criterion in criteria}
    suites: dict[Path, SuiteFile] = {}
    for criterion in criteria:
        place = places[criterion.id]
        if place not in suites:
            wanted = {one.tests for one in criteria if places[one.id] == place}
            where = f"tests/{criterion.visibility}/{exercise.name}/{place.name}"
            suites[place] = _read(place, where, wanted, {name.removesuffix(".py") for name in exercise.files})
    return {one: suites[place] for one, place in places.items()}


def _read(path: Path, where: str, wanted: set[str], modules: set[str]) -> SuiteFile:
    try:
        text = read_text(path, where)
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise CourseError(f"{where} is not a Python file: {error}.") from None
    beside: list[str] = []
    classes: dict[str, str] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name in wanted:
            classes[statement.name] = segment(text, statement)
        elif source := _beside(text, statement, modules, where):
            beside.append(source)
    if missing := wanted - set(classes):
        raise CourseError(f"{where}: the class {min(missing)} is missing; a criterion names it.")
    return SuiteFile("\n".join(beside).strip("\n"), classes)


def tests_source(criterion: Criterion, tests: SuiteFile) -> str:
    """The locked cell of one criterion, as it stands in the instructor's notebook."""
    unit = "point" if criterion.points == 1 else "points"
    head = f"# {criterion.points} {unit}: your work {criterion.sentence}."
    body = f"{tests.classes[criterion.tests]}\n\n\ncheck({criterion.tests})"
    if criterion.visibility == "visible":
        return f"{head}\n{body}"
    prelude = f"{tests.prelude}\n\n\n" if tests.prelude else ""
    return (
        f"{head}\n# The tests of this cell are hidden: they run when your work is graded.\n"
        f"{BEGIN_HIDDEN}\n{prelude}{body}\n{END_HIDDEN}"
    )


def without_regions(source: str, begin: str, end: str, put: Iterable[str] = ()) -> str:
    """``source`` with the regions from a ``begin`` line to an ``end`` line left out, as nbgrader does it.

    Each line of ``put`` stands in place of a region, indented like its first line.

    Raises:
        CourseError: A region begins inside another, or never ends.
    """
    kept: list[str] = []
    inside = False
    for line in source.split("\n"):
        if begin in line:
            if inside:
                raise CourseError(f"{line.strip()!r} stands inside another such region; end that first.")
            inside = True
            indent = line[: len(line) - len(line.lstrip())]
            kept += [indent + text for text in put]
        elif end in line:
            inside = False
        elif not inside:
            kept.append(line)
    if inside:
        raise CourseError(f"A region that begins with {begin!r} never ends; write {end!r} below it.")
    return "\n".join(kept)


def segment(text: str, statement: ast.stmt) -> str:
    """The lines of a top-level statement: from its decorators to the last indented comment below it."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    lines = text.split("\n")
    last = statement.end_lineno or first
    while last < len(lines) and (not lines[last].strip() or lines[last][0].isspace()):
        last += 1
    return "\n".join(lines[first - 1 : last]).rstrip()


def _beside(text: str, statement: ast.stmt, modules: set[str], where: str) -> str:
    """What a statement beside the classes becomes in the notebook; nothing for the docstring."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return ""
    if isinstance(statement, ast.ImportFrom) and statement.module in modules:
        raise CourseError(
            f"{where}:{statement.lineno}: names are imported out of {statement.module}; "
            f"write 'import {statement.module}' and call {statement.module}.NAME."
        )
    if isinstance(statement, ast.Import):
        kept = [alias for alias in statement.names if alias.name not in modules]
        return ast.unparse(ast.Import(kept)) if kept else ""
    source = textwrap.dedent(segment(text, statement))
    spaced = isinstance(statement, ast.FunctionDef | ast.ClassDef)
    return f"\n\n{source}" if spaced else source
