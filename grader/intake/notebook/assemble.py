"""Assemble the exercise's files from a handed-in notebook, without running it.

The cells of a notebook can be run in any order. Each file is assembled from the definitions of its answers
and of everything they need, from any cell; other code, such as printing and drawing, is left out. The rules:

1. An answer is found by its name: a function that a task names, or (a task of constants) a name in capitals.
2. Of several definitions of one name, a started one comes before a stub, one in the task's own cell before
   one elsewhere, one in a student's cell before one in a locked cell, and a later one before an earlier one.
3. A cell that is not Python costs only what it defines; a function that was meant there says so when it is
   called. A statement that may fail is guarded, so that a failure costs only the names that it binds.
"""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from grader.base.text import one_line
from grader.course.model import Exercise
from grader.intake.notebook.code import MAX_CELL, NotPythonError, Statement, read_code
from grader.intake.notebook.read import Cell, NotebookError, read_document
from grader.intake.notebook.remarks import Remarks

MAX_STATEMENTS = 20_000
"""Statements of a notebook that are read at most."""

_HEAD = "# Put together from the cells of a notebook."
_MAX_SORTED = 400
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")
# Blanks without line ends: otherwise a search takes quadratic time on many empty lines.
_BLANKS = r"[ \t\f]"
_STARTS = rf"^{_BLANKS}*"


@dataclass(frozen=True)
class NotebookSource:
    """What a notebook holds for the exercise.

    ``files`` maps every expected name to the assembled file. ``notes`` are sentences for the student,
    ``flags`` words for the instructor. ``problems`` maps a task without an answer to the sentence that says
    why its cell could not be read.
    """

    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Placed:
    """A statement, its cell, and its ``index`` among all statements of the notebook."""

    index: int
    cell: Cell
    statement: Statement

    @cached_property
    def meaning(self) -> str:
        """A fingerprint that is equal for statements that differ only in blanks and comments."""
        return _fingerprint(self.statement.source)


@dataclass(frozen=True)
class _Index:
    """All statements of a notebook, and by name those that bind it or change its value."""

    placed: Sequence[_Placed]
    binds: Mapping[str, Sequence[_Placed]]
    changes: Mapping[str, Sequence[_Placed]]


@dataclass(frozen=True)
class _Broken:
    """A cell that could not be read as Python."""

    cell: Cell
    error: NotPythonError

    def sentence(self) -> str:
        """Say what is wrong and where."""
        why = one_line(self.error.why, 120).rstrip(".")
        return f"Code cell {self.cell.number} is not valid Python, at its line {self.error.line}: {why}."


def read_notebook(data: bytes, exercise: Exercise) -> NotebookSource:
    """Assemble the exercise's files from the bytes of a handed-in notebook.

    Raises:
        NotebookError: It is not a notebook, is too large, or is in another language than Python.
    """
    document = read_document(data, exercise)
    placed, broken, for_jupyter = _statements(_worth_reading(document.cells, exercise))
    index = _indexed(placed)
    remarks = Remarks()
    remarks.on_cells(document, exercise, for_jupyter)
    files: dict[str, bytes] = {}
    taken: dict[int, _Placed] = {}
    for file in exercise.files:
        chosen = _chosen(_roots(exercise, file, placed), index, exercise, remarks)
        taken |= {p.index: p for p in chosen}
        files[file] = _file_text(chosen).encode("utf-8", "backslashreplace")
        if len(files[file]) > exercise.limits.file_kib << 10:
            raise NotebookError(f"The answers come to more than {exercise.limits.file_kib} KiB of code.")
    language = document.language
    if not taken and language and not language.lower().startswith(("python", "ipython")):
        raise NotebookError(f"This is a notebook for {language}, not for Python; hand in a Python notebook.")
    remarks.on_left_out(p.cell for p in placed if p.index not in taken)
    remarks.on_broken(item.sentence() for item in broken if item.cell.kind != "given")
    answered = {name for p in taken.values() for name in p.statement.binds}
    problems = _problems(broken, exercise, answered)
    for file, functions in exercise.functions.items():
        for name in functions:
            files[file] += _failing_function(name, problems[name]).encode() if name in problems else b""
    return NotebookSource(files, tuple(remarks.notes), tuple(sorted(remarks.flags)), problems)


