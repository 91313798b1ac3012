"""Notebooks that overflow whoever parses them: read to their end, in time, without a crash."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READ = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from grader.course import load_course
from grader.errors import GraderError
from grader.notebook_answers import read_notebook
exercise = load_course(Path({str(ROOT / "course.toml")!r})).exercise("contiguous_reservation")
try:
    files = read_notebook(sys.stdin.buffer.read(), exercise).files
    print("read", sorted(files))
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


def notebook(source):
    """A notebook of one cell."""
    cell = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    document = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    return json.dumps(document).encode()


@pytest.mark.parametrize("name", [*CELLS, *BODIES])
def test_it_is_read_or_refused(name):
    """In a process of its own, which ends well and within some seconds."""
    data = notebook(CELLS[name]) if name in CELLS else BODIES[name]
    done = subprocess.run(
        [sys.executable, "-c", READ], input=data, capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.startswith((b"read ['hands_on.py', 'reservation.py']", b"refused "))
