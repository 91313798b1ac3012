"""A cell's text -> its tree as Python, without lines for Jupyter alone (``%magic``, ``!shell``, ``name?``).

They are blanked out where, and only where, Python stumbles over them: inside a text or a formula the same
characters are the student's own. Python is asked a few times at most, however many such lines there are.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

MAX_PARSES = 4
"""How often the text of one cell is parsed."""

_RUNS_PYTHON = frozenset({"time", "timeit", "capture", "prun", "python", "python3"})
_WHOLE_CELL = re.compile(r"\s*%%(\w+)")
_FOR_JUPYTER = re.compile(r"\s*(?:[%!?]|(?:[\w.]+\s*=\s*)[%!])|.*\?\s*$")
_ASSIGNED = re.compile(r"(\s*[\w.]+\s*=\s*)[%!].*")
# The same at the start of a statement, where no Python can look like it.
_SURELY = re.compile(r"[ \t\f]*(?:[%!?]|[\w.]+[ \t]*=[ \t]*[%!])")
# What decides where a statement can start. Nothing in it is tried twice: `*+` gives nothing back.
_PIECE = re.compile(
    r'''"""(?:[^\\"]|\\.|"(?!""))*+(?:"""|\\?\Z)'''
    r"""|\'\'\'(?:[^\\']|\\.|'(?!''))*+(?:\'\'\'|\\?\Z)"""
    r"""|"(?:[^\\"\n]|\\.)*+"?|'(?:[^\\'\n]|\\.)*+'?"""
    r"|\#[^\n]*+|\\\n|[(\[{]|[)\]}]|\n",
    re.DOTALL,
)


@dataclass(frozen=True)
class Parsed:
    """The tree of a cell, its lines as they were parsed, and how many of them were for Jupyter alone."""

    tree: ast.Module
    lines: list[str]
    for_jupyter: int


def is_other_language(source: str) -> bool:
    """Whether the whole cell is for a magic that does not run Python, such as ``%%bash``."""
    found = _WHOLE_CELL.match(source)
    return found is not None and found[1] not in _RUNS_PYTHON


def parsed(source: str) -> Parsed:
    """The tree of a cell.

    Raises:
        SyntaxError: It is not Python, also without the lines for Jupyter.
        ValueError: It holds what no program can hold.
        RecursionError: It is nested too deeply; so does MemoryError.
    """
    lines = source.split("\n")
    blanked: set[int] = set()
    for _ in range(MAX_PARSES - 1):
        try:
            return Parsed(ast.parse("\n".join(lines)), lines, len(blanked))
        except SyntaxError as error:
            at = (error.lineno or 0) - 1
            if not 0 <= at < len(lines) or not _FOR_JUPYTER.match(lines[at]):
                raise
        # The first time all that are surely meant go at once; later only what Python stumbled over.
        fresh = {at} if blanked else {at, *_sure_lines(source)}
        for number in fresh - blanked:
            lines[number] = _blanked(lines[number])
        blanked |= fresh
    return Parsed(ast.parse("\n".join(lines)), lines, len(blanked))


def _blanked(line: str) -> str:
    """A line for Jupyter as Python: ``files = !ls`` still gives its name a value."""
    if found := _ASSIGNED.match(line):
        return found[1] + "None"
    return line[: len(line) - len(line.lstrip())] + "pass"


def _sure_lines(source: str) -> set[int]:
    """The lines, from 0, that are for Jupyter and start where a statement can: in no text and no bracket."""
    sure: set[int] = set()
    at = number = began = depth = 0
    starts = True
    while at < len(source):
        if starts and _SURELY.match(source, at):
            sure.add(number)
            at = source.find("\n", at) + 1 or len(source)
            number += 1
            continue
        began = number if starts else began
        found = _PIECE.search(source, at)
        piece, upto, end = (
            (found[0], found.start(), found.end()) if found else ("\n", len(source), len(source))
        )
        if piece == "\n" and began == number and not depth and source[at:upto].rstrip().endswith("?"):
            sure.add(number)  # help on a name, and not the end of a text or a comment, which are pieces
        at = end
        number += piece.count("\n")
        depth = max(0, depth + (piece in "([{") - (piece in ")]}"))
        starts = piece == "\n" and not depth
    return sure