def _worth_reading(cells: Sequence[Cell], exercise: Exercise) -> list[Cell]:
    """Return the cells except the locked ones, which hold our tests, unless an answer was written there.

    Raises:
        NotebookError: Together they hold too much code.
    """
    names = "|".join(task.name for task in exercise.tasks)
    answer = re.compile(rf"{_STARTS}(?:def{_BLANKS}+(?:{names})\b|(?:{names}){_BLANKS}*=)", re.MULTILINE)
    worth = [cell for cell in cells if cell.kind != "given" or answer.search(cell.source, 0, MAX_CELL)]
    if sum(len(cell.source) for cell in worth) > exercise.limits.file_kib << 10:
        raise NotebookError(f"The notebook holds more than {exercise.limits.file_kib} KiB of code.")
    return worth


def _statements(cells: Sequence[Cell]) -> tuple[list[_Placed], list[_Broken], list[Cell]]:
    """Return all statements, the cells that are not Python, and the cells with lines for Jupyter only.

    Raises:
        NotebookError: There are too many statements.
    """
    placed: list[_Placed] = []
    broken: list[_Broken] = []
    for_jupyter: list[Cell] = []
    for cell in cells:
        try:
            code = read_code(cell.source)
        except NotPythonError as error:
            broken.append(_Broken(cell, error))
            continue
        if code.for_jupyter:
            for_jupyter.append(cell)
        for statement in code.statements:
            placed.append(_Placed(len(placed), cell, statement))
        if len(placed) > MAX_STATEMENTS:
            raise NotebookError(f"The notebook holds more than {MAX_STATEMENTS:,} statements.")
    return placed, broken, for_jupyter


def _problems(broken: Sequence[_Broken], exercise: Exercise, answered: set[str]) -> dict[str, str]:
    """Map each task without an answer to the sentence about the cell that was meant to hold it."""
    problems: dict[str, str] = {}
    for task in exercise.tasks:
        definition = re.compile(rf"{_STARTS}def{_BLANKS}+{task.name}\b", re.MULTILINE)
        for item in broken if task.name not in answered else ():
            if item.cell.grade_id == task.name or definition.search(item.cell.source, 0, MAX_CELL):
                problems[task.name] = item.sentence()
    return problems


def _roots(exercise: Exercise, file: str, placed: Sequence[_Placed]) -> list[str]:
    """Return the names that a file needs: its functions, and for a task of constants names in capitals."""
    roots = list(exercise.functions[file])
    if any(task.file == file and task.of_constants for task in exercise.tasks):
        mine = [p for p in placed if p.cell.kind != "given" and p.statement.kind == "other"]
        names = {name for p in mine for name in p.statement.binds if _CONSTANT.fullmatch(name)}
        roots += sorted(names)
    return roots


def _indexed(placed: Sequence[_Placed]) -> _Index:
    binds: dict[str, list[_Placed]] = {}
    changes: dict[str, list[_Placed]] = {}
    for p in placed:
        for name in p.statement.binds:
            binds.setdefault(name, []).append(p)
        for name in p.statement.changes if _own(p) else ():
            changes.setdefault(name, []).append(p)
    return _Index(placed, binds, changes)


def _chosen(roots: Sequence[str], index: _Index, exercise: Exercise, remarks: Remarks) -> list[_Placed]:
    """Return the answers and everything they need, directly or not, in the notebook's order."""
    answers = {task.name for task in exercise.tasks}.union(roots)
    general = [p for p in index.placed if p.statement.kind in {"future", "star"} and _own(p)]
    chosen = {p.index: p for p in general}
    settled: set[str] = set()
    needed = [*roots]
    while needed:
        name = needed.pop()
        if name in settled:
            continue
        settled.add(name)
        binding = index.binds.get(name, ())
        wanted = _answers(name, index, remarks) if name in answers else [p for p in binding if _own(p)]
        for p in (*wanted, *index.changes.get(name, ())):
            if p.index not in chosen:
                chosen[p.index] = p
                needed += sorted(p.statement.uses)
    return [chosen[index] for index in sorted(chosen)]


def _own(placed: _Placed) -> bool:
    return placed.cell.kind != "given"


