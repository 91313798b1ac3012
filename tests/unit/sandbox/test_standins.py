"""What beginners write at the top of a file works in the jail, and nothing of it is left out."""

from collections.abc import Iterator

import pytest
from helpers import jail

from grader.sandbox.host import Zygote
from grader.suite.session import Session


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """One zygote for all of these files."""
    with jail.opened() as zygote:
        yield zygote


@pytest.fixture
def load(zygote):
    """Import ``reservation.py`` and call its ``f``; return the session."""

    def load(source):
        session = Session(zygote, jail.ROOMY, {"reservation.py": source.encode()}, ("reservation.py",))
        session.load()
        session.answer("visible/T::t", jail.call("f"), hidden=False)
        session.close()
        return session

    return load


HARMLESS = """\
import sys; sys.stdout.reconfigure(encoding="utf-8")
import sys; sys.stdout.buffer.write(b"x"); sys.stderr.flush(); sys.stdout.fileno()
import sys; print(sys.stdout.encoding, sys.stdout.isatty(), sys.stdout.name, file=sys.__stdout__)
import io, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")
import faulthandler; faulthandler.enable()
import os; os.chdir(os.path.dirname(os.path.abspath(__file__)))
import os; assert os.getcwd() == os.path.dirname(__file__) and os.getcwdb()
from pathlib import Path; assert Path.cwd() == Path(__file__).resolve().parent
import sys, os; sys.path.insert(0, os.path.dirname(__file__)); sys.path[0]
import asyncio; asyncio.run(asyncio.sleep(0))
import asyncio; assert asyncio.run(asyncio.wait_for(asyncio.sleep(0.01, 5), 9)) == 5
from zoneinfo import ZoneInfo; assert str(ZoneInfo("Europe/Berlin")) == "Europe/Berlin"
import doctest; doctest.testmod()
import os; os.system("cls" if os.name == "nt" else "clear")
import platform; platform.platform(); platform.node(); platform.python_version()
import glob; glob.glob("*.py")
import uuid; uuid.uuid1(); uuid.uuid4()
import pytest; pytest.main([__file__])
breakpoint()
help(len); help()
import locale; locale.setlocale(locale.LC_ALL, "")
import warnings; warnings.filterwarnings("ignore"); warnings.warn("x")
import logging; logging.basicConfig(level=logging.DEBUG); logging.info("x")
import time; time.sleep(0.001); time.get_clock_info("monotonic"); time.perf_counter_ns()
import random; random.seed(1); random.random()
import secrets; secrets.token_hex()
import os; os.cpu_count(); os.getpid(); os.environ.get("HOME"); os.path.exists("x")
import resource; resource.getrusage(0); resource.getrlimit(resource.RLIMIT_AS)
import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)
import decimal, fractions, statistics; statistics.mean([decimal.Decimal(1), 2])
import sqlite3; sqlite3.connect(":memory:").execute("select 1")
import unittest, unittest.mock, typing, dataclasses, enum, abc, contextlib
import ctypes; ctypes.CDLL(None); ctypes.CDLL("libc.so.6")
import inspect; assert "def f" in inspect.getsource(f)
import traceback; traceback.print_stack()
import multiprocessing, concurrent.futures, threading, queue, subprocess, socket, ssl
import getpass; getpass.getuser
import os; os.path.expanduser("~"); os.path.realpath(__file__)
import sys; sys.setrecursionlimit(5000)
import gc; gc.collect()
import tracemalloc; tracemalloc.start(); tracemalloc.stop()
import cProfile; cProfile.Profile().runcall(int)
import timeit; timeit.timeit("1", number=1)
import argparse; argparse.ArgumentParser().parse_args([])
import pickle, json, csv, io; pickle.loads(pickle.dumps({1: 2}))
import shutil; shutil.get_terminal_size()
import hashlib; hashlib.sha256(b"x").hexdigest()
import datetime; datetime.datetime.now(); datetime.datetime.strptime("2026", "%Y")
import calendar; calendar.month(2026, 1)
import pprint; pprint.pprint([1])
"""


