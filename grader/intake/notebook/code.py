"""Split the code of one cell into top-level statements, with the names that each defines and needs.

Nothing is run. Any text takes a bounded number of passes, and gives statements or one reason why it does not.
Lines for Jupyter only (``%magic``, ``!shell``, ``name?``) are blanked where Python cannot parse them, and
only there: inside a string or a formula the same characters belong to the student.
"""

from __future__ import annotations

import ast
import re
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from grader.base.errors import GraderError

MAX_CELL = 64 << 10
"""Characters of one cell that are read at most."""
MAX_STATEMENTS = 5_000
"""Statements of one cell that are read at most."""

MAX_PARSES = 4
"""How often the text of one cell is parsed at most."""

_RUNS_PYTHON = frozenset({"time", "timeit", "capture", "prun", "python", "python3"})
_WHOLE_CELL = re.compile(r"\s*%%(\w+)")
_FOR_JUPYTER = re.compile(r"\s*(?:[%!?]|(?:[\w.]+\s*=\s*)[%!])|.*\?\s*$")
_ASSIGNED = re.compile(r"(\s*[\w.]+\s*=\s*)[%!].*")
# The same at the start of a statement, where Python never looks like that.
_SURELY = re.compile(r"[ \t\f]*(?:[%!?]|[\w.]+[ \t]*=[ \t]*[%!])")
# Strings, comments, brackets and line ends, which show where a statement can start; `*+` never backtracks.
_PIECE = re.compile(
    r'''"""(?:[^\\"]|\\.|"(?!""))*+(?:"""|\\?\Z)'''
    r"""|\'\'\'(?:[^\\']|\\.|'(?!''))*+(?:\'\'\'|\\?\Z)"""
    r"""|"(?:[^\\"\n]|\\.)*+"?|'(?:[^\\'\n]|\\.)*+'?"""
    r"|\#[^\n]*+|\\\n|[(\[{]|[)\]}]|\n",
    re.DOTALL,
)
_SAFE_MODULES = frozenset(
    ("collections", "decimal", "fractions", "functools", "itertools", "math", "operator", "statistics")
)
_COLLECTIONS = frozenset(("list", "tuple", "dict", "set", "frozenset"))
_SAFE_NAMES = _COLLECTIONS | {"int", "float", "str", "bool", "bytes", "complex", "object"}


class NotPythonError(GraderError):
    """A cell is not Python; ``line`` counts within the cell, ``why`` is Python's message."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line, self.why = line, why


@dataclass(frozen=True)
class Statement:
    """One top-level statement of a cell.

    ``binds`` are the global names that it assigns, ``changes`` those that it changes in place
    (``table[3] = 4``), ``uses`` those that it or a function in it reads. A ``safe`` statement (a plain
    function, a literal) can neither fail nor take long when it runs. An ``unstarted`` one is a stub's.
    ``inside`` are the numbers, from 1, of its lines that begin inside a string.
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
    """The statements of a cell, and how many of its lines were for Jupyter only."""

    statements: tuple[Statement, ...]
    for_jupyter: int


def read_code(source: str) -> Code:
    """Split the code of a cell into statements.

    Raises:
        NotPythonError: It does not compile, or is too large or nested too deeply.
    """
    if len(source) > MAX_CELL:
        raise NotPythonError(1, f"the cell has {len(source):,} characters, and at most {MAX_CELL:,} are read")
    if is_other_language(source):
        return Code((), source.count("\n") + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the student's code
        try:
            cell = parse_cell(source)
            if (count := len(cell.tree.body)) > MAX_STATEMENTS:
                raise NotPythonError(
                    1, f"the cell has {count:,} statements, and at most {MAX_STATEMENTS:,} are read"
                )
            return Code(tuple(_statements(cell.tree, cell.lines)), cell.for_jupyter)
        except SyntaxError as error:
            raise NotPythonError(error.lineno or 1, error.msg) from None
        except ValueError:  # a null character, in Python 3.11
            raise NotPythonError(1, "it holds null characters") from None
        except (RecursionError, MemoryError, OverflowError, SystemError):
            raise NotPythonError(1, "it is nested too deeply to be read") from None


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
            compile(source, "<cell>", "exec", dont_inherit=True)  # also finds a return outside a function
        except SyntaxError as error:
            raise NotPythonError(first - 1 + (error.lineno or 1), error.msg) from None
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
    """Return the lines that begin inside a string, which must not be indented, less ``above``."""
    texts = {
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant | ast.JoinedStr)
    }
    inside: set[int] = set()
    reached = 0
    for first, last in sorted(texts):  # strings may be nested; count no line twice
        inside.update(range(max(first, reached) + 1 - above, last + 1 - above))
        reached = max(reached, last)
    return frozenset(inside)


