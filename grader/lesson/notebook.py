"""Make the notebook edition of an exercise from the same solution, handout and tests as the ``.py`` files.

The instructor's notebook is what nbgrader calls a source: from it ``nbgrader generate_assignment`` makes,
byte for byte, the students' notebook that is committed in ``exercises/``. An answer cell has its task's name
as ``grade_id``, a cell of tests its criterion's id.

In a test file ``import lab`` names the exercise's module; in a notebook the answers stand beside the
tests. The first code cell, ``setup_cell.py``, gives the notebook an object of that name, and ``check``, which
runs the tests of a class one after the other, as pytest would.
"""

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from grader.base.errors import CourseError
from grader.base.files import read_text
from grader.course.model import Course, Criterion, Exercise, Task, test_file
from grader.lesson.format import NotebookCell, notebook_bytes
from grader.lesson.handout import HANDOUT, is_picture, picture_address
from grader.lesson.points import read_todos
from grader.lesson.stubs import parse_python, regions, stub_text, without_regions
from grader.lesson.tables import without_marks

SUMMARY = "kit/lesson_summary.py"
"""A lesson's own lines below the points in its notebook, which ``lesson_summary(answers)`` yields."""

_HIDDEN = "HIDDEN TESTS"
_SETUP_CELL = Path(__file__).with_name("setup_cell.py")
_PICTURE = re.compile(r"(!\[[^\]]*\]\()(?P<name>[A-Za-z0-9_.-]+)(?=[)\s])")
_Suite = tuple[str, Mapping[str, str]]
"""Of a file of tests: the code beside the criteria's classes (imports, helpers), and the classes by name."""
NOT_HERE = "<!-- NOT IN THE NOTEBOOK -->"
"""What a section of the handout says that is about files and terminals."""

_IN_A_NOTEBOOK = """\
## In this notebook

Where the text names {files}, the cells further down are meant. Run the first code cell once. Then write each
answer in the cell under its heading and run it with Shift+Enter, and after it the cells of tests that follow:
they are locked, and each says what it is worth. Hidden tests are not in here: they run when you are graded.

The tests need pytest. If it is missing, run `%pip install pytest` in a cell of its own.

Save the notebook and hand it in under its own name."""


def student_notebook(course: Course, exercise: Exercise) -> bytes:
    """Make the notebook that a student starts from, as ``nbgrader generate_assignment`` would."""
    return notebook_bytes(student_cells(course, exercise), released=True)


def student_cells(course: Course, exercise: Exercise) -> list[NotebookCell]:
    """Make the students' cells, without solutions and hidden tests."""
    cells = without_solutions(instructor_cells(course, exercise))
    return [_without(cell, _HIDDEN) if cell.kind == "tests" else cell for cell in cells]


def without_solutions(cells: Iterable[NotebookCell]) -> list[NotebookCell]:
    """Put stubs in place of the answers in the instructor's cells; all tests stay."""
    return [_without(cell, "SOLUTION", [""]) if cell.kind == "answer" else cell for cell in cells]


def _without(cell: NotebookCell, what: str, put: Iterable[str] = ()) -> NotebookCell:
    return replace(cell, source=without_regions(cell.source, f"the cell {cell.id}", what, put))


