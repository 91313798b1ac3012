"""A handed-in notebook -> the exercise's files, as if the answers had been written there.

A notebook is one heap of definitions, run in any order. Each file is put together from the definitions of its
own answers and of whatever they need, wherever they stand; nothing else is taken: not what draws, prints or
fails on its own. The rules, in their order:

1. An answer is found by its name: a function that a task names, or (a task of constants) a name in capitals.
2. Of several definitions of one name a started one goes before a stub, one in the task's own cell before one
   elsewhere, a student's cell before a locked one, and then the last before the others.
3. A cell that is not Python costs only what it defines; a function that was meant there says so when it is
   called. What can fail while the file is read is guarded, so that it costs only its own name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.base.text import one_line
from grader.course.model import Exercise
from grader.intake.notebook.assemble import Placed, file_text, unreadable_function
from grader.intake.notebook.code import MAX_CELL, NotPython, read_code
from grader.intake.notebook.read import Cell, NotebookError, read_document
from grader.intake.notebook.remarks import Remarks

MAX_STATEMENTS = 20_000
"""Statements of a notebook that are read."""

_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")
# Never a line's end in them: a search that may start at every line of a heap of empty ones, and run through
# all of the others, takes as long as their square.
_BLANKS = r"[ \t\f]"
_STARTS = rf"^{_BLANKS}*"


@dataclass(frozen=True)
class NotebookSource:
    """What a notebook comes to.

    ``files`` holds each expected file, put together. ``notes`` are plain sentences for the student, ``flags``
    words for the instructor. ``problems`` says, for a task without an answer, why its cell could not be read.
    """

    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Index:
    """All statements of a notebook, and by name those that bind it or change its value in place."""

    placed: Sequence[Placed]
    binds: Mapping[str, Sequence[Placed]]
    changes: Mapping[str, Sequence[Placed]]


@dataclass(frozen=True)
class _Broken:
    """A cell that could not be read as Python."""

    cell: Cell
    error: NotPython

    def sentence(self) -> str:
        """What is wrong, where."""
        why = one_line(self.error.why, 120).rstrip(".")
        return f"Code cell {self.cell.number} is not valid Python, at its line {self.error.line}: {why}."


def read_notebook(data: bytes, exercise: Exercise) -> NotebookSource:
    """Put the exercise's files together from a handed-in notebook, without a kernel.

    Raises:
        NotebookError: It is not a notebook, is too large, or is written in another language.
    """
    document = read_document(data, exercise)
    placed, broken, for_jupyter = _statements(_worth_reading(document.cells, exercise))
    index = _indexed(placed)
    remarks = Remarks()
    remarks.on_cells(document, exercise, for_jupyter)
    files: dict[str, bytes] = {}
    taken: dict[int, Placed] = {}
    for file in exercise.files:
        chosen = _chosen(_roots(exercise, file, placed), index, exercise, remarks)
        taken |= {p.index: p for p in chosen}
        files[file] = file_text(chosen).encode("utf-8", "backslashreplace")
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
            files[file] += unreadable_function(name, problems[name]).encode() if name in problems else b""
    return NotebookSource(files, tuple(remarks.notes), tuple(sorted(remarks.flags)), problems)


def _worth_reading(cells: Sequence[Cell], exercise: Exercise) -> list[Cell]:
    """All but the locked cells, which hold our own tests, unless an answer was written into one of them.

    Raises:
        NotebookError: Together they hold more code than is read.
    """
    names = "|".join(task.name for task in exercise.tasks)
    answer = re.compile(rf"{_STARTS}(?:def{_BLANKS}+(?:{names})\b|(?:{names}){_BLANKS}*=)", re.MULTILINE)
    worth = [cell for cell in cells if cell.kind != "given" or answer.search(cell.source, 0, MAX_CELL)]
    if sum(len(cell.source) for cell in worth) > exercise.limits.file_kib << 10:
        raise NotebookError(f"The notebook holds more than {exercise.limits.file_kib} KiB of code.")
    return worth


def _statements(cells: Sequence[Cell]) -> tuple[list[Placed], list[_Broken], list[Cell]]:
    """All statements of a notebook, the cells that are not Python, and those with lines for Jupyter alone.

    Raises:
        NotebookError: There are more statements than are read.
    """
    placed: list[Placed] = []
    broken: list[_Broken] = []
    for_jupyter: list[Cell] = []
    for cell in cells:
        try:
            code = read_code(cell.source)
        except NotPython as error:
            broken.append(_Broken(cell, error))
            continue
        if code.for_jupyter:
            for_jupyter.append(cell)
        for statement in code.statements:
            placed.append(Placed(len(placed), cell, statement))
        if len(placed) > MAX_STATEMENTS:
            raise NotebookError(f"The notebook holds more than {MAX_STATEMENTS:,} statements.")
    return placed, broken, for_jupyter


def _problems(broken: Sequence[_Broken], exercise: Exercise, answered: set[str]) -> dict[str, str]:
    """For each task without an answer the sentence on the cell that was meant to hold it."""
    problems: dict[str, str] = {}
    for task in exercise.tasks:
        definition = re.compile(rf"{_STARTS}def{_BLANKS}+{task.name}\b", re.MULTILINE)
        for item in broken if task.name not in answered else ():
            if item.cell.grade_id == task.name or definition.search(item.cell.source, 0, MAX_CELL):
                problems[task.name] = item.sentence()
    return problems


def _roots(exercise: Exercise, file: str, placed: Sequence[Placed]) -> list[str]:
    """The names that a file owes: its tasks' functions, and for a task of constants all names in capitals."""
    roots = list(exercise.functions[file])
    if any(task.file == file and task.of_constants for task in exercise.tasks):
        mine = [p for p in placed if p.cell.kind != "given" and p.statement.kind == "other"]
        names = {name for p in mine for name in p.statement.binds if _CONSTANT.fullmatch(name)}
        roots += sorted(names)
    return roots


def _indexed(placed: Sequence[Placed]) -> _Index:
    binds: dict[str, list[Placed]] = {}
    changes: dict[str, list[Placed]] = {}
    for p in placed:
        for name in p.statement.binds:
            binds.setdefault(name, []).append(p)
        for name in p.statement.changes if _own(p) else ():
            changes.setdefault(name, []).append(p)
    return _Index(placed, binds, changes)


def _chosen(roots: Sequence[str], index: _Index, exercise: Exercise, remarks: Remarks) -> list[Placed]:
    """The answers and, step by step, whatever they need, in the notebook's order."""
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


def _own(placed: Placed) -> bool:
    return placed.cell.kind != "given"


def _answers(name: str, index: _Index, remarks: Remarks) -> list[Placed]:
    """The definition of an answer that counts; before it those that it builds upon.

    Upon an earlier one builds ``f = cached(f)``, and what uses a name that was taken from it (``old = f``).
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


def _taken_from(name: str, answer: Placed, index: _Index) -> Placed | None:
    """The definition of a name further up in its cell of which another name holds what it was (``old = f``).

    Only within one cell: cells may have been run in any order, the lines of a cell only in theirs.
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


def _rank(placed: Placed, name: str) -> tuple[bool, bool, bool, int]:
    started = not placed.statement.unstarted
    return started, placed.cell.grade_id == name, _own(placed), placed.index
