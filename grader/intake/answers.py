"""Find what a source file or a notebook answers, to join sources that each answer a part.

It parses what was handed in, so it is called only in a process with limits.
"""

import ast
import re
import sys
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import decode_source

from grader.course.model import Exercise
from grader.intake.decode import python_bytes
from grader.intake.notebook.read import NotebookError, read_document
from grader.sandbox.inside.notebook import bound, is_stub, parse_cell

_MOST_STATEMENTS = 10_000  # lines and semicolons of a source that is looked into; parsing takes long
_CONSTANT = re.compile(rb"^([A-Z][A-Z0-9_]*) = None  # TODO", re.MULTILINE)
_NAMED = re.compile(rb"^(?:(?:async\s+)?def\s+(\w+)\s*\(|([A-Z][A-Z0-9_]*)\s*(?::[^=\n]*)?=)", re.MULTILINE)
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NOT_PYTHON = (SyntaxError, ValueError, LookupError, MemoryError, RecursionError)


def asked_in(exercise: Exercise, *names: str) -> frozenset[str]:
    """Return the functions and the constants that files of an exercise ask for."""
    functions = {function for name in names for function in exercise.functions[name]}
    constants = (_constants_in(exercise.released.get(name, b"")) for name in names)
    return frozenset(functions.union(*constants))


@lru_cache
def _constants_in(stub: bytes) -> frozenset[str]:
    return frozenset(found.decode() for found in _CONSTANT.findall(stub))


def names_in(data: bytes) -> set[str]:
    """Return the functions and the constants that a text defines, also half a file; nothing is parsed."""
    return {(found[1] or found[2]).decode("utf-8", "replace") for found in _NAMED.finditer(data)}


@dataclass(frozen=True)
class Source:
    """A source file or a notebook: its path, its text or that of each cell, and what it ``answers``.

    ``answers`` is None if that is not known: it cannot be read, is too long to parse, gets its names from
    another module, or defines them below an ``if`` and the like. ``changed`` says what was changed so that
    it can be read.
    """

    path: str
    texts: Sequence[str]
    answers: frozenset[str] | None
    changed: str = ""


def read_source(expected: str, path: str, data: bytes | None, exercise: Exercise) -> Source:
    """Read a file, or the student's cells of a notebook, as what is asked for under the ``expected`` name."""
    if data is None or data == exercise.released.get(expected):
        return Source(path, (), None if data is None else frozenset())
    changed = ""
    try:
        if expected == exercise.notebook:
            cells = read_document(data, exercise).cells
            texts = [cell.source for cell in cells if cell.kind in ("answer", "other")]
        else:
            plain, changed = python_bytes(data)
            texts = [decode_source(plain)]
    except (NotebookError, *_NOT_PYTHON):
        return Source(path, (), None)
    if sum(text.count("\n") + text.count(";") for text in texts) > _MOST_STATEMENTS:
        return Source(path, (), None)
    files = exercise.files if expected == exercise.notebook else (expected,)
    return Source(path, texts, answered_in(texts, asked_in(exercise, *files)), changed)


def answered_in(texts: Sequence[str], asked: Collection[str]) -> frozenset[str] | None:
    """Return which of the names that are ``asked`` for the texts answer; None if that is not known."""
    found: set[str] = set()
    is_known = bool(asked)
    for text in (text for text in texts if "import" in text or any(name in text for name in asked)):
        body = _parsed(text)
        is_known = is_known and body is not None
        for node in body or ():
            found |= set() if is_stub(node) else bound(node) & {*asked}
            # What Python's own modules hold is known: none of the names.
            own = isinstance(node, ast.ImportFrom) and node.module in sys.stdlib_module_names
            if {*_imported(node), *_bound_within(node)} & ({*asked} if own else {*asked, "*"}):
                return None
    return frozenset(found) if found or is_known else None


