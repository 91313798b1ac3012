"""Copies: the same bytes apart from spaces, comments, docstrings and names."""

import time

import pytest
from helpers import notebook_course
from helpers.notebook_course import cell, notebook

from grader.intake.notebook.cells import read_cells
from grader.intake.notebook.read import read_document
from grader.report.copies import copies, fingerprint
from grader.report.gather import _source

STUB = b"def total(values):\n    raise NotImplementedError('TODO 1')\n"
ONE = b"""\
def total(values):
    result = 0
    for value in values:
        result += value
    return result
"""


@pytest.mark.parametrize(
    "other",
    [
        ONE.replace(b"result", b"summe"),
        ONE.replace(b"    ", b"\t"),
        ONE.replace(b"\n", b"  # a comment, 'with quotes\n"),
        ONE.replace(b":\n    result", b':\n    """Say what it does."""\n    result'),
        ONE.replace(b" += ", b"+="),
    ],
    ids=["names", "tabs", "comments", "docstring", "blanks"],
)
def test_what_makes_no_difference(other):
    """None of these hides a copy."""
    assert other != ONE
    assert fingerprint(other) == fingerprint(ONE)


@pytest.mark.parametrize(
    "other",
    [
        ONE.replace(b"+=", b"-="),
        ONE.replace(b"= 0", b"= 1"),
        ONE.replace(b"+= value", b"+= result"),
        b"",
        b"\xff\x00'",
    ],
)
def test_what_makes_a_difference(other):
    """Operators, numbers, strings, and which name stands where."""
    assert fingerprint(other) != fingerprint(ONE)


def test_builtins_and_keywords_keep_their_names():
    """Sum and max are two functions, not two names for one thing."""
    assert fingerprint(b"f = sum") != fingerprint(b"f = max")


def test_a_long_line_of_quotes_is_read_once():
    """The largest file that is taken has 256 KiB; read anew at each quote it took minutes."""
    begun = time.process_time()
    assert fingerprint(b'\\"' * 131_000) != fingerprint(b"\\'" * 131_000)
    assert time.process_time() - begun < 2


def test_groups_of_students():
    """Groups of two and more, the largest first; what nobody touched is no copy."""
    files = {"a": [ONE], "c": [ONE], "b": [ONE.replace(b"value", b"v")], "x": [STUB], "y": [STUB]}
    files |= {"d": [b"x = 1"], "e": [b"y=1"], "f": [b"z = 2"]}
    assert copies(files, [STUB]) == [["a", "b", "c"], ["d", "e"]]


def test_a_notebook_is_compared_by_its_answers(tmp_path):
    """The cells of a notebook's functions count like the file with the same functions."""
    _, exercise = notebook_course.course_at(tmp_path / "course")
    one, two = tmp_path / "one", tmp_path / "two"
    add, mean = "def add(a, b):\n    return a + b", "def mean(numbers):\n    return 3"
    for folder in (one, two):
        folder.mkdir()
    (one / "lab.py").write_text(f'"""Two functions."""\n\n{add}\n\n\n{mean}\n', encoding="utf-8")
    data = notebook(cell("x = 1"), cell(add, "add"), cell(mean, "mean"))
    kept = read_cells(read_document(data, exercise), exercise).notebook
    (two / "lab.ipynb").write_bytes(kept)
    assert fingerprint(_source(one, exercise, "lab.py")) == fingerprint(_source(two, exercise, "lab.py"))
    assert _source(tmp_path, exercise, "lab.py") == b""
