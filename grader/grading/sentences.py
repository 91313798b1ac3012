"""Explain a failed visible test, or a failed import, in one sentence for the student.

Sentences that a student's terminal shows as well are made by :mod:`grader.bundle.wording`; those that only
the grader can know of stand here. An exchange's aside holds what the submission said, with checked types
(:mod:`grader.sandbox.reply`); whatever is quoted from it is bounded and cleaned.
"""

import ast
import re
import sys
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from grader.bundle import display, hints, newer, wording
from grader.bundle.failure import (
    Call,
    Comparison,
    failed_check,
    failed_raises,
    left_over_raise,
    not_raised,
)
from grader.course.model import Limits
from grader.sandbox.inside import wire
from grader.suite.run import Exchange

_APPROXIMATE = re.compile(r"(?P<value>\S+) ± (?P<within>\S+)")
_NO_LINE = "EOF when reading a line"
_CANNOT_IMPORT = re.compile(r"cannot import name '(\w{1,60})' from '(\w{1,60})'")
_RUNS = f"{sys.version_info.major}.{sys.version_info.minor}"


class Source(NamedTuple):
    """A file that was handed in, or a cell of a notebook: its name, its text and the lines above it."""

    name: str
    text: str
    above: int = 0


class _Text:
    """A value that is known by its text alone."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def call_of(request: Mapping[str, Any]) -> str:
    """The call as it would be typed; a constant's name; a generator by its items."""

    def argument(tree: Any) -> object:
        if type(tree) is dict and "g" in tree:
            return _Text(f"(n for n in {wire.decode(tree['g'])!r})")
        return wire.decode(tree)

    if request["verb"] == "constant":
        return str(request["name"])
    arguments = [argument(tree) for tree in request["arguments"]]
    return display.call_text(request["name"], arguments, {k: argument(v) for k, v in request["keywords"]})


def _place(aside: Mapping[str, Any]) -> tuple[str, int | None]:
    """The file and line in the submission that an exception came from, as far as known."""
    if not aside.get("where"):
        return "", None
    file, line, _function = aside["where"][-1]
    return display.display_text(file, 60), line


def failed_test(  # noqa: PLR0911 - one return a kind
    exchange: Exchange,
    failure: Mapping[str, str],
    limits: Limits,
    *,
    expected: str = "",
    asked: Collection[str] = (),
    file: str = "",
    sources: Collection[Source] = (),
) -> str:
    """Explain a failed test by its latest exchange, and by what pytest knows of the failure.

    ``expected`` is what the failing line of the test says that it expects, ``asked`` are the functions asked
    for in this file. ``file`` is its name in messages (a notebook has another one than its module),
    ``sources`` are what was handed in for it.
    """
    request, verdict, aside = exchange.request, exchange.verdict, exchange.aside
    call, name, file = call_of(request), request["name"], file or f"{request['module']}.py"
    kind = verdict["kind"]
    if kind == "missing":
        return wording.missing_name(name, file, aside.get("names", ()), asked)
    if kind == "uncallable":
        return wording.not_a_function(name, file)
    if kind == "not-loaded":
        return f"{call} was not run: {file} could not be imported."
    if kind == "stopped":
        return _stopped(call, verdict["reason"], aside, limits)
    if kind == "value" and failure.get("error") == "NotImplementedError":
        return wording.not_started(name, failure.get("todo", ""), file)
    if kind == "raised":
        return _raised(call, exchange, expected, file, sources)
    return _wrong_value(call, exchange, failure)


def kind_of(exchange: Exchange, failure: Mapping[str, str], sources: Collection[Source] = ()) -> str:
    """The kind of a failed test, as :class:`grader.bundle.judge.Verdict` has it."""
    verdict, aside = exchange.verdict, exchange.aside
    if verdict["kind"] == "stopped":
        kinds = {"memory": "memory", "ended": "ended", "crashed": "RecursionError"}
        return kinds.get(verdict["reason"], "slow")
    if verdict["kind"] == "raised":
        error, where = aside.get("type", ""), aside.get("where")
        if error == "NotImplementedError" and where and place_of_raise(sources, where[-1][2]):
            return "left-over"
        return "arguments" if aside.get("signature") else hints.kind_of(error)
    if verdict["kind"] == "value" and failure.get("error") != "NotImplementedError":
        return "no-error" if failure.get("what") == "raises" else "value"
    return ""