def _names(table: symtable.SymbolTable) -> tuple[frozenset[str], frozenset[str]]:
    """Return the global names that a statement binds, and those that it or a scope in it reads or declares.

    Python's symbol table does not count ``global calls`` with ``calls += 1`` as a read.
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
    """Return the names whose value a statement may change: by a store below them or a method call."""
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
    """Return whether it is a literal, a known import, or a function with plain defaults and no decorator."""
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
    """Return whether an annotation has built-in types only, such as ``list[int] | None``."""
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
        number = isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, int | float)
        return isinstance(node.op, ast.USub) and number
    if isinstance(node, ast.List | ast.Tuple):
        return all(map(_is_literal, node.elts))
    return node is None or isinstance(node, ast.Constant)


def _is_unstarted(node: ast.stmt) -> bool:
    """Return whether it is a stub's: ``NAME = None``, a function that does nothing or is not implemented."""
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


@dataclass(frozen=True)
class _Parsed:
    """The syntax tree of a cell, its lines as parsed, and how many of them were for Jupyter only."""

    tree: ast.Module
    lines: list[str]
    for_jupyter: int


def is_other_language(source: str) -> bool:
    """Return whether a magic makes the whole cell another language, such as ``%%bash``."""
    found = _WHOLE_CELL.match(source)
    return found is not None and found[1] not in _RUNS_PYTHON


def parse_cell(source: str) -> _Parsed:
    """Parse a cell, blanking lines for Jupyter; Python is asked at most ``MAX_PARSES`` times.

    Raises:
        SyntaxError: It is not Python, even without the lines for Jupyter.
        ValueError: It holds a null character.
        RecursionError: It is nested too deeply; MemoryError too.
    """
    lines = source.split("\n")
    blanked: set[int] = set()
    for _ in range(MAX_PARSES - 1):
        try:
            return _Parsed(ast.parse("\n".join(lines)), lines, len(blanked))
        except SyntaxError as error:
            at = (error.lineno or 0) - 1
            if not 0 <= at < len(lines) or not _FOR_JUPYTER.match(lines[at]):
                raise
        # The first time, blank all lines that are certainly for Jupyter; later only the one Python names.
        fresh = {at} if blanked else {at, *_sure_lines(source)}
        for number in fresh - blanked:
            lines[number] = _blanked(lines[number])
        blanked |= fresh
    return _Parsed(ast.parse("\n".join(lines)), lines, len(blanked))


def _blanked(line: str) -> str:
    """Replace a line for Jupyter by Python that binds the same name: ``files = !ls`` by ``files = None``."""
    if found := _ASSIGNED.match(line):
        return found[1] + "None"
    return line[: len(line) - len(line.lstrip())] + "pass"


def _sure_lines(source: str) -> set[int]:
    """Return the lines, from 0, for Jupyter that start where a statement can: not in a string or bracket."""
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
            sure.add(number)  # help on a name; a string or a comment that ends so is a piece
        at = end
        number += piece.count("\n")
        depth = max(0, depth + (piece in "([{") - (piece in ")]}"))
        starts = piece == "\n" and not depth
    return sure
