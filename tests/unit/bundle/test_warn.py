"""What the bundle warns of before anything is handed in."""

import contextlib
import sys

import pytest

from grader.bundle import wording
from grader.bundle.student_file import EndTest, StudentFile, Watch
from grader.bundle.warn import all_warnings, file_digest

POINTS = {"files": {"work.py": ["f"]}, "python": [3, 11], "tests": {}}
LIMITS = {"call": 0.05, "import": 0.05, "all": 0.15}


@pytest.fixture
def warned(tmp_path):
    """The warnings about a file with this text, after its function ``f`` was called so often."""

    def make(text, calls=1, limits=None, **points):
        (tmp_path / "work.py").write_text(text, encoding="utf-8")
        watch = Watch(tmp_path, limits or {})
        work = StudentFile(tmp_path / "work.py", ["f"], watch)
        watch.begin()
        for _ in range(calls):
            with contextlib.suppress(EndTest, OSError, ImportError):
                work.f()
        return all_warnings(tmp_path, tmp_path, {**POINTS, **points}, watch.refusals, watch.slow)

    return make


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        ("import math, json\nfrom collections import abc\nimport pytest\n", []),
        ("import numpy as np\n", [wording.no_module("work.py", 1, "numpy")]),
        ("def f():\n    from pandas.x import y\n", [wording.no_module("work.py", 2, "pandas")]),
        ("try:\n    import numpy\nexcept ImportError:\n    numpy = None\n", []),
        ("import helper\n", []),
        ("import turtle\n", [wording.no_module("work.py", 1, "turtle")]),
        ("from . import other\n", []),
        ("def f(:\n", []),
    ],
)
def test_module_that_is_not_there_when_graded_is_named(warned, tmp_path, text, warnings):
    """Python's own modules, the student's own, pytest, and imports that may fail are left alone."""
    (tmp_path / "helper.py").touch()
    assert warned(text) == warnings


def test_newer_syntax_than_the_graders_is_named(warned):
    """The release knows the grader's version; in the repository there is none."""
    text = "from copy import replace\n\ndef f():\n    return 1\n"
    assert warned(text) == [wording.newer_python("work.py", 1, "3.13", "3.11")]
    text = "x = 1\n"
    assert warned(text, python=[3, 13]) == []


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("open('x.txt', 'w').close()", "uses files"),
        ("open(__file__).close()", "uses files"),
        ("import os; os.listdir('.')", "uses files"),
        ("import pathlib; list(pathlib.Path('.').iterdir())", "uses files"),
        ("import subprocess; subprocess.run(['true'])", "starts a program"),
        ("import os; os.system('')", "starts a program"),
        ("import socket; socket.socket().close()", "uses the network"),
        ("import threading; t = threading.Thread(target=int); t.start(); t.join()", "starts a thread"),
    ],
)
def test_what_will_be_refused_is_named_with_its_line(warned, tmp_path, monkeypatch, code, what):
    """In a function it costs the function, while importing it is left out; never executed, it is not said."""
    monkeypatch.chdir(tmp_path)
    fails, left_out = "the function fails then", "that line is left out then"
    refused = f"{what}, which is refused when you are graded"
    assert warned(f"def f():\n    {code}\n") == [f"work.py line 2 {refused}: {fails}."]
    assert warned(f"{code}\ndef f(): pass\n") == [f"work.py line 1 {refused}: {left_out}."]
    assert warned(f"def f(): pass\nif __name__ == '__main__':\n    {code}\n") == []


@pytest.mark.parametrize(
    "code",
    [
        "import asyncio; asyncio.run(asyncio.sleep(0))",
        "import zoneinfo; zoneinfo.ZoneInfo('Europe/Berlin')",
        "import csv, decimal, random, statistics",
        "import glob; glob.glob('*')",
        "import platform; platform.platform()",
        "import sqlite3; sqlite3.connect(':memory:').close()",
        "import socket; socket.gethostname()",
        "import os; os.system('clear')",
        "import other",
        "import doctest; doctest.testmod()",
        "import warnings; warnings.warn('x', stacklevel=1)",
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_works_when_graded_is_not_said(warned, tmp_path, monkeypatch, code):
    """The library reads its own files; glob finds nothing, and another file of the exercise imported."""
    (tmp_path / "other.py").write_text("X = 1\n", encoding="utf-8")
    watch = Watch(tmp_path, {})
    monkeypatch.setitem(sys.modules, "other", StudentFile(tmp_path / "other.py", [], watch))
    assert warned(f"{code}\ndef f():\n    return 1\n") == []


def test_slow_calls_are_named_with_the_graders_limit(warned):
    """A call, the import, and everything together; each once."""
    spin = "import time\nend = time.process_time() + 0.08\nwhile time.process_time() < end: pass\n"
    text = "def f():\n    " + spin.replace("\n", "\n    ") + "\n"
    assert warned(text, calls=3, limits=LIMITS) == [
        "f() took longer than the 0.05 seconds allowed when you are graded.",
        "Everything together took longer than the 0.15 seconds allowed when you are graded.",
    ]
    assert warned(spin + "def f(): pass\n", limits=LIMITS) == [
        "work.py took longer than the 0.05 seconds allowed when you are graded."
    ]


def test_changed_test_file_is_named(warned, tmp_path):
    """Line ends and blanks may change; a file that is not there is told elsewhere."""
    (tmp_path / "test_work.py").write_bytes(b"assert  1\r\n")
    text = "def f(): pass\n"
    assert warned(text, tests={"test_work.py": file_digest(b"assert 1\n"), "test_other.py": ""}) == []
    assert warned(text, tests={"test_work.py": file_digest(b"assert 2\n")}) == [
        "test_work.py was changed; you are graded with the original; unzip this file again from the bundle."
    ]


def test_second_copy_is_named(warned, tmp_path):
    """Another file with the same functions may be the one that is handed in by mistake."""
    (tmp_path / "work (1).py").write_text("def f():\n    return 2\n", encoding="utf-8")
    said = warned("def f():\n    return 1\n", files={"work.py": ["f"]})
    assert said == ["work (1).py holds the same functions: keep one of the two, under the name work.py."]