def instructor_cells(course: Course, exercise: Exercise) -> list[NotebookCell]:
    """Make the instructor's cells: the handout, then each file's tasks, each with its tests."""
    names = " = ".join(file.removesuffix(".py") for file in exercise.files)
    rows: dict[str, tuple[str, int, str, str, str]] = {}
    predictions = dict(rows)
    paths = sorted(course.root.glob(f"tests/*/{exercise.name}/test_*.py"))
    texts = [read_text(path, path.relative_to(course.root).as_posix()) for path in paths]
    read = set(re.findall(r"\w+", "\n".join(texts)))
    for task in exercise.tasks:
        noun = "answer" if task.of_constants else task.name
        tested = [one for one in exercise.criteria_of(task.name) if one.visibility == "visible"]
        rows |= {one.tests: (task.label, one.points, one.sentence, one.hint, noun) for one in tested}
        if task.of_constants:
            where = f"solutions/{exercise.name}/{task.file}"
            stub = stub_text(read_text(course.root / where, where), where)
            for todo in read_todos(exercise, task.file, stub):
                if not tested or todo["name"] not in read:
                    # No test reads a prediction: all that is seen of it is whether it is made.
                    predictions[todo["name"]] = f"TODO {todo['number']}", 0, "", "", noun
    setup = _SETUP_CELL.read_text(encoding="utf-8").strip()
    own = course.root / "exercises" / exercise.name / SUMMARY
    setup += f"\n\n\n{read_text(own, SUMMARY).strip()}\n\n" if own.is_file() else ""
    known = "".join(f"    {name!r}: {row!r},\n" for name, row in {**predictions, **rows}.items())
    setup += f"\n_criteria = {{\n{known}}}\n{names} = Answers()"
    cells = [*_handout(course, exercise), NotebookCell("setup", "shown", setup, folded=True)]
    for file in exercise.files:
        cells += _file_cells(course, exercise, file)
    cells.append(NotebookCell("text-summary", "text", "## How far you are"))
    cells.append(NotebookCell("summary", "shown", "summary()"))
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
    """Make a cell of each section of the handout, its pictures inside, and one on how to use a notebook.

    A section that says so is about the files, and is left out. Pictures become addresses, because JupyterLab
    shows no SVG that is an attachment.
    """
    where = f"exercises/{exercise.name}/{HANDOUT}"
    path = course.root / where

    def embedded(found: re.Match[str]) -> str:
        name = found["name"]
        if not is_picture(name):
            return found[0]
        try:
            return f"{found[1]}{picture_address(name, path.with_name(name).read_bytes())}"
        except OSError as error:
            raise CourseError(f"{where}: the picture {name} cannot be read: {error.strerror}.") from None

    text = read_text(path, where) if path.is_file() else f"# {exercise.title}\n"
    for number, section in enumerate(re.split(r"\n(?=## )", text), start=1):
        if NOT_HERE not in section:
            yield NotebookCell(
                f"text-{number}", "text", _PICTURE.sub(embedded, without_marks(section).strip())
            )
    files = " and ".join(f"`{name}`" for name in exercise.files)
    yield NotebookCell("text-notebook", "text", _IN_A_NOTEBOOK.format(files=files))


def _file_cells(course: Course, exercise: Exercise, file: str) -> Iterator[NotebookCell]:
    """Make the cells of one file: its docstring, its given code, and its tasks with all their tests."""
    where = f"solutions/{exercise.name}/{file}"
    source, tree = parse_python(course.root / where, where)
    stub_text(source, where)  # marks that are wrong are named with their line in the file
    stem = file.removesuffix(".py")
    suites = _suites(course, exercise, file)
    yield NotebookCell(f"about-{stem}", "text", ast.get_docstring(tree) or f"## {file}")
    if functions := exercise.functions[file]:  # the cell of a task of constants has the whole file
        for begun, _ in regions(source.splitlines(), where):
            if source.splitlines()[begun - 1].startswith("#"):
                raise CourseError(
                    f"{where}:{begun}: students write constants and functions in one file; "
                    "give the constants a file of their own."
                )
        given = "\n".join(
            segment(source, statement)
            for statement in tree.body[1 if ast.get_docstring(tree) else 0 :]
            if getattr(statement, "name", "") not in functions
        )
        if given:
            yield NotebookCell(f"given-{stem}", "shown", given)
    criteria = [one for one in exercise.criteria if one.id in suites]
    visible = {suites[one.id][0] for one in criteria if one.visibility == "visible"}
    for beside in visible - {""}:  # one at most: a file has one file of visible tests
        yield NotebookCell(f"tests-{stem}", "shown", beside)
    for task in (task for task in exercise.tasks if task.file == file):
        yield NotebookCell(f"task-{task.name}", "text", f"### {task.title}")
        yield NotebookCell(task.name, "answer", _answer(source, tree, task, where))
        for criterion in exercise.criteria_of(task.name):
            tests = _tests_source(criterion, suites[criterion.id])
            yield NotebookCell(criterion.id, "tests", tests, criterion.points)


def _answer(source: str, tree: ast.Module, task: Task, where: str) -> str:
    """Make the answer cell of one task: its function, or (constants) its whole file after the docstring."""
    if task.of_constants:
        start = (tree.body[0].end_lineno or 0) if ast.get_docstring(tree) else 0
        return _for_nbgrader("\n".join(source.split("\n")[start:]).strip("\n"), where)
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == task.name:
            return _for_nbgrader(segment(source, statement), where)
    raise CourseError(f"{where}: there is no function {task.name}, which course.toml names as a task.")


