"""Statements of a notebook -> the text of a file: in an order that works, and guarded where they can fail."""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grader.intake.notebook.code import Statement
from grader.intake.notebook.read import Cell

_HEAD = "# Put together from the cells of a notebook."
_MAX_SORTED = 400


@dataclass(frozen=True, eq=False)
class Placed:
    """A statement and the cell that it stands in; ``index`` is its place in the notebook."""

    index: int
    cell: Cell
    statement: Statement

    @cached_property
    def meaning(self) -> str:
        """The same for statements that differ in blanks and comments alone; worked out once at most."""
        return _fingerprint(self.statement.source)


def unreadable_function(name: str, why: str) -> str:
    """What stands for a function whose cell is not Python: every call says why, and none passes a test."""
    return f"\n\ndef {name}(*_, **__):\n    raise RuntimeError({why!a})\n"


def _in_order(chosen: Sequence[Placed]) -> list[Placed]:
    """The notebook's order, but what is only defined further down, and needed, comes before its use."""
    if len(chosen) > _MAX_SORTED:
        return list(chosen)
    binders: dict[str, list[Placed]] = {}
    for p in chosen:
        for name in p.statement.binds | p.statement.changes:
            binders.setdefault(name, []).append(p)
    ordered: dict[int, Placed] = {}
    begun: set[int] = set()

    def place(p: Placed) -> None:
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


def file_text(chosen: Sequence[Placed]) -> str:
    """A file that defines what these statements define; each part says from which code cell it is."""
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
    """A statement that may fail: what goes wrong is printed, and the rest of the file is read on."""
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
    """The same for the same tree. It is walked level by level: a deep one overflows whoever descends it."""
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
