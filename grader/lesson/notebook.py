"""The notebook edition of an exercise, made from the same solution, handout and tests as the ``.py`` files.

The instructor's notebook is what nbgrader calls a source: ``nbgrader generate_assignment`` makes of it, byte
for byte, the students' one that is committed in ``exercises/``. An answer cell has its task's name as
``grade_id``, a cell of tests its criterion's.
"""

from __future__ import annotations

import ast
import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from grader.base.errors import CourseError
from grader.base.files import read_text, write_whole
from grader.course.model import Course, Exercise, Task
from grader.lesson.format import NotebookCell, notebook_bytes
from grader.lesson.handout import HANDOUT
from grader.lesson.notebook_tests import (
    BEGIN_HIDDEN,
    END_HIDDEN,
    SuiteFile,
    read_suites,
    segment,
    setup_source,
    tests_source,
    without_regions,
)
from grader.lesson.stubs import BEGIN, END, stub_text

_MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "gif": "image/gif"}
_PICTURE = re.compile(r"(!\[[^\]]*\]\()(?P<name>[A-Za-z0-9_.-]+\.(?P<ending>svg|png|jpg|gif))(?=[)\s])")
_TERMINAL = re.compile(r"^```", re.MULTILINE)
_IN_A_NOTEBOOK = """\
## In this notebook

Where the text names {files}, the cells further down are meant. Run the first code cell once. Then write each
answer in the cell under its heading and run it with Shift+Enter, and after it the cells of tests that follow:
they are locked, and each says what it is worth. Hidden tests are not in here: they run when you are graded.

The tests need pytest. If it is missing, run `%pip install pytest` in a cell of its own.

Save the notebook and hand it in under its own name."""


def student_notebook(course: Course, exercise: Exercise) -> bytes:
    """What a student starts from: the same bytes that ``nbgrader generate_assignment`` makes of the source.

    Raises:
        CourseError: A source, a test file or a picture is missing or wrong.
    """
    return notebook_bytes(student_cells(course, exercise), released=True)


def notebook_path(course: Course, exercise: Exercise) -> Path:
    """Where the students' notebook is kept."""
    return course.root / "exercises" / exercise.name / exercise.notebook


def notebook_is_current(course: Course, exercise: Exercise) -> bool:
    """Whether the kept notebook is what its sources make today.

    Raises:
        CourseError: A source, a test file or a picture is missing or wrong.
    """
    path = notebook_path(course, exercise)
    return path.is_file() and path.read_bytes() == student_notebook(course, exercise)


def write_notebook(course: Course, exercise: Exercise) -> Path:
    """Write the students' notebook into ``exercises/``, whole or not at all; where it is.

    Raises:
        CourseError: A source, a test file or a picture is missing or wrong; nothing is written then.
        GraderError: The file could not be written.
    """
    path = notebook_path(course, exercise)
    write_whole(path, student_notebook(course, exercise))
    path.chmod(0o644)  # unlike results, this is for everyone
    return path


def student_cells(course: Course, exercise: Exercise) -> list[NotebookCell]:
    """The students' cells: no solution, no hidden test.

    Raises:
        CourseError: A source, a test file or a picture is missing or wrong.
    """
    return [
        replace(cell, source=without_regions(cell.source, BEGIN_HIDDEN, END_HIDDEN))
        if cell.kind == "tests"
        else cell
        for cell in without_solutions(instructor_cells(course, exercise))
    ]


def without_solutions(cells: Iterable[NotebookCell]) -> list[NotebookCell]:
    """The instructor's cells with stubs for answers, and with all tests.

    Raises:
        CourseError: The marks of a solution do not pair up.
    """
    return [
        replace(cell, source=without_regions(cell.source, BEGIN, END, put=[""]))
        if cell.kind == "answer"
        else cell
        for cell in cells
    ]


def instructor_cells(course: Course, exercise: Exercise) -> list[NotebookCell]:
    """The instructor's cells in their order: the handout, then each file's tasks, each with its tests.

    Raises:
        CourseError: A source, a test file or a picture is missing or wrong, or two cells have one name.
    """
    cells = [*_handout(course, exercise), NotebookCell("setup", "shown", setup_source(exercise), folded=True)]
    for file in exercise.files:
        cells += _file_cells(course, exercise, file)
    seen: set[str] = set()
    for cell in cells:
        if cell.id in seen:
            raise CourseError(
                f"course.toml: exercise.{exercise.name}: {cell.id!r} would name two cells of the notebook; "
                "give the task or the criterion another name."
            )
        seen.add(cell.id)
    return cells


