"""A small course on disk, and handed-in notebooks, for tests of the notebook edition.

Part 1 is ``facts.py`` with two constants, Part 2 ``lab.py`` with ``add`` and ``mean``. Six points: ``facts``
1 visible, ``add`` 2 visible and 1 hidden, ``mean`` 2 hidden.
"""

import base64
import json

from grader.course.load import load_course
from grader.lesson.fill import filled_cells
from grader.lesson.format import notebook_bytes
from grader.lesson.notebook import instructor_cells, student_cells

PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg'/>"

COURSE = """\
[course]
title = "Sums, and means!"

[exercise.week1]
title = "Sums"
points = 6

[exercise.week1.task.facts]
file = "facts.py"
title = "Part 1"

[exercise.week1.task.add]
file = "lab.py"
title = "Adding"

[exercise.week1.task.mean]
file = "lab.py"
title = "The mean"

[exercise.week1.criterion.facts-half]
task = "facts"
visibility = "visible"
tests = "TestHalf"
points = 1
sentence = "knows what half of six is"
hint = "Cut it."

[exercise.week1.criterion.add-two]
task = "add"
visibility = "visible"
tests = "TestTwo"
points = 2
sentence = "adds two numbers"
hint = "Try it on paper."

[exercise.week1.criterion.add-negative]
task = "add"
visibility = "hidden"
tests = "TestNegative"
points = 1
sentence = "adds negative numbers"
hint = "Go left."

[exercise.week1.criterion.mean-any]
task = "mean"
visibility = "hidden"
tests = "TestMean"
points = 2
sentence = "gives the mean"
hint = "Divide."
"""

FACTS = '''\
"""Put your answers in place of None."""

# What is half of six?
### BEGIN SOLUTION
HALF = 3  # TODO 1
### END SOLUTION
'''

LAB = '''\
"""Two functions."""


def add(a, b):
    """The sum."""
    # TODO 2: add them
    ### BEGIN SOLUTION
    return a + b  # the secret
    ### END SOLUTION


def mean(numbers):
    """The mean."""
    # TODO 3: divide
    ### BEGIN SOLUTION
    return sum(numbers) / len(numbers)
    ### END SOLUTION
'''

VISIBLE_FACTS = '''\
"""Visible."""

import facts


class TestHalf:
    def test_it(self):
        assert facts.HALF == 3
'''

VISIBLE_LAB = '''\
"""Visible."""

import lab
import pytest


def twice(number):
    return number + number


class TestTwo:
    @pytest.mark.parametrize("number", [1, pytest.param(4, id="four")])
    @pytest.mark.parametrize(("a", "b"), [(0, 0), (2, 3)])
    def test_same(self, number, a, b):
        assert lab.add(number, number) == twice(number)
        assert lab.add(a, b) == lab.add(b, a)

    def test_more(self):
        assert lab.add(2, 3) == 5
'''

HIDDEN_LAB = '''\
"""Hidden."""

import lab

SECRET = -7


class TestNegative:
    def test_it(self):
        assert lab.add(SECRET, 2) == -5


class TestMean:
    def test_it(self):
        assert lab.mean([1, 2, 6]) == 3
'''

HANDOUT = """\
# Sums

![Two piles](piles.svg)

## Run the tests

<!-- NOT IN THE NOTEBOOK -->

```
python -m pytest
```

## Hand in

Hand it in.
"""

FILES = {
    "course.toml": COURSE,
    "solutions/week1/facts.py": FACTS,
    "solutions/week1/lab.py": LAB,
    "tests/visible/week1/test_facts.py": VISIBLE_FACTS,
    "tests/visible/week1/test_lab.py": VISIBLE_LAB,
    "tests/hidden/week1/test_lab.py": HIDDEN_LAB,
    "exercises/week1/README.md": HANDOUT,
    "exercises/week1/piles.svg": PICTURE.decode(),
}


def course_at(folder, **changed):
    """The course, written below ``folder`` with some files changed (None: left out), and its exercise.

    A changed file is named like ``lab="..."``, by the unique end of its path before its ending.
    """
    files = dict(FILES)
    for key, text in changed.items():
        name = next(name for name in files if name.rpartition(".")[0].endswith(key.replace("__", "/")))
        files[name] = text
    for name, text in files.items():
        if text is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    course = load_course(folder / "course.toml")
    return course, course.exercise(None)


def cell(source, grade_id="", kind="answer", **more):
    """One code cell as it stands in a file; with a ``grade_id`` it has nbgrader's metadata."""
    made = {"cell_type": "code", "execution_count": None, "outputs": [], "metadata": {}, "source": source}
    if grade_id:
        made["metadata"]["nbgrader"] = {
            "grade": kind == "tests",
            "grade_id": grade_id,
            "locked": kind != "answer",
            "schema_version": 3,
            "solution": kind == "answer",
            "task": False,
        }
    return made | more


def notebook(*cells, metadata=None):
    """A handed-in notebook."""
    document = {"cells": cells, "metadata": metadata or {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document).encode()


def encoded(data):
    """Bytes as they stand in an address."""
    return base64.b64encode(data).decode()


def instructor_notebook(course, exercise) -> bytes:
    """What nbgrader calls the source: solutions, hidden tests and points included."""
    return notebook_bytes(instructor_cells(course, exercise), released=False)


def notebook_with_answers(course, exercise, files) -> bytes:
    """The students' notebook with the answers of ``files`` in its cells.

    Each function stands in its task's cell, what else a file holds in a cell of its own above them. A file
    that is not Python stands whole in the first cell of its tasks, so that nothing of it works, as in Python.
    Of a file that is not there the cells are empty.
    """
    return notebook_bytes(filled_cells(student_cells(course, exercise), exercise, files), released=True)
