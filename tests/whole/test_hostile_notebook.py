"""Notebooks that overload parsers are read in time and without a crash."""

import json
import math
import subprocess
import sys

import pytest
from helpers import jail
from helpers.notebook_course import cell
from helpers.notebook_course import notebook as handed_in
from helpers.notebook_run import NotebookRun
from helpers.paths import ROOT, unmeasured
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.base.errors import GraderError
from grader.course.load import load_course
from grader.intake.notebook.cells import read_cells
from grader.intake.notebook.read import read_document

pytestmark = pytest.mark.slow

READ = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from grader.course.load import load_course
from grader.base.errors import GraderError
from grader.intake.notebook.cells import read_cells
from grader.intake.notebook.read import read_document
exercise = load_course(Path({str(ROOT / "course.toml")!r})).exercise("contiguous_reservation")
try:
    cells = read_cells(read_document(sys.stdin.buffer.read(), exercise), exercise).cells
    print("read", len(cells))
except GraderError as error:
    print("refused", str(error)[:80])
"""
CELLS = {
    "parentheses": "x = " + "(" * 5_000,
    "signs": "x = " + "-" * 60_000 + "1",
    "words": "x = " + "not " * 15_000 + "1",
    "attributes": "x = a" + ".a" * 30_000,
    "calls": "x = a" + "()" * 30_000,
    "sums": "x = 1" + "+1" * 30_000,
    "comparisons": "x = 1" + "<1" * 30_000,
    "lambdas": "x = " + "lambda:" * 9_000 + "1",
    "choices": "x = " + "1 if 1 else " * 5_000 + "1",
    "branches": "if 0: pass\n" + "elif 0: pass\n" * 4_800,
    "blocks": "\n".join(" " * n + "if 1:" for n in range(300)),
    "texts in texts": "x = " + "f'{" * 40 + "1" + "}'" * 40,
    "decorators": "@a\n" * 20_000 + "def f(): pass",
    "targets": "a = " * 16_000 + "1",
    "a long number": "x = " + "9" * 60_000,
    "a large text": "x = 'a' * 10**9 * 10**9",
    "a large power": "x = 2 ** 10 ** 10",
    "patterns": "match a:\n case " + "1 |" * 20_000 + "1: pass",
    "names": "def reserved_slots(): return a4999\n" + "\n".join(f"a{n} = a{n - 1}" for n in range(1, 5_000)),
    "rivals": "\n".join(f"def reserved_slots(): return {n}" for n in range(1_700)),
    "a null": "x = 1\0",
    "half a pair": "x = '\ud800'",
    "a line's end": "\\\n" * 30_000,
}
BODIES = {
    "lines": b"\n" * 3_000_000 + b"x",
    "blanks": b" " * 3_000_000 + b"{",
    "brackets": b"[" * 3_000_000,
    "objects": b'{"a":' * 500_000,
    "a number": b'{"cells":[],"a":' + b"9" * 3_000_000 + b"}",
    "a fraction": b'{"cells":[],"a":1.' + b"9" * 3_000_000 + b"}",
    "marks": b"<<<<<<" + b"\n" * 3_000_000 + b"<",
}


@pytest.fixture(scope="module")
def zygote():
    """One zygote for all notebooks."""
    with jail.opened() as zygote:
        yield zygote


def notebook(source):
    """Make a notebook of one cell."""
    cell = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    document = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    return json.dumps(document).encode()


@pytest.mark.parametrize("name", [*CELLS, *BODIES])
def test_it_is_read_or_refused(name):
    """Run in a process of its own, which must exit with 0 in time."""
    data = notebook(CELLS[name]) if name in CELLS else BODIES[name]
    call = [sys.executable, "-c", READ]
    done = subprocess.run(call, input=data, capture_output=True, timeout=30, check=False, env=unmeasured())
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.startswith((b"read ", b"refused "))


@pytest.mark.parametrize("name", CELLS)
def test_it_costs_its_cell_alone(zygote, name):
    """Run in the jail, it ends in time, and an answer in the next cell still counts."""
    cells = [cell(CELLS[name]), cell("def reserved_slots(n_seq, max_len):\n    return n_seq * max_len")]
    ran = NotebookRun(zygote, handed_in(*cells), EXERCISE)
    assert ran.value("reserved_slots", 3, 100) == 300
    ran.session.close()


PIECES = [
    *(
        "\ud800",
        "\x1b[2J\u202e",
        "\0",
        "\r",
        "\x0c",
        "reserved_slots",
        "waste_table",
        "code",
        "%a\n",
        "!it's (\n",
    ),
    *("b?\n", "%%bash\n", '"""', "def reserved_slots(a):\n", " return a\n", "return 1\n", "x = (\n"),
    *("from __future__ import x\n", "f'{a!r:{b}}'\n", "A = B = 0x"),
]
MANY = [("\n", 2_000), ("x", 70_000), ("a;", 300), ("+1", 1_500), ("f", 5_000), ("[", 300)]
TEXTS = st.sampled_from(PIECES) | st.sampled_from(MANY).map(lambda many: many[0] * many[1])
SOURCES = st.lists(TEXTS, max_size=8).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.sampled_from([10**400, -(10**4_000), math.nan, math.inf, 0.5]) | SOURCES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(["reserved_slots", "setup", "\ud800", "\x1b" * 900]) | VALUES
ROLES = st.fixed_dictionaries(
    {},
    optional={key: st.booleans() | VALUES for key in ("solution", "locked", "grade", "points", "checksum")}
    | {"grade_id": NAMES},
)
HOSTILE_CELLS = st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "markdown", "raw"]) | VALUES,
        "metadata": st.fixed_dictionaries({"nbgrader": ROLES | VALUES}) | VALUES,
        "source": SOURCES | st.lists(SOURCES, max_size=3) | VALUES,
    },
    optional={"id": NAMES, "input": VALUES},
)
DOCUMENTS = st.fixed_dictionaries(
    {"cells": st.lists(HOSTILE_CELLS | VALUES, max_size=5)},
    optional={"metadata": VALUES | st.fixed_dictionaries({"kernelspec": VALUES}), "nbformat": VALUES},
)
CHANGES = st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 255)), max_size=4)
EXERCISE = load_course(ROOT / "course.toml").exercise("contiguous_reservation")


