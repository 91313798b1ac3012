"""Turn a notebook's document into the cells that are run, with notes for the student and flags.

A test class of ours in a cell, with the call that runs it, marks the place of the tests of its task and is
never run: the course's own tests count. So it is found in cells without metadata, in merged cells and in
exported scripts, too. All other code is run, also what was written into a locked cell.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from grader.base.flags import EDITED_TESTS, MISSING_TESTS, NOT_UTF8
from grader.base.text import one_line
from grader.course.model import Exercise
from grader.intake.notebook.read import Document, DocumentCell, NotebookError
from grader.lesson.format import Kind, NotebookCell, notebook_bytes
from grader.sources.submission import Cell, CellKind, Submission

_LISTED = 8
_NAME = 60
_CLASS = re.compile(r"class\s+(\w+)")
_CALL = re.compile(r"\w+\(\s*(\w+)\s*\)\s*$")
_CODE = re.compile(r"\s*[^\s#]")
_WORD = re.compile(r"[^\s#)\]}]")
_NOTHING = Submission("", {})


def read_cells(document: Document, exercise: Exercise, of: Submission = _NOTHING) -> Submission:
    """Return a submission with the cells of a document to run, a notebook of all its code, and what to note.

    Raises NotebookError if they hold too much code, or are in another language than Python.
    """
    tests = {criterion.tests: criterion.task for criterion in exercise.criteria}
    by_id = {criterion.id: criterion.task for criterion in exercise.criteria}
    names = "|".join(task.name for task in exercise.tasks)
    answer = re.compile(rf"^(?:async )?def +(?:{names})\b|^(?:{names}) *=", re.MULTILINE)
    cells: list[Cell] = []
    for cell in document.cells:
        if cell.kind == "given":
            cells.append(Cell(cell.name, _bytes(cell.source), "given", "", cell.above))
            continue
        if cell.kind == "tests" and cell.grade_id in by_id:
            cells.append(Cell(cell.name, b"", "tests", by_id[cell.grade_id]))
        if cell.kind == "tests" and not answer.search(cell.source):
            continue
        if cell.kind == "answer" and not any(map(_CODE.match, cell.source.split("\n"))):
            cells.append(Cell(cell.name, b"", "answer", cell.grade_id))
        for above, text, task in _parts(cell.source, tests):
            own = cell.grade_id if cell.kind == "answer" and not task else ""
            kind: CellKind = "tests" if task else "answer" if own else "other"
            cells.append(Cell(cell.name, _bytes(text), kind, task or own, cell.above + above))
    if sum(len(cell.source) for cell in cells) > exercise.limits.file_kib << 10:
        raise NotebookError(f"The notebook holds more than {exercise.limits.file_kib} KiB of code.")
    language = document.language
    is_foreign = language and not language.lower().startswith(("python", "ipython"))
    if is_foreign and not any(answer.search(cell.source) for cell in document.cells if cell.kind != "given"):
        raise NotebookError(f"This is a notebook for {language}, not for Python; hand in a Python notebook.")
    kept = notebook_bytes(_kept(document.cells), released=False)
    taken = replace(of, cells=tuple(cells) or (Cell("code cell 1", b""),), notebook=kept)
    return taken.noted(*_remarks(document, exercise))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _parts(source: str, tests: Mapping[str, str]) -> Iterator[tuple[int, str, str]]:
    """Split a cell at the test classes of ours in it: the lines above a part, its code, its tests' task.

    Either the code or the task is empty. Lines that call something with such a class, to run its tests, are
    in no part.
    """
    lines, first = source.split("\n"), 0

    def task(pattern: re.Pattern[str], line: str) -> str | None:
        found = pattern.match(line)
        return tests.get(found[1]) if found else None

    if not any(name in source for name in tests):  # quick: so it is in most cells
        if any(map(_CODE.match, lines)):
            yield 0, source, ""
        return
    classes = {number: name for number, line in enumerate(lines) if (name := task(_CLASS, line))}
    for number in (*classes, len(lines)):
        code = ["" if task(_CALL, line) else line for line in lines[first:number]]
        if any(map(_CODE.match, code)):
            yield first, "\n".join(code), ""
        if number in classes:
            yield number, "", classes[number]
        # The class ends at the next line that begins with a word.
        first = next((n for n in range(number + 1, len(lines)) if _WORD.match(lines[n])), len(lines))


def _kept(cells: Sequence[DocumentCell]) -> Iterator[NotebookCell]:
    """Make cells for the notebook that is kept: answers under their tasks' names, ours locked."""
    seen: set[str] = set()
    for number, cell in enumerate(cells, start=1):
        text = _bytes(cell.source).decode()
        if cell.kind == "answer" and cell.grade_id not in seen:
            seen.add(cell.grade_id)
            yield NotebookCell(cell.grade_id, "answer", text)
        else:
            kind: Kind = "shown" if cell.kind in ("tests", "given") else "plain"
            yield NotebookCell(f"cell-{number}", kind, text)


def _remarks(document: Document, exercise: Exercise) -> tuple[list[str], Iterable[str]]:
    """Return notes and flags: the encoding, cells turned into text, and changed or missing tests."""
    notes: list[str] = []
    texts = sorted({one_line(cell.grade_id, _NAME) for cell in document.cells if cell.was_text})
    for name in texts[:_LISTED]:
        of = f"answer cell of {name}" if name else "answer cell without a name"
        notes.append(f"The {of} is a text cell; it was read as code.")
    if len(texts) > _LISTED:
        notes.append(f"{len(texts) - _LISTED} more answer cells are text cells.")
    flags = (
        {NOT_UTF8: "The notebook is not saved as UTF-8; it was read as Windows text."}
        if document.reencoded
        else {}
    )
    if changed := [cell.name for cell in document.cells if cell.changed]:
        more = f" and {len(changed) - _LISTED} more" if len(changed) > _LISTED else ""
        names = ", ".join(changed[:_LISTED]) + more
        flags[EDITED_TESTS] = (
            f"Locked code was changed in {names}; the tests that count are the course's own."
        )
    there = {cell.grade_id for cell in document.cells if cell.kind == "tests"}
    handed_out = {criterion.id for criterion in exercise.criteria if not criterion.private}
    if 0 < (gone := len(handed_out - there)) < len(handed_out):
        are = "cell of tests is" if gone == 1 else "cells of tests are"
        flags[MISSING_TESTS] = f"{gone} {are} gone from the notebook; every test was run all the same."
    return [*notes, *flags.values()], flags
