"""Write the notes for the student and the flags for the instructor about a handed-in notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grader.base.flags import CELL_NOT_PYTHON, EDITED_TESTS, MISSING_TESTS, NOT_UTF8, TWO_ANSWERS
from grader.base.text import one_line
from grader.course.model import Exercise
from grader.intake.notebook.read import Cell, Document

_LISTED = 8
_MOST = 20
_NAME = 60


@dataclass
class Remarks:
    """The notes and flags so far, in the order in which a notebook is read."""

    notes: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)

    def on_cells(self, document: Document, exercise: Exercise, for_jupyter: Sequence[Cell]) -> None:
        """Note the encoding, cells turned into text, lines for Jupyter, and changed or missing tests."""
        if document.reencoded:
            self.flags.add(NOT_UTF8)
            self.notes.append("The notebook is not saved as UTF-8; it was read as Windows text.")
        self._on_text_cells({one_line(cell.grade_id, _NAME) for cell in document.cells if cell.was_text})
        if own := [cell for cell in for_jupyter if cell.kind != "given"]:
            self.notes.append(
                f"{cells_named(own)}: lines that only Jupyter understands, with % or !, were left out."
            )
        if changed := [cell for cell in document.cells if cell.changed]:
            self.flags.add(EDITED_TESTS)
            self.notes.append(
                f"{cells_named(changed)}: locked code was changed; the tests that count are the course's own."
            )
        there = {cell.grade_id for cell in document.cells if cell.kind == "given"}
        handed_out = {criterion.id for criterion in exercise.criteria if not criterion.private}
        gone = len(handed_out - there)
        if 0 < gone < len(handed_out):
            self.flags.add(MISSING_TESTS)
            are = "cell of tests is" if gone == 1 else "cells of tests are"
            self.notes.append(f"{gone} {are} gone from the notebook; every test was run all the same.")

    def _on_text_cells(self, names: set[str]) -> None:
        """Note answer cells that were turned into text, by the tasks' names in their metadata."""
        for name in sorted(names)[:_LISTED]:
            of = f"answer cell of {name}" if name else "answer cell without a name"
            self.notes.append(f"The {of} is a text cell; it was read as code.")
        if len(names) > _LISTED:
            self.notes.append(f"{len(names) - _LISTED} more answer cells are text cells.")

    def on_rivals(self, name: str, best: Cell, others: Sequence[Cell]) -> None:
        """Note a name with several different answers."""
        self.flags.add(TWO_ANSWERS)
        name = one_line(name, _NAME)
        cells = {cell.number for cell in [*others, best]}
        which = "the last one" if best.number in {cell.number for cell in others} else "that"
        where = f" of code cell {best.number}" if len(cells) > 1 else ""
        there = cells_named([*others, best], "code")
        note = f"{name} has different answers in {there}; {which}{where} was graded."
        if note not in self.notes and len(self.notes) < _MOST:
            self.notes.append(note)

    def on_left_out(self, cells: Iterable[Cell]) -> None:
        """Note cells with code that no file needs."""
        if own := [cell for cell in cells if cell.kind != "given"]:
            self.notes.append(
                f"{cells_named(own)}: what no answer needs, such as printing or drawing, was not run."
            )

    def on_broken(self, sentences: Iterable[str]) -> None:
        """Note cells that are not Python."""
        found = list(sentences)
        if found:
            self.flags.add(CELL_NOT_PYTHON)
        self.notes += found[:_LISTED]
        if len(found) > _LISTED:
            self.notes.append(f"{len(found) - _LISTED} more cells are not valid Python.")


def cells_named(cells: Sequence[Cell], first: str = "Code") -> str:
    """Name cells as ``Code cells 3, 5 and 8``; of many the first eight and a count."""
    numbers = sorted({cell.number for cell in cells})
    words = [str(number) for number in numbers[:_LISTED]]
    if len(numbers) > _LISTED:
        words.append(f"{len(numbers) - _LISTED} more")
    if len(words) == 1:
        return f"{first} cell {words[0]}"
    return f"{first} cells {', '.join(words[:-1])} and {words[-1]}"
