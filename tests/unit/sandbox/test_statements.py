"""Top-level statements that fail only because of the jail are left out; the rest of the file counts."""

from collections.abc import Iterator

import pytest
from helpers import jail

from grader.sandbox.host import Zygote
from grader.suite.session import Session

ANSWER = "\ndef f():\n    return 300\n"


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """One zygote for all of these files."""
    with jail.opened() as zygote:
        yield zygote


@pytest.fixture
def load(zygote):
    """Import ``reservation.py`` and call its ``f``; return the load's verdict and aside, and f's value."""

    def load(source, **helpers):
        files = {"reservation.py": source, **{f"{name}.py": text for name, text in helpers.items()}}
        session = Session(
            zygote, jail.ROOMY, {name: text.encode() for name, text in files.items()}, ("reservation.py",)
        )
        session.load()
        answer = session.answer("visible/T::t", jail.call("f"), hidden=False).verdict
        session.close()
        return session.exchanges[0].verdict["kind"], session.exchanges[0].aside, answer.get("value")

    return load


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ('open("notes.txt")', "files"),
        ('DATA = open("/etc/passwd").read()', "files"),
        ('with open("a", "w") as file:\n    file.write("x")', "files"),
        ("import os; os.listdir()", "files"),
        ("import os; os.mkdir('out')", "files"),
        ("import logging; logging.basicConfig(filename='debug.log')", "files"),
        ("import tempfile; tempfile.mkdtemp()", "files"),
        ("import sqlite3; sqlite3.connect('x.db')", "files"),
        ("import socket; socket.socket()", "network"),
        ("import urllib.request; urllib.request.urlopen('http://example.org')", "network"),
        ("import subprocess; subprocess.run(['true'])", "processes"),
        ("import os; os.fork()", "processes"),
        ("import threading; threading.Thread(target=int).start()", "threads"),
        ("import numpy as np", "module"),
        ("from matplotlib import pyplot as plt", "module"),
        ("n = int(input('How many? '))", "input"),
        ("import sys; sys.exit()", "exit"),
        ("quit()", "exit"),
    ],
)
def test_refused_statement_is_left_out(load, statement, reason):
    """The reply names file, line and reason; the function below still counts."""
    kind, aside, value = load(f"# one\n{statement}{ANSWER}")
    assert (kind, value) == ("loaded", 300)
    ((file, line, word, _name),) = aside["left_out"]
    assert (file, line, word) == ("reservation.py", 2, reason)


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("raise FileNotFoundError('mine')", "FileNotFoundError"),
        ("raise EOFError('mine')", "EOFError"),
        ("unknown", "NameError"),
        ("import json.nothing", "ModuleNotFoundError"),
        ("from json import nothing", "ImportError"),
        ("x = bytearray(1 << 40)", "MemoryError"),
        ("def again(): again()\nagain()", "RecursionError"),
        ("try:\n    open('x')\nexcept OSError:\n    pass\n1 / 0", "ZeroDivisionError"),
    ],
)
def test_own_error_of_a_file_is_not_left_out(load, statement, error):
    """What fails at home too fails here, also after an attempt that the file itself caught."""
    kind, aside, _ = load(statement + ANSWER)
    assert kind in ("raised", "stopped")
    assert "left_out" not in aside
    assert aside.get("type", error) == error


def test_only_the_failing_statement_of_a_line_is_left_out(load):
    """Of three statements in one line the first and the last are run."""
    source = "a = 1; b = open('x'); c = 299\ndef f():\n    return a + c\n"
    kind, aside, value = load(source)
    assert (kind, value, aside["left_out"]) == ("loaded", 300, [["reservation.py", 1, "files", ""]])


def test_statements_that_need_a_left_out_one_are_left_out(load):
    """A decorator and a value that use a missing name are left out as well, with that name."""
    source = (
        "import numpy as np\n@np.vectorize\ndef g(x):\n    return x\n"
        "DATA = open('x').read()\nN = len(DATA)\nM = N + 1\n" + ANSWER
    )
    kind, aside, value = load(source)
    assert (kind, value) == ("loaded", 300)
    assert [entry[1:] for entry in aside["left_out"]] == [
        [1, "module", "numpy"],
        [2, "needs", "np"],
        [5, "files", ""],
        [6, "needs", "DATA"],
        [7, "needs", "N"],
    ]


@pytest.mark.parametrize("start", ["t.start()", "t.start(); t.name"])
def test_what_a_left_out_call_would_have_changed_is_left_out(load, start):
    """A thread that could not be started cannot be joined either; what does not use it is judged as ever."""
    source = f"import threading\nt = threading.Thread(target=int)\n{start}\nt.join()\n"
    kind, aside, value = load(source + ANSWER)
    assert (kind, value) == ("loaded", 300)
    assert [entry[1:] for entry in aside["left_out"]] == [[3, "threads", ""], [4, "needs", "t"]]
    kind, aside, _ = load(f"{source}1 / 0\n{ANSWER}")
    assert (kind, aside["type"]) == ("raised", "ZeroDivisionError")


def test_rest_of_the_file_keeps_its_meaning(load):
    """Future imports, the docstring, annotations, globals and line numbers are as in one run."""
    source = (
        '"""Doc."""\nfrom __future__ import annotations\nopen("x")\ncount: Unknown = 1\n'
        "def more():\n    global count\n    count += 1\nmore()\n"
        "def g(n: AlsoUnknown) -> Nothing:\n    raise KeyError(n)\n"
        "def f():\n    try:\n        g(1)\n    except KeyError as error:\n"
        "        line = error.__traceback__.tb_next.tb_lineno\n"
        "    return [__doc__, count, line, sorted(__annotations__), __name__, __file__]\n"
    )
    _, aside, value = load(source)
    assert aside["left_out"] == [["reservation.py", 3, "files", ""]]
    assert value == ["Doc.", 2, 10, ["count"], "reservation", "/submission/reservation.py"]


def test_failure_inside_a_called_function_leaves_out_the_call(load):
    """The call at the top level is left out; the function is still defined."""
    source = "def read():\n    return open('x')\nTEXT = read()\ndef f():\n    return callable(read) and 300\n"
    _, aside, value = load(source)
    assert (aside["left_out"], value) == ([["reservation.py", 3, "files", ""]], 300)


def test_helper_file_leaves_out_its_own_statement(load):
    """The helper's line is named, and the file that imports it is whole."""
    source = "import helper\ndef f():\n    return helper.N\n"
    kind, aside, value = load(source, helper="open('x')\nN = 300\n")
    assert (kind, value) == ("loaded", 300)
    assert aside["left_out"] == [["helper.py", 1, "files", ""]]


def test_at_most_twenty_statements_are_left_out(load):
    """The 21st refused statement ends the import with its own error."""
    assert load("open('x')\n" * 20 + ANSWER)[0] == "loaded"
    kind, aside, _ = load("open('x')\n" * 21 + ANSWER)
    assert (kind, len(aside["left_out"]), aside["where"][-1][1]) == ("raised", 20, 21)
