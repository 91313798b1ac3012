"""The code of one cell -> its top-level statements: what each defines and needs, without running any of it.

Whatever the code is made of, it costs a bounded number of passes over it, and ends as statements or as one
plain reason why there are none.
"""

from __future__ import annotations

import ast
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from grader.intake.notebook.jupyter import is_other_language, parsed

MAX_CELL = 64 << 10
"""Characters of one cell's code that are read."""
MAX_STATEMENTS = 5_000
"""Statements of one cell that are read."""

_SAFE_MODULES = frozenset(
    ("collections", "decimal", "fractions", "functools", "itertools", "math", "operator", "statistics")
)
_COLLECTIONS = frozenset(("list", "tuple", "dict", "set", "frozenset"))
_SAFE_NAMES = _COLLECTIONS | {"int", "float", "str", "bool", "bytes", "complex", "object"}


class NotPython(Exception):  # noqa: N818 - it names a state of a cell, not a failure of the grader
    """A cell that is not Python; ``line`` counts within the cell, ``why`` is Python's own short sentence."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line, self.why = line, why


@dataclass(frozen=True)
class Statement:
    """One top-level statement of a cell.

    ``binds`` are the global names that it gives a value, ``changes`` those whose value it changes in place
    (``table[3] = 4``), ``uses`` those that it or a function in it reads. ``safe`` says that reading it can
    neither fail nor take long: a plain function, a literal. ``unstarted`` says that it is what a stub holds.
    ``inside`` numbers its lines that begin within a text, from 1.
    """

    source: str
    binds: frozenset[str]
    changes: frozenset[str]
    uses: frozenset[str]
    kind: Literal["future", "star", "definition", "other"]
    safe: bool
    unstarted: bool
    inside: frozenset[int]


@dataclass(frozen=True)
class Code:
    """The statements of a cell, and how many of its lines were for Jupyter alone."""

    statements: tuple[Statement, ...]
    for_jupyter: int


def read_code(source: str) -> Code:
    """Take the code of a cell apart.

    Raises:
        NotPython: It does not compile, or is too large or nested too deeply to be read.
    """
    if len(source) > MAX_CELL:
        raise NotPython(1, f"the cell has {len(source):,} characters, and at most {MAX_CELL:,} are read")
    if is_other_language(source):
        return Code((), source.count("\n") + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a submission's code makes Python warn about is no news here
        try:
            cell = parsed(source)
            if (count := len(cell.tree.body)) > MAX_STATEMENTS:
                raise NotPython(
                    1, f"the cell has {count:,} statements, and at most {MAX_STATEMENTS:,} are read"
                )
            return Code(tuple(_statements(cell.tree, cell.lines)), cell.for_jupyter)
        except SyntaxError as error:
            raise NotPython(error.lineno or 1, error.msg) from None
        except ValueError:  # a null character, in Python 3.11
            raise NotPython(1, "it holds characters that no program can hold") from None
        except (RecursionError, MemoryError, OverflowError, SystemError):
            raise NotPython(1, "it is nested too deeply to be read") from None


def _statements(tree: ast.Module, lines: list[str]) -> Iterator[Statement]:
    last = 0
    for node, following in zip(tree.body, [*tree.body[1:], None], strict=True):
        first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", []))])
        end = node.end_lineno or first
        shared = first <= last or (following is not None and following.lineno <= end)
        last = end
        if isinstance(node, ast.Pass) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            continue
        # Of several statements on one line, each is written anew; any other keeps its own lines.
        source = ast.unparse(node) if shared else "\n".join(lines[first - 1 : end])
        try:
            compile(source, "<cell>", "exec", dont_inherit=True)  # finds what parsing does not: a lone return
        except SyntaxError as error:
            raise NotPython(first - 1 + (error.lineno or 1), error.msg) from None
        binds, uses = _names(symtable.symtable(source, "<cell>", "exec"))
        yield Statement(
            source=source,
            binds=binds,
            changes=_changed_names(node),
            uses=uses,
            kind=_kind(node),
            safe=_is_safe(node),
            unstarted=_is_unstarted(node),
            inside=_lines_inside(ast.parse(source) if shared else node, 0 if shared else first - 1),
        )


def _lines_inside(tree: ast.AST, above: int) -> frozenset[int]:
    """The lines that begin within a text, which must stay as they are; ``above`` is not counted."""
    texts = {
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant | ast.JoinedStr)
    }
    inside: set[int] = set()
    reached = 0
    for first, last in sorted(texts):  # texts may stand in texts, and no line is counted twice
        inside.update(range(max(first, reached) + 1 - above, last + 1 - above))
        reached = max(reached, last)
    return frozenset(inside)


def _names(table: symtable.SymbolTable) -> tuple[frozenset[str], frozenset[str]]:
    """The global names that a statement binds, and those that it or anything inside it reads or declares.

    ``global calls`` and ``calls += 1`` alone make no read of it in Python's own tables.
    """
    binds = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
    }
    uses = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    inner = table.get_children()
    while inner:
        scope = inner.pop()
        inner += scope.get_children()
        uses |= {
            symbol.get_name()
            for symbol in scope.get_symbols()
            if symbol.is_declared_global() or (symbol.is_global() and symbol.is_referenced())
        }
    return frozenset(binds), frozenset(uses)


def _changed_names(node: ast.stmt) -> frozenset[str]:
    """The names that a statement reaches into: stores below them, or calls methods of them."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset()
    changed: set[str] = set()
    for part in ast.walk(node):
        target: ast.expr | None = None
        if isinstance(part, ast.Attribute | ast.Subscript) and not isinstance(part.ctx, ast.Load):
            target = part
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            target = part.func
        while isinstance(target, ast.Attribute | ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name):
            changed.add(target.id)
    return frozenset(changed)