def place_of_raise(sources: Collection[Source], function: str) -> str:
    """Return the place of a stub's ``raise`` in a function that was begun; an empty text if none."""
    for source in sources:
        if line := left_over_raise(source.text, function):
            return f"{source.name} line {line + source.above}"
    return ""


def _stopped(call: str, reason: str, aside: Mapping[str, Any], limits: Limits) -> str:
    """A call that a limit, or the program itself, ended."""
    if reason == "memory":
        return wording.too_much_memory(call)
    if reason == "budget":
        return f"{call} was not finished: the calls before it used up the time that one hand-in has."
    if reason == "time":
        seconds = aside.get("seconds", limits.call_cpu_seconds)
        short = " (its limit was short because an earlier call took too long)"
        again = f"{call} was stopped after {wording.seconds_text(seconds)}{short}: {wording.LOOPS}"
        return again if aside.get("again") else wording.too_slow(call, seconds)
    if reason == "crashed":
        return f"{call} crashed Python itself; a recursion that never ends can do that."
    if reason == "protocol":
        return f"{call} gave no answer that could be read."
    how = wording.EXIT if aside.get("type") == "SystemExit" else "exit"
    return wording.ended_program(call, how, _where(aside))


def _where(aside: Mapping[str, Any]) -> str:
    """The place as text, such as ``lab.py line 41``."""
    file, line = _place(aside)
    return f"{file} line {line}" if file else ""


def _raised(  # noqa: PLR0911 - one return a kind
    call: str, exchange: Exchange, expected: str, file: str, sources: Collection[Source]
) -> str:
    """A call that ended in an exception."""
    request, aside = exchange.request, exchange.aside
    error, text = aside.get("type", "an error"), aside.get("text", "")
    if error == "NotImplementedError":
        raised_in = aside["where"][-1][2] if aside.get("where") else ""
        if raised_in.isidentifier() and (place := place_of_raise(sources, raised_in)):
            return wording.left_over(call, place)
        if raised_in.isidentifier() and raised_in != request["name"]:
            return wording.needs_other(call, raised_in, text)
        return wording.not_started(request["name"], text[:60], file)
    if aside.get("signature") and text.startswith("unhashable type"):
        return wording.cached(call, text)
    if aside.get("signature"):
        return wording.wrong_arguments(call, text)
    if error == "RecursionError":
        return wording.too_deep(call, _where(aside))
    if (error, text) == ("EOFError", _NO_LINE) and aside.get("where"):
        return wording.asks_for_input(*_place(aside))
    return wording.raised(call, error, text, _where(aside), expected)


def _wrong_value(call: str, exchange: Exchange, failure: Mapping[str, str]) -> str:
    """A call that returned, or a constant that is, something else than expected."""
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
        return failed_raises(calls, not_raised(expected))
    wanted = _literal(expected)
    left = changed[0][1] if what == "argument" and changed else got
    said = failure.get("message", "")
    return failed_check(
        calls, Comparison("==", left, wanted) if what else None, f"{said}\nassert " if said else "assert "
    )


def number_in(expected: str) -> int | float | None:
    """The number, True or False that a test expects, from its text; None if it is anything else."""
    value = _literal(expected)
    return value if type(value) in (int, float, bool) else None


def _literal(expected: str) -> Any:
    """The value that a test expects, from its text; of ``0.5 ± 1.0e-09`` the number that it is near to."""
    near = _APPROXIMATE.fullmatch(expected)
    try:
        return ast.literal_eval(near["value"] if near else expected)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        # A test may expect what the submission answered before, which can be any text.
        return _Text(expected)


def needs_newer(exchange: Exchange, source: bytes) -> tuple[int, str]:
    """The line of a file that needs a newer Python than this one, and which; 0 and an empty text if none."""
    aside = exchange.aside
    if "syntax" in aside:
        _, line, _, text = aside["syntax"]
        return newer.syntax_needs(line, text, source)
    if found := _CANNOT_IMPORT.match(aside.get("text", "")):
        _, line = _place(aside)
        return line or 0, newer.name_needs(f"{found[2]}.{found[1]}", sys.version_info[:2])
    return 0, ""