def _handout(course: Course, exercise: Exercise) -> Iterator[NotebookCell]:
    """The handout's text, one cell a section, its pictures inside; then how to work in a notebook.

    A section with commands for a terminal is about the files, and is left out.
    """
    folder = course.root / "exercises" / exercise.name
    path = folder / HANDOUT
    text = (
        read_text(path, f"exercises/{exercise.name}/{HANDOUT}") if path.is_file() else f"# {exercise.title}\n"
    )
    for number, section in enumerate(re.split(r"\n(?=## )", text), start=1):
        if _TERMINAL.search(section):
            continue
        yield NotebookCell(f"text-{number}", "text", _with_pictures(section.strip(), path))
    files = " and ".join(f"`{name}`" for name in exercise.files)
    yield NotebookCell("text-notebook", "text", _IN_A_NOTEBOOK.format(files=files))


def _with_pictures(text: str, handout: Path) -> str:
    """The text with its pictures inside, as addresses: JupyterLab shows no SVG that is an attachment."""

    def inside(found: re.Match[str]) -> str:
        name = found["name"]
        try:
            data = base64.b64encode((handout.parent / name).read_bytes()).decode("ascii")
        except OSError as error:
            where = f"exercises/{handout.parent.name}/{handout.name}"
            raise CourseError(f"{where}: the picture {name} cannot be read: {error.strerror}.") from None
        return f"{found[1]}data:{_MEDIA_TYPES[found['ending']]};base64,{data}"

    return _PICTURE.sub(inside, text)


def _file_cells(course: Course, exercise: Exercise, file: str) -> Iterator[NotebookCell]:
    """The cells of one file: what it says of itself, its tasks with their visible and hidden tests."""
    where = f"solutions/{exercise.name}/{file}"
    try:
        source = read_text(course.root / where, where)
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise CourseError(f"{where} is not a Python file: {error}.") from None
    stem = file.removesuffix(".py")
    suites = read_suites(course, exercise, file)
    yield NotebookCell(f"about-{stem}", "text", ast.get_docstring(tree) or f"## {file}")
    if beside := _beside(source, tree, exercise.functions[file]):
        yield NotebookCell(f"given-{stem}", "shown", beside)
    visible = {
        suites[one.id].prelude
        for one in exercise.criteria
        if one.id in suites and one.visibility == "visible"
    }
    for prelude in visible - {""}:  # one at most: a file has one file of visible tests
        yield NotebookCell(f"tests-{stem}", "shown", prelude)
    for task in exercise.tasks:
        if task.file == file:
            yield from _task_cells(exercise, task, _answer(source, tree, task, where), suites)


def _task_cells(
    exercise: Exercise, task: Task, answer: str, suites: Mapping[str, SuiteFile]
) -> Iterator[NotebookCell]:
    yield NotebookCell(f"task-{task.name}", "text", f"### {task.title}")
    yield NotebookCell(task.name, "answer", answer)
    for criterion in exercise.criteria_of(task.name):
        source = tests_source(criterion, suites[criterion.id])
        yield NotebookCell(criterion.id, "tests", source, criterion.points)


def _beside(source: str, tree: ast.Module, functions: tuple[str, ...]) -> str:
    """What a file of functions has beside them: imports and helpers that are given to the students."""
    if not functions:
        return ""
    return "\n".join(
        segment(source, statement)
        for statement in tree.body[1 if ast.get_docstring(tree) else 0 :]
        if getattr(statement, "name", "") not in functions
    )


def _answer(source: str, tree: ast.Module, task: Task, where: str) -> str:
    """The answer cell of one task: its function, or (constants) its whole file after the docstring."""
    if task.of_constants:
        start = (tree.body[0].end_lineno or 0) if ast.get_docstring(tree) else 0
        return _for_nbgrader("\n".join(source.split("\n")[start:]).strip("\n"), where)
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == task.name:
            return _for_nbgrader(segment(source, statement), where)
    raise CourseError(f"{where}: there is no function {task.name}, which course.toml names as a task.")


def _for_nbgrader(source: str, where: str) -> str:
    """Keep what the stub shows outside the region that nbgrader takes out, so that both make the same stub.

    Of a constant the stub's line stands above its solution, of a function below it, never reached.
    """
    lines: list[str] = []
    region: list[str] = []
    for line in source.split("\n"):
        if not region and line.strip() != BEGIN:
            lines.append(line)
            continue
        region.append(line)
        if line.strip() == END:
            if region[0].startswith(BEGIN):
                lines += [*stub_text("\n".join(region), where).rstrip("\n").split("\n"), *region]
            else:
                todo = lines.pop()
                lines += [*region, stub_text("\n".join([todo, *region]), where).rstrip("\n")]
            region = []
    return "\n".join([*lines, *region])