@pytest.mark.parametrize("statement", HARMLESS.splitlines())
def test_statement_at_the_top_is_run(load, statement):
    """It raises nothing, nothing is left out, and no flag is given."""
    session = load(f"def f():\n    return 300\n{statement}\n")
    first = session.exchanges[0]
    assert (first.verdict, first.aside.get("left_out"), first.aside.get("text")) == (
        {"kind": "loaded"},
        None,
        None,
    )
    assert session.exchanges[1].verdict == {"kind": "value", "value": 300}
    assert session.flags == set()


def test_what_is_printed_is_kept(load):
    """Text and bytes on both streams arrive in order; a lone surrogate is shown as an escape."""
    source = (
        "import sys\ndef f():\n    print('one', end=' ')\n"
        "    sys.stdout.buffer.write('zw\\u00f6lf '.encode())\n"
        "    print('\\ud800', file=sys.stderr, end='')\n    return 1\n"
    )
    assert load(source).exchanges[1].aside["printed"] == "one zw\u00f6lf \\ud800"


def test_traceback_shows_the_students_line(load):
    """A printed traceback holds the source line, taken from memory."""
    source = "import traceback\ndef f():\n    try:\n        1 / 0  # here\n    except ZeroDivisionError:\n"
    printed = load(source + "        traceback.print_exc()\n").exchanges[1].aside["printed"]
    assert "1 / 0  # here" in printed


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("os.chdir('/etc')", "PermissionError"),
        ("os.chdir('..')", "PermissionError"),
        ("os.chdir(b'.')", None),
        ("os.chdir('/submission/')", None),
    ],
)
def test_only_the_own_folder_can_be_entered(load, expression, value):
    """Other folders are refused by the kernel."""
    source = (
        f"import os\ndef f():\n    try:\n        return {expression}\n"
        "    except OSError as error:\n        return type(error).__name__\n"
    )
    assert load(source).exchanges[1].verdict["value"] == value


OWN_TESTS = """
import pytest
from pytest import approx, fixture, mark, raises

@pytest.fixture
def three():
    return 3

@fixture(scope="module")
def four():
    return 4

@pytest.mark.parametrize(("n", "want"), [(1, 2), pytest.param(2, 4, id="two")])
def test_double(n, want):
    assert 2 * n == want

@mark.skipif(True, reason="no")
@pytest.mark.slow
class TestThings:
    def test_it(self):
        pass

def f():
    test_double(1, 2)
    TestThings().test_it()
    with pytest.raises(ValueError, match="lit") as caught:
        int("x")
    assert caught.type is ValueError and "lit" in str(caught.value)
    pytest.raises(ZeroDivisionError, lambda: 1 / 0)
    assert 0.1 + 0.2 == pytest.approx(0.3) and [0.1 + 0.2] == approx([0.3])
    assert 1.05 == approx(1, abs=0.1) and 1.2 != approx(1, rel=0.1) and {"a": 1.0000001} == approx({"a": 1})
    try:
        with raises(KeyError):
            pass
    except AssertionError as error:
        return [str(error)[:13], three(), four(), test_double.__name__]
"""


def test_own_tests_in_the_file(load):
    """Marks and fixtures leave functions alone; raises and approx do their work."""
    exchanges = load(OWN_TESTS).exchanges
    assert exchanges[1].verdict["value"] == ["DID NOT RAISE", 3, 4, "test_double"], exchanges[1].aside


def test_enumeration_of_ints_is_no_impostor(load):
    """A member of the submission's IntEnum raises no flag; an own ``__eq__`` in it does."""
    source = "import enum\nclass Size(enum.IntEnum):\n    TWO = 2\n{}def f():\n    return Size.TWO\n"
    assert load(source.format("")).flags == set()
    own = "    def __eq__(self, other):\n        return True\n"
    assert load(source.format(own)).flags == {"returned-impostor"}
