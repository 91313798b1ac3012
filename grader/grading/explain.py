"""Why a visible test failed, in the words of :mod:`grader.bundle.wording`: a test's exchange -> one sentence.

Only exchanges of imports and visible tests come here. Their asides hold what a submission said, with checked
types (:mod:`grader.sandbox.reply`); what is quoted of it is bounded and cleaned by the wording.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Mapping
from typing import Any

from grader.bundle import display, wording
from grader.bundle.failure import Call, Comparison, failed_check, failed_raises
from grader.course.model import Limits
from grader.sandbox.inside import wire
from grader.suite.run import Exchange

_APPROXIMATE = re.compile(r"(?P<value>\S+) ± (?P<within>\S+)")
_NO_LINE = "EOF when reading a line"
_NEWER_SYNTAX: tuple[tuple[tuple[int, int], re.Pattern[str]], ...] = (
    ((3, 12), re.compile(r"\s*type\s+\w+\s*(\[.*\])?\s*=")),
    ((3, 12), re.compile(r"\s*(async\s+)?(def|class)\s+\w+\s*\[")),
    # A name in small letters behind the comma is how Python 2 named the error: no later version reads that.
    ((3, 14), re.compile(r"\s*except\s*\*?\s+\w+(\.\w+)*\s*,\s*(\w+\.)*[A-Z]\w*\s*:")),
    ((3, 14), re.compile(r".*(?<!\w)([tT][rR]?|[rR][tT])(\"|')")),
    ((3, 15), re.compile(r"\s*lazy\s+(import|from)\s")),
)
"""The first Python version that reads a line of this form."""


def place_of(aside: Mapping[str, Any]) -> str:
    """Where in the submission an exception came from, such as ``reservation.py line 41``."""
    if not aside.get("where"):
        return ""
    file, line, _function = aside["where"][-1]
    return f"{display.display_text(file, 60)} line {line}"


def call_of(request: Mapping[str, Any]) -> str:
    """The call as it would be typed."""
    if request["verb"] == "constant":
        return str(request["name"])
    arguments = [_argument(argument) for argument in request["arguments"]]
    keywords = {key: _argument(value) for key, value in request["keywords"]}
    return display.call_text(request["name"], arguments, keywords)


class _Shown:
    """A value of which only the text is there."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _argument(tree: Any) -> object:
    """An argument for a call's text; a generator is shown by its items."""
    if type(tree) is dict and "g" in tree:
        return _Shown(f"(n for n in {wire.decode(tree['g'])!r})")
    return wire.decode(tree)


def failed_test(
    exchange: Exchange,
    failure: Mapping[str, str],
    limits: Limits,
    expected: str = "",
    asked: Collection[str] = (),
) -> str:
    """One sentence on a failed test, from its latest exchange and the failure's facts.

    ``expected`` is what the failing line of the test says it expects, ``asked`` the functions that the
    exercise asks for in this file.
    """
    request, verdict, aside = exchange.request, exchange.verdict, exchange.aside
    call = call_of(request)
    kind = verdict["kind"]
    if kind in ("missing", "uncallable", "not-loaded"):
        return _not_called(kind, call, request, aside, asked)
    if kind == "stopped":
        return stopped(call, verdict["reason"], aside, limits)
    if kind == "value" and failure.get("error") == "NotImplementedError":
        return wording.not_started(request["name"], failure.get("todo", ""), f"{request['module']}.py")
    if kind == "raised":
        return _raised(call, request, aside, expected)
    return _wrong_value(call, exchange, failure)


def _not_called(
    kind: str, call: str, request: Mapping[str, Any], aside: Mapping[str, Any], asked: Collection[str]
) -> str:
    """One sentence on a call for which there was no function."""
    name, file = request["name"], f"{request['module']}.py"
    if kind == "missing":
        return wording.missing_name(name, file, aside.get("names", ()), asked)
    if kind == "uncallable":
        return f"{name} in {file} is not a function: define it with def."
    return f"{call} was not run: {file} could not be imported."


def stopped(call: str, reason: str, aside: Mapping[str, Any], limits: Limits) -> str:
    """One sentence on a call that a limit, or the program itself, ended."""
    if reason == "memory":
        return wording.too_much_memory(call)
    if reason == "budget":
        return (
            f"{call} was not finished: the calls so far have used up the time that there is for one hand-in."
        )
    if reason == "time":
        return wording.too_slow(call, aside.get("seconds", limits.call_cpu_seconds))
    if reason == "crashed":
        return f"{call} crashed Python itself; a recursion that never ends can do that."
    if reason == "protocol":
        return f"{call} gave no answer that could be read."
    how = wording.EXIT if aside.get("type") == "SystemExit" else "exit"
    return wording.ended_program(call, how, place_of(aside))


