"""The bytes of a notebook are taken apart whatever an editor made of them, or refused with the reason."""

import json
import time

import pytest
from helpers import notebook_course
from helpers.notebook_course import cell
from helpers.notebook_course import notebook as handed_in

from grader.base.errors import GraderError
from grader.intake.notebook.read import MAX_CELLS, MAX_NOTEBOOK, read_document

ADD = "def add(a, b):\n    return a + b  # größer"


@pytest.fixture(scope="module")
def exercise(tmp_path_factory):
    """The small course's exercise."""
    return notebook_course.course_at(tmp_path_factory.mktemp("course"))[1]


def test_numbers_count_code_cells(exercise):
    """Cells are numbered as a person counts the code cells from the top."""
    text = cell("# hello") | {"cell_type": "markdown"}
    document = read_document(
        handed_in(cell("a"), text, cell("b", "add"), cell("c", "add-two", "tests")), exercise
    )
    assert [(one.name, one.source, one.kind) for one in document.cells] == [
        ("code cell 1", "a", "other"),
        ("code cell 2", "b", "answer"),
        ("code cell 3", "c", "tests"),
    ]


def test_format_3(exercise):
    """A notebook of format 3 keeps its cells in worksheets and its code as input."""
    old = cell(ADD, "add")
    old["input"] = old.pop("source")
    document = {
        "nbformat": 3,
        "worksheets": [{"cells": [old, 5]}, 7, {"cells": None}],
        "metadata": {"name": ""},
    }
    found = read_document(json.dumps(document).encode(), exercise).cells
    assert [(one.grade_id, one.source) for one in found] == [("add", ADD)]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
        lambda text: text.encode("latin-1"),
        lambda text: text.replace("\n", "\r\n").encode(),
    ],
    ids=["mark", "utf-16", "utf-16-be", "latin-1", "windows"],
)
def test_encodings(exercise, encode):
    """A byte order mark, UTF-16 and the Windows code page are read; only the last is a guess."""
    text = json.dumps(json.loads(handed_in(cell(ADD, "add"))), ensure_ascii=False, indent=1)
    document = read_document(encode(text), exercise)
    assert document.cells[0].source == ADD
    assert document.reencoded == (encode(text) == text.encode("latin-1"))


def test_windows_lines_inside_cells(exercise):
    """Line ends inside a cell are made Python's own."""
    assert read_document(handed_in(cell("a\r\nb\rc")), exercise).cells[0].source == "a\nb\nc"


def test_source_as_a_list(exercise):
    """A cell's text may be a list of lines; what is no text in it is left out."""
    assert read_document(handed_in(cell(["a\n", 3, "b"])), exercise).cells[0].source == "a\nb"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "The notebook is empty"),
        (b"\xef\xbb\xbf \n", "The notebook is empty"),
        (b"<!DOCTYPE html><html>Sign in</html>", "This is a web page"),
        (b"def add(a, b):\n    return a + b\n", "This is Python text"),
        (b"x = 1\n", "This is Python text"),
        (b'{\n <<<<<<< HEAD\n "cells": []\n=======\n}', "conflict marks of a merge at line 2"),
        (handed_in(cell(ADD))[:80], "cut off at line 1"),
        (b'{"cells": [\n\n{"metadata": {', "cut off at line 3"),
        (b'{"cells": [1 2]}', "damaged at line 1"),
        (b"PK\x03\x04zip", "a file of another kind"),
        (b"%PDF-1.7", "a file of another kind"),
        (b"I did my homework", "some other text"),
        (b"[1, 2]", "JSON but not a notebook"),
        (b'{"metadata": {}}', "JSON but not a notebook"),
        (b"[" * 100000, "nested without end"),
        (b'{"cells": [' + b"{}," * MAX_CELLS + b"{}]}", f"has {MAX_CELLS + 1} cells"),
    ],
)
def test_reasons(exercise, data, says):
    """Anything else than a notebook is refused with a sentence that says what it is."""
    with pytest.raises(GraderError, match=says):
        read_document(data, exercise)


def test_most_bytes(exercise):
    """A notebook of more than 100 MiB is not looked at."""
    with pytest.raises(GraderError, match="has 100 MiB, and at most 100"):
        read_document(b" " * (MAX_NOTEBOOK + 1) + b"x", exercise)


def test_strange_values_are_ignored(exercise):
    """Cells and metadata of other types and numbers of any length are no reason to refuse."""
    text = (
        b'{"cells": [5, null, {"cell_type": "code", "metadata": 3, "source": 4, "outputs": [NaN, Infinity, '
        + b"1" * 5000
        + b']}, {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": 5, "solution": true}},'
        + b' "source": "x"}], "metadata": []}'
    )
    found = read_document(text, exercise).cells
    assert [(one.name, one.source, one.kind, one.grade_id) for one in found] == [
        ("code cell 1", "", "other", ""),
        ("code cell 2", "x", "other", ""),
    ]


@pytest.mark.parametrize("depth", [5, 400, 900])
def test_a_deep_name_is_a_change(exercise, depth):
    """A locked cell with a name that is not text, however deeply nested, was changed."""
    deep = b"[" * depth + b"]" * depth
    text = (
        b'{"cells": [{"cell_type": "code", "source": "x", "metadata": {"nbgrader": {"locked": true,'
        b'"checksum": "a", "grade_id": ' + deep + b"}}}]}"
    )
    assert [(one.kind, one.changed) for one in read_document(text, exercise).cells] == [("given", True)]


def test_large_outputs(exercise):
    """A cell that printed megabytes does not keep its answer from being read."""
    outputs = [{"output_type": "stream", "name": "stdout", "text": ["x" * 200 + "\n"] * 50000}]
    document = read_document(handed_in(cell(ADD, "add", outputs=outputs)), exercise)
    assert document.cells[0].source == ADD


@pytest.mark.parametrize(
    ("start", "more", "times"),
    [
        (b"{", b"\n ", 4_000_000),
        (b"", b"<<<<<<<\t", 1_000_000),
        (b"", b"a=1\n", 2_000_000),
        (b"", b" ", 8_000_000),
    ],
    ids=["blank", "conflict", "python", "blanks"],
)
def test_hostile_text_is_quick(exercise, start, more, times):
    """Text made to be slow to look through is refused in seconds."""
    data = start + more * times + b"x"
    begun = time.process_time()
    with pytest.raises(GraderError):
        read_document(data, exercise)
    assert time.process_time() - begun < 5


def test_no_cells_at_all(exercise):
    """An empty list of cells is a notebook without answers, not a damaged one."""
    assert read_document(handed_in(), exercise).cells == ()