def ends_plainly(data):
    """Read a notebook and check everything that is shown or written of it."""
    try:
        source = read_cells(read_document(data, EXERCISE), EXERCISE)
    except GraderError as error:
        said = (str(error),)
    else:
        assert len(source.notes) <= 50
        assert json.loads(source.notebook)["nbformat"] == 4
        b"".join(cell.source for cell in source.cells).decode()
        said = (*source.notes, *source.flags, *(cell.name for cell in source.cells))
    assert all(text.isprintable() and len(text) < 400 for text in said)
    "".join(said).encode()


@settings(max_examples=200, deadline=None, derandomize=True)
@given(DOCUMENTS, CHANGES)
def test_whatever_comes_ends_plainly(document, changes):
    """Any values and any changed bytes give files or a sentence, without control characters."""
    data = bytearray(json.dumps(document).encode())
    ends_plainly(bytes(data))
    for at, value in changes:
        data[at % len(data)] = value
    ends_plainly(bytes(data))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_what_is_no_notebook_ends_plainly(data):
    """Any bytes give files or a sentence."""
    ends_plainly(data)


@pytest.mark.parametrize("name", BODIES)
def test_bodies_end_plainly(name):
    """Notebooks that are too large give a sentence."""
    ends_plainly(BODIES[name])


@pytest.mark.parametrize("depth", [400, 900, 100_000])
@pytest.mark.parametrize(
    "place", ['"metadata": %s', '"cells": [%s]', '"cells": [{"metadata": {"nbgrader": %s}}]']
)
def test_deep_data_end_plainly(place, depth):
    """Deeply nested data at any place give files or a sentence."""
    deep = '{"grade_id":' * depth + "1" + "}" * depth
    ends_plainly(("{" + place % deep + ', "cells": []}').encode())