def _raised(call: str, request: Mapping[str, Any], aside: Mapping[str, Any], expected: str) -> str:
    error, text = aside.get("type", "an error"), aside.get("text", "")
    if error == "NotImplementedError":
        raised_in = aside["where"][-1][2] if aside.get("where") else ""
        if raised_in.isidentifier() and raised_in != request["name"]:
            return wording.needs_other(call, raised_in, text)
        return wording.not_started(request["name"], text[:60], f"{request['module']}.py")
    if aside.get("signature"):
        return wording.wrong_arguments(call, text)
    if error == "RecursionError":
        return wording.too_deep(call, place_of(aside))
    if (error, text) == ("EOFError", _NO_LINE) and aside.get("where"):
        file, line, _function = aside["where"][-1]
        return wording.asks_for_input(display.display_text(file, 60), line)
    return wording.raised(call, error, text, place_of(aside), expected)


def _wrong_value(call: str, exchange: Exchange, failure: Mapping[str, str]) -> str:
    request, verdict = exchange.request, exchange.verdict
    got = wire.decode(verdict["value"])
    kind = exchange.aside.get("type", "object") if isinstance(got, wire.Opaque) else ""
    changed = [
        (wire.decode(request["arguments"][position]), wire.decode(content))
        for position, content in verdict.get("changed", ())
    ]
    calls = [Call(call, got, "is" if request["verb"] == "constant" else "returned", kind, changed)]
    what, expected = failure.get("what", ""), failure.get("expected", "")
    if what == "raises":
        return failed_raises(calls, expected)
    left = changed[0][1] if what == "argument" and changed else got
    compared = Comparison("==", left, _expected(expected)) if what else None
    said = failure.get("message", "")
    return failed_check(calls, compared, f"{said}\nassert " if said else "assert ")


def _expected(text: str) -> object:
    """What a test wanted, from its text: of ``0.5 ± 1.0e-09`` the number that it is near to."""
    near = _APPROXIMATE.fullmatch(text)
    try:
        return ast.literal_eval(near["value"] if near else text)
    except (ValueError, SyntaxError):
        return _Shown(text)


def failed_import(file: str, exchange: Exchange, limits: Limits) -> str:
    """One sentence on a file that could not be imported."""
    aside = exchange.aside
    if exchange.verdict["kind"] == "stopped" and aside.get("type") != "SystemExit":
        return _stopped_import(file, exchange.verdict["reason"], limits)
    if "syntax" in aside:
        return _syntax(file, aside)
    line = None
    if aside.get("where"):  # which may be in a helper
        place, line, _function = aside["where"][-1]
        file = display.display_text(place, 60)
    if aside.get("type") == "SystemExit":
        return wording.ended_import(file, line=line)
    return _raised_import(file, aside, line)


def _raised_import(file: str, aside: Mapping[str, Any], line: int | None) -> str:
    error, text = aside.get("type", "an error"), aside.get("text", "")
    if error == "EOFError":
        return wording.asks_for_input(file, line)
    if error == "ModuleNotFoundError":
        return _missing_module(file, aside.get("module", ""), line)
    if error == "TclError":
        at = f" line {line}" if line else ""
        return f"{file}{at} opens a window, and there is no screen here: leave that out."
    return wording.import_failed(file, error, text, line)


def _stopped_import(file: str, reason: str, limits: Limits) -> str:
    if reason == "time":
        return wording.slow_import(file, limits.import_cpu_seconds)
    if reason == "memory":
        return wording.too_much_memory(f"Importing {file}")
    if reason == "crashed":
        return f"{file} crashed Python itself while it was being imported."
    if reason == "budget":
        return f"{file} was not imported: the time that there is for one hand-in was used up before."
    if reason == "protocol":
        return f"{file} gave no answer that could be read while it was being imported."
    return wording.ended_import(file, "exit")


def _syntax(file: str, aside: Mapping[str, Any]) -> str:
    place, line, column, source = aside["syntax"]
    file, text = display.display_text(place, 60) or file, aside.get("text", "")
    if why := _no_text(text, line):
        return wording.unreadable(file, why)
    if needed := python_needed(source):
        return wording.newer_python(file, line, needed, f"{sys.version_info.major}.{sys.version_info.minor}")
    return wording.not_python(file, line or None, text, source, column)


def python_needed(line: str, running: tuple[int, int] = sys.version_info[:2]) -> str:
    """The first Python version that reads this line, if newer than the running one; else an empty text."""
    for version, form in _NEWER_SYNTAX:
        if version > running and form.match(line):
            return f"{version[0]}.{version[1]}"
    return ""


def _no_text(error: str, line: int) -> str:
    """Why a file is not even text to Python, in what it says of that; empty where it is."""
    if "null bytes" in error:
        return "it holds NUL characters; save it as UTF-8"
    if error.startswith("(unicode error) 'utf-8'"):
        return f"it is not text in UTF-8{f' (line {line})' if line else ''}; save it so"
    if error.startswith(("unknown encoding", "encoding problem")):
        return "its coding line does not name the encoding that it has; remove that line and save it as UTF-8"
    return ""


def _missing_module(file: str, module: str, line: int | None) -> str:
    at = f" (line {line})" if line else ""
    name = display.display_text(module, 60)
    return (
        f"{file} imports {name}{at}, which is neither in Python's standard library nor among the files that "
        f"were handed in: hand in {name}.py too if it is yours, or do without it."
    )
