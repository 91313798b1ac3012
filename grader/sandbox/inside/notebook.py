"""Run the cells of a notebook in order in one namespace, as Jupyter does.

Runs in the child. Lines for Jupyter only (``%magic``, ``!shell``, ``name?``) are blanked where Python cannot
parse them, and only there: inside a string or a formula the same characters belong to the student. One thing
is kinder than in Jupyter: a copy of a stub never replaces an answer.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
import types
from collections.abc import Collection
from typing import Any

from .statements import FOLDER, Statements

MAX_PARSES = 4  # how often the text of one cell is parsed at most to find its lines for Jupyter

_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun", "python", "python3"})
_WHOLE_CELL = re.compile(r"\s*%%(\w+)[^\n]*")
_MODULE = re.compile(r"\s*%%(?:writefile|file)\s+(?:\./)?([A-Za-z_]\w*\.py)\s*\n")
_FOR_JUPYTER = re.compile(r"\s*(?:[%!?]|(?:[\w.]+\s*=\s*)[%!])|.*\?\s*$")
# What a line for Jupyter becomes: Python that binds the same name.
_AS_PYTHON = (
    (re.compile(r"(\s*)%time\s+(\S.*)"), r"\1\2"),
    (re.compile(r"(\s*[\w.]+\s*=\s*)[%!].*"), r"\1None"),
    (re.compile(r"(\s*).*"), r"\1pass"),
)
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
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")


class Shell:
    """What ``get_ipython()`` returns: any method may be called, and only Python is run."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    def __getattr__(self, name: str) -> Any:
        """Return a function that does nothing."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None

    def run_cell_magic(self, magic: str, line: str, cell: str) -> None:
        """Run a cell below a magic as nbconvert writes it; another language is passed over."""
        self._notebook.run(f"%%{magic} {line}\n{cell}", f"a cell below %%{magic}", ())

    def run_line_magic(self, magic: str, line: str, *_: object) -> None:
        """Run a line behind ``%time``; other magics do nothing."""
        self._notebook.run(f"%{magic} {line}", f"a line behind %{magic}", ())


class Notebook:
    """The namespace of a notebook and the cells run in it; ``module`` is its ``__main__``."""

    def __init__(self, files: dict[str, bytes], statements: Statements) -> None:
        self.module = types.ModuleType("__main__")
        self._files, self._statements = files, statements
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self._stubs: dict[str, object] = {}
        self._unset: set[str] = set()
        sys.modules["__main__"] = self.module
        shell = Shell(self)
        vars(builtins).update(get_ipython=lambda: shell, display=lambda *_, **__: None)

    def run(self, source: str, place: str, answers: Collection[str], above: int = 0) -> None:
        """Run a cell; ``place`` names it in messages, ``above`` counts lines that stand above it there.

        ``answers`` are the functions asked for, and ``*`` if names in capitals are asked for, too.

        Raises:
            SyntaxError: It is not Python.
            BaseException: A statement raised it; the rest of the cell was not run.
        """
        if found := _MODULE.match(source):
            self._files[found[1]] = source[found.end() :].encode("utf-8", "backslashreplace")
            return
        if is_other_language(source):
            return
        try:
            lines, tree = parse_cell(source, FOLDER + place)
            stubs = self._blank_stubs(lines, tree.body, answers)
        except (MemoryError, RecursionError):
            raise SyntaxError("it is nested too deeply to be read", (FOLDER + place, 0, 0, "")) from None
        except SyntaxError as error:
            at = (FOLDER + place, (error.lineno or 1) + above, error.offset, error.text)
            raise SyntaxError(error.msg, at) from None
        names = vars(self.module)
        try:
            # An import from __future__ holds for the cells below, too.
            text = "\n" * above + "\n".join(lines)
            self._flags |= self._statements.run(text, place, names, flags=self._flags, unset=self._unset)
        finally:
            self._stubs |= {name: names.get(name) for name in stubs}

    def _blank_stubs(self, lines: list[str], body: list[ast.stmt], answers: Collection[str]) -> set[str]:
        """Blank a cell's statements that would undo an answer; return the names that it leaves as stubs."""
        names = vars(self.module)
        started = {n for n in names if names[n] is not None and names[n] is not self._stubs.get(n)}
        stubs: set[str] = set()
        ends = [0, *(node.end_lineno or 0 for node in body)]
        # A decorator stands above the line of its function.
        firsts = [min([n.lineno, *(one.lineno for one in getattr(n, "decorator_list", ()))]) for n in body]
        starts = [*firsts[1:], sys.maxsize]
        for node, first, last, following in zip(body, firsts, ends, starts, strict=False):
            own = {n for n in bound(node) if n in answers or ("*" in answers and _CONSTANT.fullmatch(n))}
            end = node.end_lineno or node.lineno
            if not is_stub(node):
                started |= own
                stubs -= own
            elif not own <= started:
                stubs |= own
            elif own and last != first and following != end:
                # Of several statements in one line none can be blanked alone.
                lines[first - 1 : end] = [""] * (end - first + 1)
        return stubs


def bound(node: ast.stmt) -> set[str]:
    """Return the names that a definition or an assignment binds."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    names = (name for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def is_stub(node: ast.stmt) -> bool:
    """Return whether it is a stub's: ``NAME = None``, a function that does nothing or is not implemented."""
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    if not isinstance(node, ast.FunctionDef):
        return False
    texts = (one.value if isinstance(one, ast.Expr) else one for one in node.body)
    match [one for one in texts if not isinstance(one, (ast.Pass, ast.Constant))]:
        case []:
            return True
        case [ast.Raise(ast.Name("NotImplementedError") | ast.Call(ast.Name("NotImplementedError"))), *_]:
            return True
    return False


def is_other_language(source: str) -> bool:
    """Return whether a magic makes the whole cell another language, such as ``%%bash``."""
    found = _WHOLE_CELL.match(source)
    return found is not None and found[1] not in _CELL_MAGICS


def parse_cell(source: str, filename: str) -> tuple[list[str], ast.Module]:
    """Return the lines of a cell, those for Jupyter blanked, and their syntax tree.

    The cell is parsed ``MAX_PARSES`` times at most.

    Raises:
        SyntaxError: It is not Python, even without the lines for Jupyter.
        RecursionError: It is nested too deeply; MemoryError too.
    """
    lines = source.split("\n")
    blanked: set[int] = set()
    for left in reversed(range(MAX_PARSES)):
        try:
            return lines, ast.parse("\n".join(lines), filename)
        except ValueError:
            raise SyntaxError("it holds null characters", ("", 1, 0, "")) from None
        except SyntaxError as error:
            at = (error.lineno or 0) - 1
            if not left or not 0 <= at < len(lines) or not _FOR_JUPYTER.match(lines[at]):
                raise
        # The first time, blank all lines that are certainly for Jupyter; later only the one Python names.
        fresh = {at} if blanked else {at, *_sure_lines(source)}
        for number in fresh - blanked:
            found = ((pattern.fullmatch(lines[number]), python) for pattern, python in _AS_PYTHON)
            lines[number] = next(match.expand(python) for match, python in found if match)
        blanked |= fresh
    raise AssertionError("the last parse returns or raises")


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
        piece, upto = (found[0], found.start()) if found else ("\n", len(source))
        if piece == "\n" and began == number and not depth and source[at:upto].rstrip().endswith("?"):
            sure.add(number)  # help on a name; a string or a comment that ends so is a piece
        at = upto + len(piece)
        number += piece.count("\n")
        depth = max(0, depth + (piece in "([{") - (piece in ")]}"))
        starts = piece == "\n" and not depth
    return sure
