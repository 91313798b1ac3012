"""Fill a notebook's cells with the answers of ``.py`` files, as if the student had worked in the notebook."""

import ast
import io
import json
import tokenize
import warnings
from collections.abc import Mapping
from dataclasses import replace

from grader.course.model import Exercise
from grader.lesson.format import NotebookCell
from grader.lesson.notebook import segment


def filled_cells(
    cells: list[NotebookCell], exercise: Exercise, files: Mapping[str, bytes]
) -> list[NotebookCell]:
    """Put answers in place of the stubs in the cells of an exercise's notebook, other code beside them.

    ``files`` are what was graded: the exercise's files, and the notebook that was kept for the others.
    """
    filled = _filled_from_files(cells, exercise, files)
    if exercise.notebook not in files:
        return filled
    by_task = {task.name: task.file for task in exercise.tasks}
    beside: list[NotebookCell] = []
    answers: dict[str, list[NotebookCell]] = {}
    for cell in json.loads(files[exercise.notebook])["cells"]:
        role = cell["metadata"].get("nbgrader", {})
        source = "".join(cell["source"])
        if role.get("solution") and by_task.get(cell["id"]) not in files:
            answers[cell["id"]] = [*beside, NotebookCell(cell["id"], "answer", source)]
            beside = []
        elif not role and source.strip():
            beside.append(NotebookCell(f"more-{cell['id']}", "plain", source))
    joined: list[NotebookCell] = []
    for one in filled:
        joined += answers.get(one.id, [one]) if one.kind == "answer" else [one]
    return [*joined, *beside]


def _filled_from_files(
    cells: list[NotebookCell], exercise: Exercise, files: Mapping[str, bytes]
) -> list[NotebookCell]:
    """Put the answers of files in place of the stubs; without its file a cell is empty."""
    answers: dict[str, str] = {}
    beside: dict[str, str] = {}  # code beside the functions, by the name of the file's first task
    for file in exercise.files:
        first = next(task.name for task in exercise.tasks if task.file == file)
        answers |= {task.name: "" for task in exercise.tasks if task.file == file}
        functions, rest = _parted(source_text(files.get(file, b"")), exercise.functions[file])
        if functions:
            beside[first] = rest
            answers |= functions
        else:
            answers[first] = rest
    filled: list[NotebookCell] = []
    for cell in cells:
        if cell.kind == "answer":
            if beside.get(cell.id):
                filled.append(NotebookCell(f"more-{cell.id}", "plain", beside[cell.id]))
            cell = replace(cell, source=answers[cell.id])  # noqa: PLW2901 - the same cell, answered
        filled.append(cell)
    return filled


def source_text(data: bytes) -> str:
    """Decode a file as Python would; what Python would refuse is read as Windows-1252."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, ValueError, LookupError):  # a coding line may name any codec
        text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _parted(text: str, names: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """Split a file into its functions of these names, each one's last definition, and the rest.

    Without any such function, or if it is not Python, the whole file is the rest.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}, text
    functions: dict[str, str] = {}
    others = False
    lines: list[str | None] = [*text.split("\n")]
    for node in tree.body:
        known = getattr(node, "name", "") in (*names, "")
        others |= not isinstance(node, ast.FunctionDef | ast.Expr) or not known
        if isinstance(node, ast.FunctionDef) and node.name in names:
            functions[node.name] = source = segment(text, node)
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)]) - 1
            lines[first : first + source.count("\n") + 1] = [None] * (source.count("\n") + 1)
    if not functions:
        return {}, text
    return functions, "\n".join(line for line in lines if line is not None).strip("\n") if others else ""
