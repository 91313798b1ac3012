"""A pair of ``.py`` files -> the cells of the notebook that a student with the same answers would hand in."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Mapping
from dataclasses import replace

from grader.course.model import Exercise
from grader.lesson.format import NotebookCell
from grader.lesson.notebook_tests import segment


def filled_cells(
    cells: list[NotebookCell], exercise: Exercise, files: Mapping[str, bytes]
) -> list[NotebookCell]:
    """The cells of an exercise's notebook with the answers of ``files`` in place of the stubs."""
    answers: dict[str, str] = {}
    beside: dict[str, str] = {}  # by the name of the task that it stands above
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
    """A file's text as Python would decode it, or the nearest to it: nothing is refused here."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _parted(text: str, names: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """The functions of these names, each one's last definition, and all the rest; or no function at all."""
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
        others |= not isinstance(node, ast.FunctionDef | ast.Expr) or getattr(node, "name", "") not in (
            *names,
            "",
        )
        if isinstance(node, ast.FunctionDef) and node.name in names:
            functions[node.name] = source = segment(text, node)
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)]) - 1
            lines[first : first + source.count("\n") + 1] = [None] * (source.count("\n") + 1)
    if not functions:
        return {}, text
    return functions, "\n".join(line for line in lines if line is not None).strip("\n") if others else ""
