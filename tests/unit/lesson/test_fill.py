"""A pair of .py files becomes the notebook that the same student would hand in."""

import json

import pytest
from helpers import notebook_course
from helpers.notebook_course import cell, notebook, notebook_with_answers

from grader.intake.notebook.cells import read_cells
from grader.intake.notebook.read import read_document
from grader.lesson.fill import filled_cells, source_text
from grader.lesson.notebook import student_cells

FACTS = b"HALF = 3\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The small course and its exercise."""
    return notebook_course.course_at(tmp_path_factory.mktemp("course"))


def filled(course, files):
    """The source of each cell by its id."""
    return {cell.id: cell.source for cell in filled_cells(student_cells(*course), course[1], files)}


def test_each_function_in_its_cell(course):
    """Functions go to their tasks' cells, with decorators and comments inside; the rest to one above them."""
    text = "import math\n\nX = 1; Y = 2\n\n\n@thing\ndef add(a, b):\n    return a\n    # end\n\n\n"
    text += "def mean(n):\n    pass\n\n\nprint(X)\n"
    cells = filled(course, {"facts.py": FACTS, "lab.py": text.encode()})
    assert cells["add"] == "@thing\ndef add(a, b):\n    return a\n    # end"
    assert cells["mean"] == "def mean(n):\n    pass"
    assert cells["more-add"] == "import math\n\nX = 1; Y = 2\n\n\n\n\n\n\nprint(X)"
    assert cells["facts"] == "HALF = 3\n"


def test_last_definition_counts(course):
    """Of two definitions of a function, Python's last is the answer."""
    cells = filled(course, {"lab.py": b"def add(a, b):\n    return 0\ndef add(a, b):\n    return a + b\n"})
    assert cells["add"] == "def add(a, b):\n    return a + b"
    assert cells["mean"] == ""
    assert "more-add" not in cells


def test_only_comments_beside(course):
    """A docstring and comments beside the functions are no cell of their own."""
    cells = filled(course, {"lab.py": b'"""Doc."""\n# note\ndef add(a, b):\n    return 0\n'})
    assert "more-add" not in cells


@pytest.mark.parametrize(
    "text", ["def add(a, b)\n    return a + b\n", "x = " + "-" * 100000 + "1", "a\0b", "x = 1\n"]
)
def test_file_without_functions_stays_whole(course, text):
    """A file that is not Python, or without any of the functions, stands whole in its first task's cell."""
    cells = filled(course, {"lab.py": text.encode()})
    assert cells["add"] == text
    assert cells["mean"] == ""


def test_missing_file(course):
    """Of a file that is not there the cells are empty: nothing was handed in, not even a stub."""
    cells = filled(course, {})
    assert cells["facts"] == cells["add"] == cells["mean"] == ""


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("x = 'ö'".encode(), "x = 'ö'"),
        (b"\xef\xbb\xbfx = 1\r\ny = 2\r", "x = 1\ny = 2\n"),
        ("# coding: latin-1\nx = 'ö'".encode("latin-1"), "# coding: latin-1\nx = 'ö'"),
        ("x = 'ö'".encode("latin-1"), "x = 'ö'"),
        (b"# coding: nonsense\n", "# coding: nonsense\n"),
        (b"# coding: undefined\n", "# coding: undefined\n"),
    ],
)
def test_source_text(data, text):
    """A file's text is what Python would read, or the nearest to it."""
    assert source_text(data) == text


def test_is_a_released_notebook(course):
    """The notebook has the marks that nbgrader puts on what it hands out."""
    document = json.loads(notebook_with_answers(*course, {"facts.py": FACTS}))
    roles = [cell["metadata"].get("nbgrader", {}) for cell in document["cells"]]
    assert sum("checksum" in role for role in roles) == 10


def test_the_notebook_that_was_kept(course):
    """Its answers go to their cells and its other code beside them; a file that was graded goes before it."""
    data = notebook(
        cell("import math"), cell("def add(a, b):\n    return a", "add"), cell("check(T)", "x", "tests"),
        cell("HALF = 4", "facts"), cell("print(1)"),
    )  # fmt: skip
    kept = read_cells(read_document(data, course[1]), course[1]).notebook
    cells = filled(course, {"facts.py": FACTS, "lab.ipynb": kept})
    assert (cells["add"], cells["facts"], cells["mean"]) == ("def add(a, b):\n    return a", "HALF = 3\n", "")
    assert (cells["more-cell-1"], cells["more-cell-5"]) == ("import math", "print(1)")
    assert "more-cell-3" not in cells
