"""Say how far the cells of a notebook are run before each test class: the two readings of a notebook."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.course.model import Exercise, class_id
from grader.sources.submission import Cell

_BOUND = re.compile(rb"^(?:(?:async )?def|class) +(\w+)|^([A-Za-z_]\w*) *(?::[^=\n]*)?=(?!=)", re.MULTILINE)


@dataclass(frozen=True)
class Notebook:
    """The cells of a notebook and what is asked of them."""

    cells: tuple[Cell, ...]
    answers: tuple[str, ...]  # the functions asked for; ``*``: names in capitals, too
    stops: Mapping[str, int] = field(default_factory=dict)  # cells before a test class; else all


def as_jupyter_runs_it(cells: Sequence[Cell], exercise: Exercise) -> Notebook:
    """Return the first reading: each task as it stands at its first cell of tests.

    Where a task's tests are gone from the notebook, it counts as it stands below its last answer.
    """
    answers = tuple(name for names in exercise.functions.values() for name in names)
    if any(task.of_constants for task in exercise.tasks):
        answers += ("*",)
    places: dict[str, int] = {}
    for task in exercise.tasks:
        tests = [n for n, cell in enumerate(cells) if cell.kind == "tests" and cell.task == task.name]
        below = [
            n + 1
            for n, cell in enumerate(cells)
            if (cell.kind == "answer" and cell.task == task.name) or task.name in bound_names(cell)
        ]
        places[task.name] = next(iter(tests), max(below, default=len(cells)))
    stops = {class_id(exercise, criterion): places[criterion.task] for criterion in exercise.criteria}
    return Notebook(tuple(cells), answers, stops)


def as_it_ends(notebook: Notebook) -> Notebook:
    """Return the second reading: each task as it stands below the last cell."""
    return replace(notebook, stops={})


def may_differ(notebook: Notebook, stop: int) -> bool:
    """Return whether cells from ``stop`` on hold more than the tests and the answers of other tasks."""
    return any(
        cell.kind == "other" or (cell.kind == "answer" and bound_names(cell) - {cell.task})
        for cell in notebook.cells[stop:]
    )


def bound_names(cell: Cell) -> set[str]:
    """Return the names that a cell binds at the start of a line, as far as its text shows them."""
    if cell.kind in ("tests", "given"):
        return set()
    return {(found[1] or found[2]).decode() for found in _BOUND.finditer(cell.source)}
