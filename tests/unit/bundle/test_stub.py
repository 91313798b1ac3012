"""Not started means untouched."""

from __future__ import annotations

import pytest

from grader.bundle.stub import left_over_raise

HEAD = 'import math\n\n\ndef f(a: int, b: int = 0) -> int:\n    """Add.\n\n    >>> f(1)\n    """\n'
RAISE = '    raise NotImplementedError("TODO 1: add")\n'
TAIL = "\n\ndef g():\n    return 1\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (RAISE, 0),
        ("    # my plan\n\n" + RAISE + "    # later\n", 0),
        ("    return a\n", 0),
        ("    total = a\n" + RAISE, 10),
        (RAISE + "    return a + b\n", 9),
        (RAISE + RAISE, 9),
        ("    if a:\n        return b\n    " + RAISE, 11),
        ("    '''More\n    text.'''\n" + RAISE, 0),
    ],
)
def test_code_beside_the_raise_line_is_work(body, line):
    """The line of the raise is found wherever the code stands; comments and docstrings are no code."""
    assert left_over_raise(HEAD + body + TAIL, "f") == line
    assert left_over_raise(HEAD + body, "f") == line


def test_head_may_have_several_lines():
    """As formatters write it."""
    head = "def f(\n    a,\n    b,\n):\n"
    assert left_over_raise(head + RAISE + TAIL, "f") == 0
    assert left_over_raise(head + RAISE + "    return a\n" + TAIL, "f") == 5


def test_other_functions_do_not_count():
    """Neither the function below nor a missing one."""
    assert left_over_raise(HEAD + RAISE + TAIL, "g") == 0
    assert left_over_raise(HEAD + RAISE + TAIL, "h") == 0