def failed_import(  # noqa: PLR0911 - one a kind
    file: str, exchange: Exchange, limits: Limits, source: bytes = b""
) -> str:
    """Explain why a file could not be imported; the sentence may name one of its helpers instead.

    ``source`` is the file as it was handed in.
    """
    new, needs = needs_newer(exchange, source)
    if needs and exchange.verdict["kind"] != "stopped":
        file = display.display_text((exchange.aside.get("syntax") or [""])[0], 60) or file
        return wording.newer_python(file, new, needs, _RUNS)
    aside = exchange.aside
    error, text = aside.get("type", "an error"), aside.get("text", "")
    if exchange.verdict["kind"] == "stopped" and error != "SystemExit":
        seconds = aside.get("seconds", limits.import_cpu_seconds)
        return _stopped_import(file, exchange.verdict["reason"], seconds)
    if "syntax" in aside:
        return _syntax(file, aside)
    place, line = _place(aside)
    file = place or file
    if error == "SystemExit":
        return wording.ended_import(file, line=line)
    if error == "EOFError":
        return wording.asks_for_input(file, line)
    if error == "ModuleNotFoundError":
        return wording.no_module(file, line, aside.get("module", ""))
    if error == "TclError":
        at = f" line {line}" if line else ""
        return f"{file}{at} opens a window, and there is no screen here: leave that out."
    return wording.import_failed(file, error, text, line)


def failed_cell(exchange: Exchange, limits: Limits) -> str:
    """Say why a cell of a notebook, which begins the sentence, was not run to its end."""
    name, aside = exchange.request["name"], exchange.aside
    if exchange.verdict["kind"] == "stopped":
        reason = exchange.verdict["reason"]
        seconds = aside.get("seconds", limits.import_cpu_seconds)
        after = f" after {seconds:g} seconds" if reason == "time" else ""
        why = {"memory": "it asked for too much memory", "time": "it took too long"}
        return f"{name} was stopped{after} and left out: {why.get(reason, 'it ended the program')}."
    new, needs = needs_newer(exchange, b"")
    if needs:
        return wording.newer_python(name, new, needs, _RUNS)
    if "syntax" in aside:
        return _syntax(name, aside)
    line = _place(aside)[1]
    text = f": {display.display_text(aside['text'], 120).rstrip('.')}" if aside.get("text") else ""
    error = display.display_text(aside.get("type", "an error"), 80)
    return f"{name}{f' line {line}' if line else ''} raised {error}{text}; the cells below it were run."


_LEFT_OUT = {
    "files": "files cannot be opened when graded",
    "network": "there is no network when graded",
    "processes": "no other program can be started when graded",
    "threads": "no thread can be started when graded",
    "input": "it asks for input, and nobody answers when graded",
    "exit": "it ends the program",
}


def left_out(file: str, line: int, reason: str, name: str) -> str:
    """Say which statement at the top level of a file was left out and why; the rest of the file counted."""
    name = display.display_text(name, 60)
    if reason == "module":
        return wording.no_module(display.display_text(file, 60), line, name)
    if reason == "needs":
        why = f"it needs {name}, which a line that was left out would have set or changed"
    else:
        why = _LEFT_OUT[reason]
    return f"{display.display_text(file, 60)} line {line} was left out: {why}."


def _stopped_import(file: str, reason: str, seconds: float) -> str:
    """A file that a limit, or the program itself, ended while it was imported."""
    if reason == "time":
        return wording.slow_import(file, seconds)
    if reason == "memory":
        return wording.too_much_memory(f"Importing {file}")
    if reason == "crashed":
        return f"{file} crashed Python itself while it was being imported."
    if reason == "budget":
        return f"{file} was not imported: the time that one hand-in has was used up before."
    if reason == "protocol":
        return f"{file} gave no answer that could be read while it was being imported."
    return wording.ended_import(file, "exit")


def _syntax(file: str, aside: Mapping[str, Any]) -> str:
    """A file that is not Python, or not even text."""
    place, line, column, source = aside["syntax"]
    file, text = display.display_text(place, 60) or file, aside.get("text", "")
    if "null bytes" in text:
        return wording.nul_characters(file)
    if text.startswith("(unicode error) 'utf-8'"):
        return wording.not_utf8(file, line)
    if text.startswith(("unknown encoding", "encoding problem")):
        why = "its coding line names another encoding than it has; remove that line and save it as UTF-8"
        return wording.unreadable(file, why)
    return wording.not_python(file, line or None, text, source, column)