def _imported(node: ast.stmt) -> dict[str, str]:
    """Return the names that an import binds, or ``*``, with what they mean."""
    if isinstance(node, ast.ImportFrom):
        return {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    names = node.names if isinstance(node, ast.Import) else ()
    return {one.asname or one.name.partition(".")[0]: one.name for one in names}


def _meanings(node: ast.stmt) -> dict[str, str]:
    """Return the names that a statement binds, with what they mean."""
    names = bound(node) | _bound_within(node)
    return _imported(node) | dict.fromkeys(names, ast.dump(node) if names else "")


def _bound_within(node: ast.stmt) -> set[str]:
    """Return the names that statements below an ``if``, ``try``, ``with`` or a loop bind, imports too."""
    names: set[str] = set()
    todo = [] if isinstance(node, _DEFINED) else [*ast.iter_child_nodes(node)]
    while todo:
        inner = todo.pop()
        if isinstance(inner, ast.stmt):
            names |= {*_imported(inner), *([] if is_stub(inner) else bound(inner))}
        todo += [] if isinstance(inner, (*_DEFINED, ast.expr)) else ast.iter_child_nodes(inner)
    return names


def parts(
    sources: Sequence[Source], asked: Collection[str], equal: int = 1
) -> list[tuple[Source, frozenset[str]]]:
    """Return the sources that each answer a part of what is asked for, with the part that is taken of each.

    What the first one answers is taken of it. The list is empty where one source is enough, where two others
    (or two of the first ``equal`` ones, between which nothing decides) answer the same, and where a function
    would find another meaning of a name that it uses.
    """
    found: list[tuple[Source, frozenset[str]]] = []
    known: frozenset[str] = frozenset()
    for number, source in enumerate(sources):
        own = source.answers & frozenset(asked) if source.answers is not None else None
        if number < equal and (own is None or own & known):
            return []
        if not own:
            continue
        if own & (known - found[0][1] if found else known):
            return []
        if not own - known:
            continue
        if any(_clash(source, other, asked) for other, _ in found):
            return []
        found.append((source, own - known))
        known |= own
    return found if len(found) > 1 else []


def _clash(one: Source, other: Source, asked: Collection[str]) -> bool:
    """Return whether a name that a function of theirs uses means something else in each."""
    bodies = [[node for text in source.texts for node in _parsed(text) or ()] for source in (one, other)]
    try:
        meant = [{name: what for node in body for name, what in _meanings(node).items()} for body in bodies]
    except RecursionError:
        return True
    nodes = (node for body in bodies for top in body if isinstance(top, _DEFINED) for node in ast.walk(top))
    used = {node.id for node in nodes if isinstance(node, ast.Name)} - {*asked}
    both = used & meant[0].keys() & meant[1].keys()
    return meant[0].get("*") != meant[1].get("*") or any(meant[0][name] != meant[1][name] for name in both)


def without(text: str, names: Collection[str]) -> str:
    """Leave out what binds these ``names`` and what runs only in a program; lines keep their numbers."""
    body = _parsed(text)
    lines = text.encode().split(b"\n") if body else []
    for node in reversed(body or ()):
        tested = ast.walk(node.test) if isinstance(node, ast.If) else ()
        is_program = any(isinstance(part, ast.Name) and part.id == "__name__" for part in tested)
        if is_program or ((own := bound(node)) and own <= {*names}):
            decorators = getattr(node, "decorator_list", ())
            first = min([node.lineno, *(one.lineno for one in decorators)]) - 1
            last = (node.end_lineno or node.lineno) - 1
            begin = 0 if decorators else node.col_offset
            rest = lines[last][node.end_col_offset :]
            lines[first : last + 1] = [
                lines[first][:begin] + b"pass" + rest,
                *[b""] * (last - first),
            ]
    return b"\n".join(lines).decode() if body else text


def _parsed(text: str) -> list[ast.stmt] | None:
    """Parse a file or a cell; None if it is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some Pythons warn of "\d" in a student's string
            return parse_cell(text, "")[1].body
    except _NOT_PYTHON:
        return None