def _kind(node: ast.stmt) -> Literal["future", "star", "definition", "other"]:
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return "future"
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        return "star"
    defines = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return "definition" if defines else "other"


def _is_safe(node: ast.stmt) -> bool:
    """A function with plain defaults and annotations and no decorator, a literal, a well-known module."""
    if isinstance(node, ast.FunctionDef):
        given = node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        annotations = [node.returns, *(argument.annotation for argument in every if argument)]
        defaults = [*given.defaults, *given.kw_defaults]
        return (
            not node.decorator_list
            and all(map(_is_plain_type, annotations))
            and all(map(_is_literal, defaults))
        )
    if isinstance(node, ast.Import):
        return all(alias.name in _SAFE_MODULES for alias in node.names)
    if isinstance(node, ast.AnnAssign):
        named = isinstance(node.target, ast.Name)
        return named and _is_plain_type(node.annotation) and _is_literal(node.value)
    if isinstance(node, ast.Assign):
        return _is_literal(node.value) and all(isinstance(target, ast.Name) for target in node.targets)
    return False


def _is_plain_type(node: ast.expr | None) -> bool:
    """An annotation of built-in types alone, such as ``list[int] | None``."""
    if isinstance(node, ast.Name):
        return node.id in _SAFE_NAMES
    if isinstance(node, ast.Subscript):
        named = isinstance(node.value, ast.Name) and node.value.id in _COLLECTIONS
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return named and all(map(_is_plain_type, parts))
    if isinstance(node, ast.BinOp):
        constants = [side.value for side in (node.left, node.right) if isinstance(side, ast.Constant)]
        sides = map(_is_plain_type, (node.left, node.right))
        return isinstance(node.op, ast.BitOr) and constants in ([], [None]) and all(sides)
    return node is None or isinstance(node, ast.Constant)


def _is_literal(node: ast.expr | None) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and _is_number(node.operand)
    if isinstance(node, ast.List | ast.Tuple):
        return all(map(_is_literal, node.elts))
    return node is None or isinstance(node, ast.Constant)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _is_unstarted(node: ast.stmt) -> bool:
    """What a stub holds: ``NAME = None``, or a function that does nothing or raises NotImplementedError."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return isinstance(node.value, ast.Constant) and node.value.value is None
    if not isinstance(node, ast.FunctionDef):
        return False
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if not body:
        return True
    first = body[0]
    if isinstance(first, ast.Raise):
        raised = first.exc.func if isinstance(first.exc, ast.Call) else first.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    nothing = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return len(body) == 1 and (nothing or isinstance(first, ast.Pass))
