"""A complete course with one tiny lesson, sound in every respect, for tests that break it."""

import functools
import tempfile
from pathlib import Path

from click.testing import CliRunner

from grader.cli import cli

COURSE = """\
[course]
title = "Arithmetic"

[exercise.sums]
title = "Sums"
points = 5

[exercise.sums.task.warm_up]
file = "warm_up.py"
title = "Warm up (TODO 1)"

[exercise.sums.task.double]
file = "sums.py"
title = "Doubling (TODO 2)"

[exercise.sums.task.total]
file = "sums.py"
title = "Totals (TODO 3)"

[exercise.sums.criterion.answer]
task = "warm_up"
visibility = "visible"
tests = "TestAnswer"
points = 1
sentence = "knows the answer"
hint = "Read the guide once more."

[exercise.sums.criterion.double-some]
task = "double"
visibility = "visible"
tests = "TestDouble"
points = 1
sentence = "doubles a number"
hint = "Try it with fingers."

[exercise.sums.criterion.total-some]
task = "total"
visibility = "visible"
tests = "TestTotal"
points = 1
sentence = "adds up a list"
hint = "Begin with nothing and go on."

[exercise.sums.criterion.total-none]
task = "total"
visibility = "hidden"
tests = "TestTotalNone"
points = 2
sentence = "gives zero where there is nothing to add"
hint = "Which number changes no other when it is added?"
"""

FILES = {
    "course.toml": COURSE,
    "solutions/sums/warm_up.py": """\
\"\"\"Warm up.\"\"\"

# What is the answer?
### BEGIN SOLUTION
ANSWER = 42  # TODO 1
### END SOLUTION
""",
    "solutions/sums/sums.py": """\
\"\"\"Sums of whole numbers.\"\"\"


def double(number):
    \"\"\"Twice the number.\"\"\"
    # TODO 2: add the number to itself
    ### BEGIN SOLUTION
    return number + number
    ### END SOLUTION


def total(numbers):
    \"\"\"The sum of all numbers, 0 for none.\"\"\"
    # TODO 3: go through all of them
    ### BEGIN SOLUTION
    return sum(numbers)
    ### END SOLUTION
""",
    "solutions/sums/misconceptions.py": """\
from __future__ import annotations

import operator
from typing import NamedTuple

ALL = []


class Entry(NamedTuple):
    id: str
    task: str
    explanation: str
    function: object


def wrong(task, explanation):
    def register(function):
        ALL.append(Entry(function.__name__, task, explanation, function))
        return function

    return register


def _first(numbers):
    return operator.itemgetter(0)(numbers)


@wrong("double", "You square.")
def squares(number):
    return number * number


@wrong("double", "You give the number back.")
def same(number):
    return number


@wrong("total", "You take the first only.")
def first(numbers):
    return _first(numbers) if numbers else 0


@wrong("total", "Nothing adds up to nothing.")
def none_for_none(numbers):
    return sum(numbers) if numbers else None


@wrong("total", "Nothing is no error.")
def error_for_none(numbers):
    if not numbers:
        raise ValueError
    return sum(numbers)
""",
    "exercises/sums/README.md": """\
# Sums

Add. Hand in `warm_up.py` and `sums.py`.

<!-- BEGIN POINTS -->
<!-- END POINTS -->
""",
    "tests/visible/sums/test_warm_up.py": """\
import hashlib

import warm_up


class TestAnswer:
    def test_answer(self):
        if warm_up.ANSWER is None:
            raise NotImplementedError("TODO 1")
        digest = hashlib.sha256(repr(warm_up.ANSWER).encode()).hexdigest()
        assert digest == "73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049"
""",
    "tests/visible/sums/test_sums.py": """\
import pytest
import sums


class TestDouble:
    def test_three(self):
        assert sums.double(3) == 6

    @pytest.mark.parametrize("number, twice", [(5, 10), (7, 14)])
    def test_more(self, number, twice):
        assert sums.double(number) == twice


class TestTotal:
    def test_three(self):
        assert sums.total([1, 2, 4]) == 7
        assert sums.total([5, 3]) == 8
""",
    "tests/hidden/sums/test_sums.py": """\
import sums


class TestTotalNone:
    def test_none(self):
        assert sums.total([]) == 0
        assert sums.total([9]) == 9
""",
}


@functools.cache
def built():
    """Every file of the course by name, the generated ones too; built once, since that takes a second."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        _write(root, {name: text.encode() for name, text in FILES.items()})
        done = CliRunner().invoke(
            cli, ["build", "--course", str(root / "course.toml")], catch_exceptions=False
        )
        assert done.exit_code == 0, done.output
        return {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def write(root):
    """Write the course below ``root``, with all that is generated."""
    _write(root, built())


def _write(root, files):
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def edit(root, name, old, new):
    """Replace a text that is there once in a file of the course."""
    text = (root / name).read_text(encoding="utf-8")
    assert text.count(old) == 1, (name, old)
    (root / name).write_text(text.replace(old, new), encoding="utf-8")
