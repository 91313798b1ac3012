"""A small course on disk with real tests, for tests of what runs them.

``facts.py`` holds a constant, ``lab.py`` two functions. Ten points: ``facts`` 1 visible, ``add`` 2 visible
and 3 hidden, ``mean`` 4 visible.
"""

from pathlib import Path

from grader.course.load import load_course
from grader.course.model import Course

COURSE = """\
[course]
title = "Sums"

[exercise.sums]
title = "Sums"
points = 10

[exercise.sums.task.facts]
file = "facts.py"
title = "Facts (TODO 1)"

[exercise.sums.task.add]
file = "lab.py"
title = "Adding (TODO 2)"

[exercise.sums.task.mean]
file = "lab.py"
title = "The mean (TODO 3)"

[exercise.sums.criterion.facts-half]
task = "facts"
visibility = "visible"
tests = "TestHalf"
points = 1
sentence = "says what half of six is"
hint = "Cut it."

[exercise.sums.criterion.add-two]
task = "add"
visibility = "visible"
tests = "TestTwo"
points = 2
sentence = "adds two numbers"
hint = "Try it on paper."

[exercise.sums.criterion.add-any]
task = "add"
visibility = "hidden"
tests = "TestAny"
points = 3
sentence = "adds any numbers"
hint = "Try other numbers."

[exercise.sums.criterion.mean-list]
task = "mean"
visibility = "visible"
tests = "TestMean"
points = 4
sentence = "gives the mean of a list"
hint = "Try it on paper."
"""

FACTS = """\
import facts


class TestHalf:
    def test_half(self):
        if facts.HALF is None:
            raise NotImplementedError
        assert facts.HALF == 3
"""

VISIBLE = """\
import lab
import pytest


class TestTwo:
    def test_small(self):
        assert lab.add(2, 3) == 5

    def test_kind(self):
        assert type(lab.add(4, 4)) is int, "a sum is an int"


class TestMean:
    def test_two(self):
        assert lab.mean([1, 2]) == pytest.approx(1.5, abs=1e-9, rel=0)

    def test_list_is_left_alone(self):
        values = [3, 1]
        assert lab.mean(values) == 2
        assert values == [3, 1]

    def test_none(self):
        with pytest.raises(ValueError):
            lab.mean([])
"""

HIDDEN = """\
import lab


class TestAny:
    def test_negative(self):
        assert lab.add(-7041, 41) == -7000

    def test_named(self):
        assert lab.add(a=8123, b=1) == 8124
"""

RIGHT = {
    "facts.py": b"HALF = 3\n",
    "lab.py": b"""\
def add(a, b):
    return a + b


def mean(values):
    if not values:
        raise ValueError("nothing")
    return sum(values) / len(values)
""",
}
TESTS = [
    "visible/sums/test_facts.py::TestHalf::test_half",
    "visible/sums/test_lab.py::TestTwo::test_small",
    "visible/sums/test_lab.py::TestTwo::test_kind",
    "visible/sums/test_lab.py::TestMean::test_two",
    "visible/sums/test_lab.py::TestMean::test_list_is_left_alone",
    "visible/sums/test_lab.py::TestMean::test_none",
    "hidden/sums/test_lab.py::TestAny::test_negative",
    "hidden/sums/test_lab.py::TestAny::test_named",
]


def course_at(folder: Path, *, visible: str = VISIBLE, hidden: str = HIDDEN, course: str = COURSE) -> Course:
    """Write the course into a folder and load it."""
    files = {
        "course.toml": course,
        "tests/visible/sums/test_facts.py": FACTS,
        "tests/visible/sums/test_lab.py": visible,
        "tests/hidden/sums/test_lab.py": hidden,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load_course(folder / "course.toml")