def _answers(name: str, index: _Index, remarks: Remarks) -> list[_Placed]:
    """Return the definition of an answer that counts, and the earlier ones that it builds on.

    ``f = cached(f)`` builds on an earlier ``f``, and so does a use of ``old`` after ``old = f``.
    """
    binding = index.binds.get(name, ())
    if not binding:
        return []
    ranked = sorted(binding, key=lambda p: _rank(p, name))
    best = ranked.pop()
    rivals = [p for p in ranked if _rank(p, name)[:3] == _rank(best, name)[:3]]
    counted = [best]
    while ranked and counted[-1].statement.kind != "definition" and name in counted[-1].statement.uses:
        counted.append(ranked.pop())
    while earlier := _taken_from(name, counted[-1], index):
        counted.append(earlier)
    kept = {p.index for p in counted}
    others = [p for p in rivals if p.index not in kept]
    other = [p for p in others if p.meaning != best.meaning]
    if other and not best.statement.unstarted:
        remarks.on_rivals(name, best.cell, [p.cell for p in other])
    return counted


def _taken_from(name: str, answer: _Placed, index: _Index) -> _Placed | None:
    """Return the definition above the answer that another name which the answer uses keeps (``old = f``).

    Only within one cell: cells may have been run in any order, but not the lines of one cell.
    """
    above = [p for p in index.binds[name] if p.cell is answer.cell and p.index < answer.index]
    if not above:
        return None
    holders = [
        p.index
        for used in answer.statement.uses - {name}
        for p in index.binds.get(used, ())
        if p.cell is answer.cell and p.index < answer.index and name in p.statement.uses
        if p.statement.kind == "other"
    ]
    return next((p for p in reversed(above) if p.index < max(holders, default=-1)), None)


def _rank(placed: _Placed, name: str) -> tuple[bool, bool, bool, int]:
    started = not placed.statement.unstarted
    return started, placed.cell.grade_id == name, _own(placed), placed.index


def _failing_function(name: str, why: str) -> str:
    """Write a function that fails with ``why``, in place of one in a cell that is not Python."""
    return f"\n\ndef {name}(*_, **__):\n    raise RuntimeError({why!a})\n"


def _in_order(chosen: Sequence[_Placed]) -> list[_Placed]:
    """Keep the notebook's order, but move definitions that come only later before their use."""
    if len(chosen) > _MAX_SORTED:
        return list(chosen)
    binders: dict[str, list[_Placed]] = {}
    for p in chosen:
        for name in p.statement.binds | p.statement.changes:
            binders.setdefault(name, []).append(p)
    ordered: dict[int, _Placed] = {}
    begun: set[int] = set()

    def place(p: _Placed) -> None:
        if p.index in begun:
            return
        begun.add(p.index)
        for name in sorted(p.statement.uses):
            there = binders.get(name, [])
            if there and there[0].index > p.index:
                for later in there:
                    place(later)
        ordered[p.index] = p

    for p in chosen:
        place(p)
    return list(ordered.values())


def _file_text(chosen: Sequence[_Placed]) -> str:
    """Write a file of these statements, each part under the number of its code cell."""
    parts = [_HEAD]
    number = 0
    ordered = sorted(_in_order(chosen), key=lambda p: p.statement.kind != "future")
    for p in ordered:
        if p.cell.number != number and p.statement.kind != "future":
            number = p.cell.number
            parts.append(f"\n\n# Code cell {number}")
        safe = p.statement.safe or p.statement.kind == "future"
        parts.append(p.statement.source if safe else _guarded(p.statement, number))
    return "\n".join(parts) + "\n"


def _guarded(statement: Statement, number: int) -> str:
    """Write a statement that may fail so that its error is printed and the rest of the file still runs."""
    lines = statement.source.split("\n")
    body = "\n".join(
        line if at in statement.inside or not line.strip() else f"    {line}"
        for at, line in enumerate(lines, start=1)
    )
    return (
        f"try:  # a mistake here costs only what this part defines\n{body}\n"
        f"except BaseException:\n    print('code cell {number}:', __import__('sys').exc_info()[1])"
    )


def _fingerprint(source: str) -> str:
    """Hash the syntax tree of a statement, level by level: recursion would overflow on a deep one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            level: list[Any] = [ast.parse(source)]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return source
    made = hashlib.sha256()
    while level:
        below: list[Any] = []
        for part in level:
            if isinstance(part, ast.AST):
                fields = [value for _, value in ast.iter_fields(part)]
            else:
                fields = part if isinstance(part, list) else []
            leaf = "" if isinstance(part, ast.AST | list) else hex(part) if type(part) is int else repr(part)
            made.update(f"{type(part).__name__} {len(fields)} {leaf}\n".encode())
            below += fields
        level = below
    return made.hexdigest()
