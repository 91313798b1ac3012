"""Sentences that terminal and page share; the grader's own are in ``grading/sentences.py``.

Texts and values may come from a student, so each is shown by the functions of ``display.py``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable

from .display import TEXT_LIMIT, display_text, value_pair, value_text

STATES = {
    "stopped": ("stopped", "\u25a0", "!"),
    "not-run": ("not run", "\u2013", "-"),
    "needs-work": ("needs work", "\u2717", "x"),
    "not-started": ("not started", "\u25cb", "o"),
    "passed": ("passed", "\u2713", "+"),
}
"""The states, worst first: each with its word, its symbol, and its symbol in ASCII."""


def worst(states: Collection[str]) -> str:
    """The state of several tests or criteria together: the worst; empty for none.

    Some passed and some not started means that the work is begun, which is *needs-work*.
    """
    if set(states) == {"passed", "not-started"}:
        return "needs-work"
    return next((state for state in STATES if state in states), "")


EXIT = "sys.exit() or quit()"
"""What a program called to end itself; which of the two cannot always be known."""
LOOPS = "does every loop in it come to an end?"

_KINDS = {
    "bool": "a yes or no",
    "str": "text, in quotes",
    "float": "a float",
    "list": "a list",
    "tuple": "a tuple of values",
    "dict": "a dictionary",
    "set": "a set of values",
    "generator": "a generator of values",
}
_CALL_IT = "This is a function itself: call it, with its arguments in parentheses."
_NOTES = {
    "coroutine": "The function begins with async def: write def.",
    **dict.fromkeys(("function", "method", "builtin_function_or_method"), _CALL_IT),
}


def returned(call: str, got: object, expected: object, kind: str = "", expected_text: str = "") -> str:
    """A call returned a wrong value.

    ``kind`` names the type when ``got`` only stands for the real value. ``expected_text`` says what was
    expected when that is not one value (``a number below 1``).
    """
    shown, wanted = value_pair(got, expected)
    shown = got_text(got, kind) if kind else shown
    note = _type_note(got, expected, kind)
    return f"{call} returned {shown}; expected {expected_text or wanted}.{f' {note}' if note else ''}"


def got_text(got: object, kind: str) -> str:
    """Write a value as text, or only its type when ``kind`` names one."""
    return f"a value of type {display_text(kind, 80)}" if kind else value_text(got)


def _type_note(got: object, expected: object, kind: str) -> str:
    """A remark on a value of the wrong type; empty when the type is right."""
    name = kind or type(got).__name__
    if name in _NOTES:
        return _NOTES[name]
    if name == "NoneType" and expected is not None:
        return "Does the function print its answer, or miss a return at its end?"
    if isinstance(expected, bool):
        return "" if name == "bool" else "True or False is asked here."
    numbers = ("int",) if type(expected) is int else ("int", "float", "Fraction")
    if isinstance(expected, (int, float)) and name not in numbers:
        promised = "whole number (int)" if type(expected) is int else "number"
        if kind and name not in _KINDS:
            return f"The docstring says it returns a {promised}."
        this = _KINDS.get(name) or f"of type {display_text(name, 80)}"
        return f"This is {this}; the docstring says it returns a {promised}."
    return ""


def raised(call: str, error: str, text: str = "", where: str = "", expected: str = "") -> str:
    """A call raised an error; ``where`` is like ``lab.py line 41``."""
    wanted = f"; expected {expected}" if expected else ""
    return f"{call} raised {display_text(error, 80)}{_said(text)}{_place(where)}{wanted}."


def an(noun: str) -> str:
    """The noun with its article, a or an."""
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"


def wrong_arguments(call: str, text: str = "") -> str:
    """A function does not accept the arguments of the stub; ``text`` is what Python says about it."""
    said = f" ({display_text(text).rstrip('.')})" if text.strip() else ""
    keep = "Keep its first line as it was in the stub."
    return f"{call} was not accepted: the function takes other arguments{said}. {keep}"


def not_started(name: str, todo: str = "", file: str = "") -> str:
    """A task is still a stub."""
    place = ", ".join(part for part in (file, display_text(todo, 60)) if part)
    return f"{name} is not started{f': {place}' if place else ''}."


def not_a_function(name: str, file: str) -> str:
    """A task's name stands for something else than a function."""
    return f"{name} in {file} is not a function: define it with def."


def missing_name(name: str, file: str, there: Iterable[str] = (), asked: Iterable[str] = ()) -> str:
    """A file lacks a function or constant; the sentence names the most similar name among ``there``.

    Names in ``asked`` are tasks themselves, so they are never suggested.
    """
    known = {other.lower(): other for other in sorted(set(there) - set(asked))}
    near = difflib.get_close_matches(name.lower(), known, 1, 0.8)
    if not near:
        return f"{file} has no {name}. Put it back under this name: {name}."
    found = known[near[0]]
    odd = next((place for place, letter in enumerate(found) if not letter.isascii()), None)
    looks = "" if odd is None else f" (its letter {odd + 1}, U+{ord(found[odd]):04X}, only looks alike)"
    return f"{file} has no {name}. It has {display_text(found, 80)}{looks}: give it the name {name}."


def empty_file(file: str) -> str:
    """A file is empty."""
    return f"{file} is empty: save your work under this name and hand it in again."


def too_slow(call: str, seconds: float) -> str:
    """A call reached its time limit."""
    return f"{call} took too long and was stopped after {seconds_text(seconds)}: {LOOPS}"


