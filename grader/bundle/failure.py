"""Turn a failed test into one sentence, for the grader's feedback and for a student's terminal."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from . import display, wording


class Call(NamedTuple):
    """One call of the student's code, or one constant that was read, and what came back.

    ``text`` is the call as one would type it, made before the call ran; for a constant it is the name, and
    ``verb`` is ``is``. ``kind`` names the type when ``got`` only stands for the real value. ``changed`` has a
    pair for each argument that the call changed: a copy from before, and the object itself.
    """

    text: str
    got: object = None
    verb: str = "returned"
    kind: str = ""
    changed: Sequence[tuple[object, object]] = ()


class Comparison(NamedTuple):
    """The comparison that failed, as pytest passes it to ``pytest_assertrepr_compare``."""

    op: str
    left: object
    right: object


def failed_check(calls: Sequence[Call], compared: Comparison | None, assertion: str) -> str:
    """Make the sentence for an assertion that failed.

    Args:
        calls: The calls of the test, in order.
        compared: The comparison that failed, if there was one.
        assertion: The AssertionError's text. A message that the test itself wrote there is kept.
    """
    said = assertion.partition("\nassert ")[0]
    said = "" if said.startswith("assert ") else display.display_text(said).rstrip(".")
    if not calls:
        return f"{said or 'A check of this test failed'}."
    if compared is not None and not said:
        return _failed_comparison(calls, compared)
    last = calls[-1]
    got = wording.got_text(last.got, last.kind)
    said = said or "that is not what was expected"
    return f"{last.text} {last.verb} {got}: {said}{'' if said.endswith('?') else '.'}"


def _failed_comparison(calls: Sequence[Call], compared: Comparison) -> str:
    op, left, right = compared
    for call in reversed(calls):
        for before, after in call.changed:
            if left is after:
                now, was = display.value_pair(after, before)
                changed = f"{call.text} changed its argument: it was {was} and is now {now}"
                return f"{changed}; expected it left as it was."
        if call.got is left or (call.got is right and op == "=="):
            expected = value_of(right if call.got is left else left)
            other = "" if op == "==" else _wanted(op, display.value_text(expected))
            if call.verb == "returned":
                return wording.returned(call.text, call.got, expected, call.kind, other)
            got, wanted = display.value_pair(call.got, expected)
            return f"{call.text} {call.verb} {got}; expected {other or wanted}."
    got, wanted = display.value_pair(left, value_of(right))
    return f"After {calls[-1].text} the test found {got}; expected {_wanted(op, wanted)}."


def parts(calls: Sequence[Call], compared: Comparison | None, sentence: str) -> list[str]:
    """The call, answer and expected value in a sentence on a wrong answer, and its rest; empty for others."""
    last = calls[-1] if calls else None
    if last is None or compared is None or compared.left is not last.got or last.kind:
        return []
    got, wanted = display.value_pair(last.got, value_of(compared.right))
    begin = f"{last.text} {last.verb} {got}; expected {wanted}."
    return [last.text, got, wanted, sentence[len(begin) :].strip()] if sentence.startswith(begin) else []


def value_of(right: object) -> object:
    """The number inside ``pytest.approx(number)``; any other value unchanged."""
    return getattr(right, "expected", right) if type(right).__name__.startswith("Approx") else right


def _wanted(op: str, text: str) -> str:
    words = {"==": "", "!=": "anything but ", "<": "less than ", ">": "more than ", "in": "one of "}
    words |= {"<=": "at most ", ">=": "at least ", "is": "", "is not": "anything but "}
    return words.get(op, f"something {op} ") + text


def not_raised(text: str) -> str:
    """The name of the error that pytest's text ``DID NOT RAISE ...`` misses; empty if it is another text."""
    found = re.match(r"DID NOT RAISE (?:<class '(?:\w+\.)*)?(\w+)", text)
    return found[1] if found else ""


def failed_raises(calls: Sequence[Call], wanted: str) -> str:
    """Make the sentence for a ``pytest.raises(wanted)`` in which nothing was raised."""
    if not calls:
        return f"Nothing was raised; expected {wording.an(wanted)}."
    got = wording.got_text(calls[-1].got, calls[-1].kind)
    return f"{calls[-1].text} returned {got}; expected {wording.an(wanted)} to be raised."


def expected_at(source: str, line: int) -> str:
    """Read what the statement on ``line`` (from 1) of a test file expects; empty if it names no value.

    ``assert f(x) == 48`` expects ``48``, ``== pytest.approx(0.25)`` the number in it, and a line inside
    ``with pytest.raises(ValueError)`` expects ``a ValueError to be raised``.
    """
    expected = ""
    for node in _statements(source):
        if not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if isinstance(node, ast.With):
            call = node.items[0].context_expr
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("raises") and call.args:
                expected = f"{wording.an(ast.unparse(call.args[0]))} to be raised"
        elif isinstance(node, ast.Assert):
            test, expected = node.test, ""
            if isinstance(test, ast.Compare) and [type(op) for op in test.ops] == [ast.Eq]:
                right = test.comparators[0]
                if isinstance(right, ast.Call) and ast.unparse(right.func).endswith("approx") and right.args:
                    right = right.args[0]
                with contextlib.suppress(ValueError):
                    expected = display.value_text(ast.literal_eval(right))
    return expected


@lru_cache(maxsize=16)
def _statements(source: str) -> list[ast.stmt]:
    """Parse a test file; outer statements come before the statements in them."""
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]


def left_over_raise(source: str, function: str) -> int:
    """The line of ``raise NotImplementedError`` in a function that has other code too; 0 if there is none.

    The text is searched, because the grader asks this too and does not parse what was handed in.
    """
    start = re.search(rf"^(?:async\s+)?def\s+{re.escape(function)}\s*\(", source, re.MULTILINE)
    if start is None:
        return 0
    body = source[start.start() :]
    end = re.search(r"\n(?![ \t)#\r\n])", body)
    body = body[: end.start()] if end else body
    first = source.count("\n", 0, start.start()) + 1
    body = re.sub(r'("""|\'\'\')(?:.|\n)*?\1', lambda found: "\n" * found[0].count("\n"), body)
    code = [(first + n, line.partition("#")[0].strip()) for n, line in enumerate(body.split("\n"))]
    header = next((place for place, (_, line) in enumerate(code) if line.endswith(":")), 0)
    code = [(n, line) for n, line in code[header + 1 :] if line]
    left = [n for n, line in code if line.startswith("raise NotImplementedError")]
    return left[0] if left and len(code) > 1 else 0
