"""What one failed test saw -> its sentence, for the grader's feedback and a student's terminal alike.

Standard library only and Python 3.10, because a copy of this file goes into the students' bundle.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from . import showing, wording


class Call(NamedTuple):
    """One thing that a test asked of a submission, and what it got.

    ``text`` is the call as it would be typed, made before it ran, or a constant's name; ``verb`` is then
    ``is``. ``kind`` names the type when ``got`` only stands for what came back. ``changed`` holds, for each
    argument that is no longer what it was, a copy from before and the object itself.
    """

    text: str
    got: object = None
    verb: str = "returned"
    kind: str = ""
    changed: Sequence[tuple[object, object]] = ()


class Comparison(NamedTuple):
    """The comparison that failed, as pytest hands it to ``pytest_assertrepr_compare``."""

    op: str
    left: object
    right: object


def failed_check(calls: Sequence[Call], compared: Comparison | None, assertion: str) -> str:
    """The sentence for an assertion that failed.

    Args:
        calls: What the test had asked for, in order.
        compared: The comparison that failed, when there was one.
        assertion: The AssertionError's text; what the test itself says there is kept.
    """
    said = assertion.partition("\nassert ")[0]
    said = "" if said.startswith("assert ") else showing.plain(said).rstrip(".")
    if not calls:
        return f"{said or 'A check of this test failed'}."
    if compared is not None and not said:
        return _compared(calls, compared)
    last = calls[-1]
    got = f"a value of type {showing.plain(last.kind, 80)}" if last.kind else showing.value_text(last.got)
    return f"{last.text} {last.verb} {got}: {said or 'that is not what was expected'}."


def _compared(calls: Sequence[Call], compared: Comparison) -> str:
    op, left, right = compared
    for call in reversed(calls):
        for before, after in call.changed:
            if left is after:
                return wording.changed_argument(call.text, before, after)
        if call.got is left:
            return _wrong_value(call, op, right)
        if call.got is right and op == "==":
            return _wrong_value(call, op, left)
    got, wanted = showing.value_pair(left, _value_of(right))
    return f"After {calls[-1].text} the test found {got}; expected {_wanted(op, wanted)}."


def _wrong_value(call: Call, op: str, right: object) -> str:
    expected = _value_of(right)
    other = "" if op == "==" else _wanted(op, showing.value_text(expected))
    if call.verb == "returned":
        return wording.returned(call.text, call.got, expected, call.kind, other)
    got, wanted = showing.value_pair(call.got, expected)
    return f"{call.text} {call.verb} {got}; expected {other or wanted}."


def _value_of(right: object) -> object:
    """The number inside ``pytest.approx(number)``; anything else as it is."""
    return getattr(right, "expected", right) if type(right).__name__.startswith("Approx") else right


def _wanted(op: str, text: str) -> str:
    words = {"==": "", "!=": "anything but ", "<": "less than ", ">": "more than ", "in": "one of "}
    words |= {"<=": "at most ", ">=": "at least ", "is": "", "is not": "anything but "}
    return words.get(op, f"something {op} ") + text


def failed_raises(calls: Sequence[Call], wanted: str) -> str:
    """The sentence for ``pytest.raises(wanted)`` around calls that raised nothing."""
    if not calls:
        return f"Nothing was raised; expected {wording.an(wanted)}."
    return wording.no_error(calls[-1].text, calls[-1].got, wanted, calls[-1].kind)


def expected_at(source: str, line: int) -> str:
    """What the statement on ``line`` (from 1) of a test file expects, as text; empty when it says nothing.

    ``assert f(x) == 48`` expects ``48``, ``== pytest.approx(0.25)`` the number in it, and what stands below
    ``with pytest.raises(ValueError)`` expects ``a ValueError to be raised``.
    """
    expected = ""
    for node in _enclosing(ast.parse(source), line):
        if isinstance(node, ast.With):
            call = node.items[0].context_expr
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("raises") and call.args:
                expected = f"{wording.an(ast.unparse(call.args[0]))} to be raised"
        elif isinstance(node, ast.Assert):
            expected = _equal_to(node.test)
    return expected


def _equal_to(test: ast.expr) -> str:
    if isinstance(test, ast.Compare) and [type(op) for op in test.ops] == [ast.Eq]:
        return _literal(test.comparators[0])
    return ""


def _enclosing(tree: ast.AST, line: int) -> Iterator[ast.stmt]:
    """The statements around that line, outermost first."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            yield node


def _literal(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("approx") and node.args:
        node = node.args[0]
    try:
        return showing.value_text(ast.literal_eval(node))
    except ValueError:
        return ""