def too_much_memory(call: str) -> str:
    """A call reached the memory limit."""
    why = "does it build a list that grows without end, or raise a MemoryError itself?"
    return f"{call} asked for too much memory and was stopped: {why}"


def too_deep(call: str, where: str = "") -> str:
    """A call raised RecursionError."""
    return f"{call} called itself too often (RecursionError){_place(where)}."


def ended_program(call: str, how: str = EXIT, where: str = "") -> str:
    """A call ended Python instead of returning."""
    place = f" at {where}" if where else ""
    return f"{call} ended the whole program ({display_text(how, 80)}{place}) instead of returning its answer."


def ended_import(file: str, how: str = EXIT, line: int | None = None) -> str:
    """A file ends Python while it is imported."""
    how = display_text(how, 80) + _at(line, " in ")
    return f"{file} ends the program while it is being read ({how}): remove that call."


def not_python(file: str, line: int | None, why: str, source: str = "", column: int = 0) -> str:
    """A file has a syntax error; ``column`` (from 1) is told for a character that Python does not know."""
    shown = f" The line reads: {display_text(source, 120)}" if source.strip() else ""
    why = display_text(why).rstrip(".")
    if "character" in why and "U+" in why:
        place = f" in column {column}" if column else ""
        why += f"{place}, probably copied from a page or a document: type it again yourself"
    return f"{file}{_at(line)} is not valid Python: {why}{'' if why.endswith('?') else '.'}{shown}"


def import_failed(file: str, error: str, text: str = "", line: int | None = None) -> str:
    """A file raised an error while it was imported; for two common causes, what to change."""
    if half := re.search(r"partially initialized module '(?P<module>\w{1,60})'", text):
        other = f"{half['module']}.py"
        return (
            f"{file}{_at(line)} needs something of {other}, which in turn waits for {file}: the two import "
            "each other. Move what both need into one of them."
        )
    if text.startswith("attempted relative import"):
        return f"{file}{_at(line)} imports with a leading dot, which only a package may: leave the dot out."
    return f"{file} could not be imported: {display_text(error, 80)}{_said(text)}{_at(line, ', at ')}."


def asks_for_input(file: str, line: int | None = None) -> str:
    """A file calls ``input()``, while it is imported or in a call."""
    return f"{file} calls input(){_at(line, ' in ')}, and nobody answers it here: use a fixed value instead."


def slow_import(file: str, seconds: float) -> str:
    """The import of a file reached its time limit."""
    took = f"took too long to import and was stopped after {seconds_text(seconds)}"
    return f"{file} {took}: move loops into the functions."


def unreadable(file: str, why: str) -> str:
    """A file is not text that Python can run."""
    return f"{file} could not be read: {display_text(why).rstrip('.')}."


def nul_characters(file: str, line: int | None = None) -> str:
    """A file holds bytes that no text has."""
    return unreadable(file, f"it holds NUL characters{f' (line {line})' if line else ''}; save it as UTF-8")


def not_utf8(file: str, line: int | None = None) -> str:
    """A file is text in another encoding than Python expects."""
    return unreadable(file, f"it is not UTF-8 text{f' (line {line})' if line else ''}; save it as UTF-8")


def newer_python(file: str, line: int | None, needs: str, runs: str) -> str:
    """A file uses syntax of a newer Python than this one."""
    return f"{file}{_at(line)} needs Python {needs} or newer; this is Python {runs}."


def seconds_text(count: float) -> str:
    """Write a number of seconds: ``1 second``, ``0.2 seconds``."""
    return f"{count:g} second{'' if count == 1 else 's'}"


def _at(line: int | None, before: str = " ") -> str:
    return f"{before}line {line}" if line else ""


def _said(text: str, limit: int = TEXT_LIMIT) -> str:
    """What Python said, behind a colon; empty if it said nothing."""
    return f": {display_text(text, limit).rstrip('.')}" if text.strip() else ""


def _place(where: str) -> str:
    return f", at {where}" if where else ""


def needs_other(call: str, other: str, todo: str) -> str:
    """A function calls another one that is still a stub."""
    return f"{call} calls {display_text(other, 80)}, which is not started{_said(todo, 60)}."


def left_over(call: str, where: str) -> str:
    """A function that has code still raises the stub's error."""
    return f"{call} raised NotImplementedError: delete the line raise NotImplementedError(...) ({where})."


def cached(call: str, text: str = "unhashable type: 'list'") -> str:
    """A decorator such as lru_cache was given a list."""
    return (
        f"{call} raised TypeError{_said(text)}; a decorator such as @lru_cache cannot "
        "remember calls with a list: remove the line above def."
    )


def no_module(file: str, line: int | None, name: str) -> str:
    """A file imports a module that is not there when it is graded."""
    name = display_text(name, 60)
    return (
        f"{file}{_at(line)} imports {name}, which is not there when you are graded: use sum(), max() and "
        f"loops, or hand in {name}.py too if it is your own file."
    )


def where(name: str, file: str, title: str = "") -> str:
    """Where to work on a task: its file, the TODO that its title names, and its function."""
    todo = re.search(r"TODO \d+(?: to \d+)?", title)
    function = "" if file == f"{name}.py" else name
    if todo:
        return f"{file}, {todo[0]}{f' ({function})' if function else ''}"
    return f"{file}, {function}" if function else file