def _for_nbgrader(source: str, where: str) -> str:
    """Add the stub's lines outside the regions, which nbgrader removes, so that both make the same stub.

    For a constant the stub's line stands above its solution; for a function below it, where it never runs.
    """
    lines = source.split("\n")
    kept: list[str] = []
    taken = 0
    for begun, ended in regions(lines, where):
        region = lines[begun - 1 : ended]
        kept += lines[taken : begun - 1]
        taken = ended
        todo = kept.pop() if region[0][0].isspace() else ""
        stub = stub_text("\n".join([todo, *region] if todo else region), where).rstrip("\n")
        kept += [*region, stub] if todo else [stub, *region]
    return "\n".join([*kept, *lines[taken:]])


def _suites(course: Course, exercise: Exercise, file: str) -> Mapping[str, _Suite]:
    """Read the test file of each criterion of a file's tasks, by the criterion's id."""
    modules = {name.removesuffix(".py") for name in exercise.files}
    wanted: dict[Path, list[Criterion]] = {}
    for one in exercise.criteria:
        if exercise.task(one.task).file == file:
            wanted.setdefault(test_file(course, exercise, one), []).append(one)
    suites = {}
    for path, criteria in wanted.items():
        where = f"tests/{criteria[0].visibility}/{exercise.name}/{path.name}"
        suite = _read_suite(path, where, {one.tests for one in criteria}, modules)
        suites.update(dict.fromkeys((one.id for one in criteria), suite))
    return suites


def _read_suite(path: Path, where: str, wanted: set[str], modules: set[str]) -> _Suite:
    """Split a test file into the wanted classes and the code beside them, without the exercise's imports.

    Names imported out of the exercise are refused: they would be bound before there is a submission.
    """
    text, tree = parse_python(path, where)
    beside: list[str] = []
    classes: dict[str, str] = {}
    for statement in tree.body:
        source = segment(text, statement)
        if isinstance(statement, ast.ClassDef) and statement.name in wanted:
            classes[statement.name] = source
        elif isinstance(statement, ast.ImportFrom) and statement.module in modules:
            raise CourseError(
                f"{where}:{statement.lineno}: names are imported out of {statement.module}; "
                f"write 'import {statement.module}' and call {statement.module}.NAME."
            )
        elif isinstance(statement, ast.Import):
            kept = [alias for alias in statement.names if alias.name not in modules]
            beside += [ast.unparse(ast.Import(kept))] if kept else []
        elif isinstance(statement, ast.If) and ast.unparse(statement.test) == "__name__ == '__main__'":
            continue  # in a notebook this would run
        elif isinstance(statement, ast.FunctionDef) and statement.name == "load_tests":
            continue  # it tells users of unittest how to run the file
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            spaced = isinstance(statement, ast.FunctionDef | ast.ClassDef)
            beside.append(f"\n\n{textwrap.dedent(source)}" if spaced else textwrap.dedent(source))
    if missing := wanted - set(classes):
        raise CourseError(f"{where}: the class {min(missing)} is missing; a criterion names it.")
    return "\n".join(beside).strip("\n"), classes


def _tests_source(criterion: Criterion, suite: _Suite) -> str:
    """Make the locked cell of one criterion, as it stands in the instructor's notebook."""
    beside, classes = suite
    unit = "point" if criterion.points == 1 else "points"
    head = f"# {criterion.points} {unit}: your work {criterion.sentence}."
    body = f"{classes[criterion.tests]}\n\n\ncheck({criterion.tests})"
    if criterion.visibility == "visible":
        return f"{head}\n{body}"
    beside += "\n\n\n" if beside else ""
    return (
        f"{head}\n# The tests of this cell are hidden: they run when your work is graded.\n"
        f"### BEGIN {_HIDDEN}\n{beside}{body}\n### END {_HIDDEN}"
    )


def segment(text: str, statement: ast.stmt) -> str:
    """Cut out the lines of a top-level statement: from its decorators to the last indented comment below."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    lines = text.split("\n")
    last = statement.end_lineno or first
    while last < len(lines) and (not lines[last].strip() or lines[last][0].isspace()):
        last += 1
    return "\n".join(lines[first - 1 : last]).rstrip()
