"""Generate the handout's tables between marks: its points, its TODOs, and the ideas of its hidden tests.

``<!-- BEGIN POINTS -->`` and ``<!-- END POINTS -->`` stand on lines of their own; so do ``TODOS`` and
``IDEAS``, which a handout may leave out. Students get the tables without the marks.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from grader.base.errors import CourseError
from grader.course.model import Exercise, Task
from grader.lesson.points import read_todos

_REGION = re.compile(
    r"^(?P<begin><!-- BEGIN (?P<what>\w+) -->)\n(?P<text>.*?)^(?P<end><!-- END (?P=what) -->)$",
    re.MULTILINE | re.DOTALL,
)
_MARK = re.compile(r"^<!--.*?-->\n?", re.MULTILINE)


def with_tables(text: str, where: str, exercise: Exercise, stubs: Mapping[str, bytes]) -> str:
    """Fill in the tables of a handout; ``where`` is its name in errors, ``stubs`` are the files by name."""
    makers = {
        "POINTS": lambda: _points(exercise),
        "TODOS": lambda: _todos(exercise, stubs),
        "IDEAS": lambda: _ideas(exercise),
    }

    def fill(found: re.Match[str]) -> str:
        if found["what"] not in makers:
            line = text.count("\n", 0, found.start()) + 1
            known = ", ".join(makers)
            raise CourseError(f"{where}:{line}: there is no table {found['what']}; there are: {known}.")
        lines = "".join(f"{line}\n" for line in makers[found["what"]]())
        return f"{found['begin']}\n\n{lines}\n{found['end']}"

    return _REGION.sub(fill, text)


def has_points(text: str) -> bool:
    """True if the handout has a place for its table of points."""
    return any(found["what"] == "POINTS" for found in _REGION.finditer(text))


def without_marks(text: str) -> str:
    """Remove the lines that are comments of Markdown, and the second of two empty lines that this leaves."""
    without, marks = _MARK.subn("", text)
    return re.sub(r"\n{3,}", "\n\n", without) if marks else text


def _points(exercise: Exercise) -> Iterator[str]:
    yield "| task | visible tests | hidden tests |"
    yield "|---|---|---|"
    rows = [(_shown(task), exercise.criteria_of(task.name)) for task in exercise.tasks]
    for name, criteria in [*rows, (f"all {exercise.points}", exercise.criteria)]:
        visible = sum(one.points for one in criteria if one.visibility == "visible")
        hidden = sum(one.points for one in criteria) - visible
        if criteria:
            yield f"| {name} | {visible} | {hidden} |"


def _todos(exercise: Exercise, stubs: Mapping[str, bytes]) -> Iterator[str]:
    """Make a row for each function: its TODO, its signature, and what it gives."""
    yield "| TODO | function | gives |"
    yield "|---|---|---|"
    for file, functions in exercise.functions.items():
        stub = stubs[file].decode()
        nodes = {node.name: node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef)}
        for todo in read_todos(exercise, file, stub):
            if todo["name"] in functions:
                task, node = exercise.task(todo["name"]), nodes[todo["name"]]
                for argument in ast.walk(node.args):
                    if isinstance(argument, ast.arg):
                        argument.annotation = None
                gives = task.gives or re.sub(r" \(TODO .*?\)", "", task.title)
                yield f"| {todo['number']} | `{node.name}({ast.unparse(node.args)})` | {gives} |"


def _ideas(exercise: Exercise) -> Iterator[str]:
    for criterion in exercise.criteria:
        if criterion.visibility == "hidden":
            yield f"- {_shown(exercise.task(criterion.task))} {criterion.sentence}."


def _shown(task: Task) -> str:
    return task.label if task.of_constants else f"`{task.label}`"
