"""Files as students hand them in, graded in the jail: the right score, or one sentence that helps."""

import dataclasses
import json
import re
import sys
from pathlib import Path

import msgspec
import pytest
from helpers.golden import assert_golden_line
from helpers.notebook_course import notebook_with_answers
from helpers.paths import ROOT

from grader.course.load import load_course
from grader.feedback.pages import feedback_pages
from grader.grading.score import score
from grader.grading.workers import Grader
from grader.intake.collect import collect
from grader.intake.prepare import decoded
from grader.results.final import final_result
from grader.sandbox.host import choose_tier
from grader.sources.submission import Submission
from grader.suite.run import Run

FILE = "reservation.py"
FULL = 16  # points of Part 2, which alone is handed in here
POINTS = {
    "reserved_slots": 2,
    "used_slots": 4,
    "waste_fraction": 4,
    "extra_reservations": 3,
    "paged_slots": 3,
}
RIGHT = {
    "reserved_slots": "def reserved_slots(n_seq, max_len):\n    return n_seq * max_len\n",
    "used_slots": (
        "def used_slots(lengths, max_len=None):\n"
        "    if max_len is not None and any(n > max_len for n in lengths):\n"
        "        raise ValueError('too long')\n"
        "    return sum(lengths)\n"
    ),
    "waste_fraction": (
        "def waste_fraction(lengths, max_len):\n"
        "    if any(n > max_len for n in lengths):\n"
        "        raise ValueError('too long')\n"
        "    return 1 - sum(lengths) / (max_len * len(lengths)) if lengths else 0.0\n"
    ),
    "extra_reservations": (
        "def extra_reservations(pool, max_len, n_running):\n    return max(0, pool // max_len - n_running)\n"
    ),
    "paged_slots": (
        "def paged_slots(lengths, block):\n    return sum(-(-n // block) * block for n in lengths)\n"
    ),
}
PAGED = "def paged_slots(lengths, block):\n"
CALL = "paged_slots([33], 16)"


def course_with_low_limits():
    """The course and its exercise, with shorter time limits."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise("contiguous_reservation")
    limits = msgspec.structs.replace(
        exercise.limits, call_cpu_seconds=0.3, call_wall_seconds=4.0, import_cpu_seconds=0.5
    )
    return course, dataclasses.replace(exercise, limits=limits)


def new_grader():
    """A new Grader."""
    course, exercise = course_with_low_limits()
    return Grader(course, exercise, choose_tier("auto", exercise.limits, unsafe=False))


@pytest.fixture(scope="module")
def grader():
    """One Grader for all tests: a submission must not affect the next one."""
    made = new_grader()
    yield made
    made.close()


def file(text, without=()):
    """A reservation.py that begins with ``text``; functions that it does not define are added, all right."""
    others = [source for name, source in RIGHT.items() if f"def {name}(" not in text and name not in without]
    return (text + "".join(others)).encode()


def graded(grader, data, **helpers):
    """Grade a reservation.py, given as bytes or as the text that it begins with."""
    files = {FILE: data if isinstance(data, bytes) else file(data)}
    named = {f"{name}.py": text.encode() for name, text in helpers.items()}
    return grader.grade(decoded(Submission("ada", files, named))).result


def state_and_sentence(result, criterion="paged-rounds-up"):
    """A criterion's state and the first sentence of its message."""
    found = next(c for c in result.criteria if c.id == criterion)
    return found.status, found.message.partition("\n")[0]


def import_sentence(result):
    """The one sentence that all criteria of the file have."""
    assert result.score == 0
    found = {(c.status, c.message) for c in result.criteria if c.task != "hands_on"}
    assert len(found) == 1, found
    state, message = found.pop()
    assert state == "not-run"
    return message


# --- failed calls ---

CALLS = {
    "not started": ("not-started", PAGED + "    raise NotImplementedError('TODO 10: round up')\n"),
    "wrong number of arguments": ("needs-work", "def paged_slots(lengths):\n    return 48\n"),
    "a method's self": ("needs-work", "def paged_slots(self, lengths, block):\n    return 48\n"),
    "returned None": ("needs-work", PAGED + "    print(48)\n"),
    "a list": ("needs-work", PAGED + "    return [48]\n"),
    "a text": ("needs-work", PAGED + "    return '48'\n"),
    "a generator": ("needs-work", PAGED + "    while True:\n        yield 48\n"),
    "a coroutine": ("needs-work", "async " + PAGED + "    return 48\n"),
    "raised": ("needs-work", PAGED + "    return 1 // 0\n"),
    "called itself": ("needs-work", PAGED + "    return paged_slots(lengths, block)\n"),
    "too long": ("stopped", PAGED + "    while True:\n        pass\n"),
    "too long, whatever is raised": (
        "stopped",
        PAGED
        + "    while True:\n        try:\n            while True:\n                pass\n"
        + "        except BaseException:\n            pass\n",
    ),
    "too much memory": ("stopped", PAGED + "    return bytearray(1 << 40)\n"),
    "sys.exit()": ("stopped", "import sys\n" + PAGED + "    sys.exit(0)\n"),
    "exit()": ("stopped", PAGED + "    exit()\n"),
    "os._exit()": ("stopped", "import os\n" + PAGED + "    print(48)\n    os._exit(0)\n"),
    "a crash": ("stopped", "import ctypes\n" + PAGED + "    return ctypes.string_at(0)\n"),
    "KeyboardInterrupt": ("needs-work", PAGED + "    raise KeyboardInterrupt\n"),
    "a skip": ("needs-work", "import unittest\n" + PAGED + "    raise unittest.SkipTest('todo')\n"),
    "a lone surrogate": ("needs-work", PAGED + "    raise ValueError('bad file ' + chr(0xDCFF))\n"),
}


@pytest.mark.parametrize("name", CALLS)
def test_failed_call(grader, name):
    """It costs only the points of its function; hidden criteria say nothing; pages can be written."""
    expected, text = CALLS[name]
    result = graded(grader, text)
    state, sentence = state_and_sentence(result)
    assert state == expected
    assert_golden_line("cases.txt", f"call: {name}", sentence)
    assert result.score == FULL - POINTS["paged_slots"]
    assert {c.message for c in result.criteria if c.visibility == "hidden" and c.task == "paged_slots"} == {
        ""
    }
    exercise = grader.exercise
    for page in feedback_pages(final_result(result), exercise):
        assert len(page) < 100_000


def test_warnings_of_python_are_not_shown_as_output(grader):
    """A coroutine that nobody awaits adds no line to the feedback."""
    result = graded(grader, "async " + PAGED + "    return 48\n")
    assert not [c for c in result.criteria if "It printed" in c.message]


def test_float_instead_of_int(grader):
    """48.0 equals 48; only the test of the type fails, with its own message."""
    result = graded(grader, PAGED + "    return float(sum(-(-n // block) * block for n in lengths))\n")
    assert state_and_sentence(result) == (
        "needs-work",
        f"{CALL} returned 48.0: a count is an int, such as 48.",
    )


def test_changed_argument(grader):
    """The answer is right, but the caller's list was changed; it is shown before and after."""
    text = PAGED + "    lengths.sort()\n    return sum(-(-n // block) * block for n in lengths)\n"
    assert state_and_sentence(graded(grader, text), "paged-each-sequence") == (
        "needs-work",
        (
            "paged_slots([35, 20, 10], 16) changed its argument: it was [35, 20, 10] and is now "
            "[10, 20, 35]; expected it left as it was."
        ),
    )


COUNT = "def used_slots(lengths, max_len=None):\n"
USED = COUNT + "    for n in lengths:\n        if max_len is not None and n > max_len:\n"
SUM = "    return sum(lengths)\n"
WASTE = "def waste_fraction(lengths, max_len):\n"
SHARE = "    return 1 - sum(lengths) / (max_len * len(lengths)) if lengths else 0.0\n"
BELIEVED = {
    "nothing is checked": (COUNT + SUM, "used-never-checks"),
    "a printed error": (USED + "            print('ValueError')\n" + SUM, "used-never-checks"),
    "an error without raise": (USED + "            ValueError('too long')\n" + SUM, "used-never-checks"),
    "Exception": (USED + "            raise Exception('too long')\n" + SUM, "used-raises-exception"),
    "an own class": (
        "class TooLong(Exception):\n    pass\n" + USED + "            raise TooLong\n" + SUM,
        "used-raises-exception",
    ),
    "TypeError": (USED + "            raise TypeError('too long')\n" + SUM, "used-raises-type-error"),
    "a text raised": (USED + "            raise 'too long'\n" + SUM, "used-raises-type-error"),
    "no share is checked": (WASTE + SHARE, "waste-never-checks"),
    "an error that is caught": (
        WASTE
        + "    try:\n        used_slots(lengths, max_len)\n    except ValueError:\n        pass\n"
        + SHARE,
        "waste-never-checks",
    ),
}


@pytest.mark.parametrize(("text", "name"), BELIEVED.values(), ids=BELIEVED)
def test_diagnosis_is_true_of_every_version_that_gets_it(grader, text, name):
    """Versions with the same answers get the same sentence: it says what reaches the caller, not how."""
    (diagnosis,) = graded(grader, text).diagnoses
    assert diagnosis.misconception == name
    assert diagnosis.explanation.startswith(
        {
            "used-never-checks": "No ValueError reaches the caller when ",
            "used-raises-exception": "For a too long sequence an error reaches the caller that is no kind ",
            "used-raises-type-error": "For a too long sequence a TypeError reaches the caller, ",
            "waste-never-checks": "No ValueError reaches the caller when ",
        }[name]
    )


MISSING = {
    "left out": "",
    "another case": "def Paged_slots(lengths, block):\n    return 48\n",
    "a look-alike letter": "def p\u0430ged_slots(lengths, block):\n    return 48\n",
    "a number": "paged_slots = 48\n",
}


@pytest.mark.parametrize("name", MISSING)
def test_missing_function(grader, name):
    """Left out, under another name, or not a function; near names in the file are shown."""
    result = graded(grader, file(MISSING[name], without=["paged_slots"]))
    state, sentence = state_and_sentence(result)
    assert state == "not-run"
    assert_golden_line("cases.txt", f"missing: {name}", sentence)
    assert result.score == FULL - POINTS["paged_slots"]


def test_full_width_letter_in_a_name(grader):
    """Python reads it as the plain letter."""
    text = "def \uff50aged_slots(lengths, block):\n    return sum(-(-n // block) * block for n in lengths)\n"
    assert graded(grader, file(text, without=["paged_slots"])).score == FULL


@pytest.mark.slow
def test_fault_of_the_grader_gives_no_score(monkeypatch):
    """When the worker has ended and no other can start, there is no score, and the message says why."""
    grader = new_grader()
    grader.close()
    monkeypatch.setattr("grader.grading.workers.WorkerProcess", no_worker)
    result = graded(grader, "")
    assert (result.status, result.score) == ("grader-error", None)
    assert {c.message for c in result.criteria} == {
        "The grader itself failed here. It is not your code, and nothing was lost."
    }


def no_worker(*_):
    """The system gives no further process."""
    raise BlockingIOError


# --- failed imports ---

IMPORTS = {
    "an error": "import math\nSLOTS = {}['x']\n",
    "an own check": "print('trying')\nassert 1 + 1 == 3\n",
    "a syntax error": "def f()\n    pass\n",
    "tabs and spaces": "def f():\n    x = 1\n\treturn x\n",
    "Python 2": "print 'hello'\n",
    "smart quotes": "x = 1\ny = \u201cno\u201d\n",
    "a no-break space": "x =\u00a01\n",
    "a zero-width space": "x = 1 +\u200b 1\n",
    "Ctrl-Z in the middle": "x = 1\n\x1ay = 2\n",
    "a loop": "while True:\n    pass\n",
    "too much memory": "x = bytearray(1 << 40)\n",
    "os._exit()": "import os\nos._exit(0)\n",
    "a relative import": "from .helper import plus\n",
    "a window": "class TclError(Exception):\n    pass\nraise TclError('no display name')\n",
}


@pytest.mark.parametrize("name", IMPORTS)
def test_failed_import(grader, name):
    """None of its criteria is run, nobody waits for anything, and file and line are named."""
    assert_golden_line("cases.txt", f"import: {name}", import_sentence(graded(grader, IMPORTS[name])))


LEFT_OUT = {
    "input()": "name = input('your name? ')\n",
    "sys.exit()": "import sys\nsys.exit(0)\n",
    "exit()": "exit()\n",
    "a forgotten helper": "from helper import plus\n",
    "numpy": "import numpy as np\n",
    "a decorator of it": "import numpy as np\n@np.vectorize\ndef double(n):\n    return 2 * n\n",
    "a file": "open('notes.txt')\n",
    "a socket": "import socket\nsocket.socket()\n",
    "a program": "import subprocess\nsubprocess.run(['clear'])\n",
    "a thread": "import threading\nthreading.Thread(target=int).start()\n",
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_statement_that_is_left_out(grader, name):
    """The rest of the file counts, and the last note says which line was left out and why."""
    result = graded(grader, LEFT_OUT[name])
    assert result.score == FULL
    assert_golden_line("cases.txt", f"left out: {name}", result.notes[-1])


def test_file_for_a_newer_python(grader):
    """The version that the file needs is named, and the one that runs here."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    sentence = import_sentence(graded(grader, "lazy import json\n"))
    assert sentence == f"reservation.py line 1 needs Python 3.15 or newer; this is Python {here}."


HELPERS = {
    "not Python": ("import helper\n", "def plus(a, b)\n"),
    "an error": ("import helper\n", "\n1 / 0\n"),
    "a circle": ("from helper import plus\n", "from reservation import used_slots\n"),
}


@pytest.mark.parametrize("name", HELPERS)
def test_failed_helper(grader, name):
    """The sentence names the file that must be changed."""
    text, helper = HELPERS[name]
    assert_golden_line("cases.txt", f"helper: {name}", import_sentence(graded(grader, text, helper=helper)))


def test_handed_in_helper_is_used(grader):
    """A helper can be imported inside a function too."""
    text = PAGED + "    from helper import up\n    return sum(up(n, block) for n in lengths)\n"
    assert graded(grader, text, helper="def up(n, block):\n    return -(-n // block) * block\n").score == FULL


def test_helper_hides_no_standard_module(grader):
    """A file called random.py is imported by nobody: not by the grader, not by the standard library."""
    text = "import random\nrandom.Random(1).random()\n"
    assert graded(grader, text, random="raise SystemExit\n").score == FULL


# --- encodings ---

WHOLE = file("# Größe\n")
SAVED = {
    "a byte order mark": (b"\xef\xbb\xbf" + WHOLE, ()),
    "UTF-16": (
        WHOLE.decode().encode("utf-16"),
        ("reservation.py was read as UTF-16; please save it as UTF-8.",),
    ),
    "UTF-16 without a mark": (
        file("").decode().encode("utf-16-le"),
        ("reservation.py was read as UTF-16; please save it as UTF-8.",),
    ),
    "Ctrl-Z at the end": (
        WHOLE + b"\x1a",
        ("reservation.py has NUL or Ctrl-Z characters behind its text; they were left out.",),
    ),
    "NULs at the end": (
        WHOLE + b"\0\0\0",
        ("reservation.py has NUL or Ctrl-Z characters behind its text; they were left out.",),
    ),
    "Latin-1 in a comment": (
        WHOLE.decode().encode("latin-1"),
        ("reservation.py is not UTF-8 (line 1); please save it as UTF-8.",),
    ),
    "Latin-1 by its coding line": (b"# coding: latin-1\nNAME = 'Gr\xf6\xdfe'\n" + file(""), ()),
    "CR LF": (WHOLE.replace(b"\n", b"\r\n"), ()),
    "CR": (WHOLE.replace(b"\n", b"\r"), ()),
    "no line end": (WHOLE.rstrip(), ()),
}


@pytest.mark.parametrize(("data", "notes"), SAVED.values(), ids=SAVED)
def test_right_file_in_any_encoding(grader, data, notes):
    """All points; a note says what was changed before grading."""
    result = graded(grader, data)
    assert (result.score, result.notes) == (FULL, notes)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"x = 1\nNAME = 'Jos\xe9'\n", "it is not UTF-8 text (line 2); save it as UTF-8"),
        (
            b"# coding: klingon\n",
            "its coding line names another encoding than it has; remove that line and save it as UTF-8",
        ),
        (
            b"\xef\xbb\xbf# coding: latin-1\n",
            "its coding line names another encoding than it has; remove that line and save it as UTF-8",
        ),
    ],
)
def test_undecodable_file(grader, data, why):
    """Python could not import it either, so nothing is run."""
    assert import_sentence(graded(grader, data + file(""))) == f"reservation.py could not be read: {why}."


def test_binary_file_is_unreadable(grader):
    """No other file was handed in, so there is no score; the sentence names file and line."""
    result = graded(grader, b"x = 1\ny\0 = 2\n" + file(""))
    assert (result.status, result.score) == ("unreadable", None)
    assert {c.message for c in result.criteria} == {
        "reservation.py could not be read: it holds NUL characters (line 2); save it as UTF-8."
    }


@pytest.mark.parametrize("data", [b"", b"\r\n \n"])
def test_empty_file(grader, data):
    """An empty file, a file of comments and an untouched stub get three different answers."""
    assert import_sentence(graded(grader, data)) == (
        "reservation.py is empty: save your work under this name and hand it in again."
    )
    assert state_and_sentence(graded(grader, b"# TODO\n"))[1].startswith("reservation.py has no paged_slots.")
    stub = (ROOT / "exercises/contiguous_reservation" / FILE).read_bytes()
    assert state_and_sentence(graded(grader, stub))[0] == "not-started"


def test_main_guard_is_not_run(grader):
    """Code below ``if __name__ == "__main__"`` is not run."""
    assert graded(grader, "if __name__ == '__main__':\n    input()\n    1 / 0\n").score == FULL


# --- side effects ---

HARMLESS = {
    "its own tests": "def test_paged_slots():\n    pass\ndef test_extra():\n    assert False\n",
    "an end of its own": "import atexit, os\natexit.register(os._exit, 0)\n",
    "a log record": (
        "import logging, threading\n"
        "logging.getLogger('x').warning('adding', extra={'lock': threading.Lock()})\n"
    ),
    "a megabyte on standard error": "import os\nos.write(2, b'x' * 1_000_000)\n",
    "a hundred megabytes printed": "for _ in range(100):\n    print('x' * 1_000_000)\n",
    "patched builtins": "import builtins, os\nos.getpid = lambda: object()\nbuiltins.repr = lambda x: ''\n",
    "a stopped clock": "import time\ntime.time = time.monotonic = lambda: 0.0\ntime.sleep = lambda s: None\n",
    "files around it": (
        "import glob\n"
        "for path in glob.glob('*') + glob.glob('../*'):\n"
        "    try:\n        open(path, 'w').close()\n    except OSError:\n        pass\n"
    ),
    "what Python says of itself": "help()\nhelp(len)\nlicense()\ncredits()\ncopyright()\nprint(copyright)\n",
    "another folder": (
        "import os\n" + PAGED + "    try:\n        os.chdir('/')\n    except OSError:\n        pass\n"
        "    return sum(-(-n // block) * block for n in lengths)\n"
    ),
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_right_answers_beside_odd_code(grader, text):
    """All points, and the next submission gets its own result."""
    assert graded(grader, text).score == FULL
    assert graded(grader, PAGED + "    return 0\n").score == FULL - POINTS["paged_slots"]


def test_submissions_with_the_same_file_name(grader):
    """Right, wrong and unreadable files, in any order: each gets its own result, every time."""
    texts = {"": FULL, PAGED + "    return 0\n": FULL - 3, "import os\nos._exit(0)\n": 0}
    once = [graded(grader, text) for text in texts]
    again = [graded(grader, text) for text in reversed(texts)]
    assert [result.score for result in once] == [*texts.values()]
    assert once == again[::-1]


def test_repeated_runs_give_the_same_result(grader):
    """Also for a function that counts its calls and one that depends on the hash seed."""
    text = (
        "seen = []\n" + PAGED + "    seen.append(block)\n    return len(seen)\n"
        "def extra_reservations(pool, max_len, n_running):\n    return hash('a') % 1000\n"
    )
    results = [graded(grader, text) for _ in range(3)]
    assert results[0] == results[1] == results[2]
    assert results[0].score == FULL - POINTS["paged_slots"] - POINTS["extra_reservations"]


def test_deep_recursion(grader):
    """With the recursion limit raised, the call is stopped, and the other functions are graded."""
    text = (
        "import sys\nsys.setrecursionlimit(10**9)\n" + PAGED + "    return paged_slots(lengths, block) + 0\n"
    )
    result = graded(grader, text)
    assert state_and_sentence(result)[0] == "stopped"
    assert result.score == FULL - POINTS["paged_slots"]


@pytest.mark.parametrize(
    "value", ["10 ** 5000", "[0.1] * 45_000", "'x' * 5_000_000", "[[0] * 30 for _ in range(1500)]"]
)
def test_giant_answers(grader, value):
    """Numbers of thousands of digits, long lists and texts are wrong answers, told in a short sentence."""
    result = graded(grader, PAGED + f"    return {value}\n")
    state, sentence = state_and_sentence(result)
    assert state == "needs-work"
    assert sentence.startswith(f"{CALL} returned ")
    assert len(sentence) < 800
    assert result.score == FULL - POINTS["paged_slots"]


def test_impostor_equals_nothing(grader):
    """An object that equals everything earns nothing, and the instructor sees a flag."""
    yes = (
        "class Yes(int):\n    def __eq__(self, other):\n        return True\n"
        "    def __hash__(self):\n        return 0\n" + PAGED + "    return Yes()\n"
    )
    result = graded(grader, yes)
    assert result.score == FULL - POINTS["paged_slots"]
    assert result.flags == ("returned-impostor",)


@pytest.mark.slow
def test_environment_of_the_grader(monkeypatch):
    """Pytest's settings in the shell change nothing; a token in it reaches no submission."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x -k nothing --lf")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.setenv("CANVAS_TOKEN", "a-made-up-token")
    grader = new_grader()
    try:
        assert graded(grader, "").score == FULL
        result = graded(grader, "import os\n" + PAGED + "    raise RuntimeError(str(dict(os.environ)))\n")
    finally:
        grader.close()
    state, sentence = state_and_sentence(result)
    assert state == "needs-work"
    assert sentence.startswith(f"{CALL} raised RuntimeError")
    assert "made-up" not in sentence
    assert result.score == FULL - POINTS["paged_slots"]


# --- other files in the hand-in ---


def test_compiled_files_are_never_used(grader, tmp_path):
    """A right reservation.pyc, beside and below a wrong source, earns nothing."""
    import importlib.util  # noqa: PLC0415 - only this test plants compiled files
    import py_compile  # noqa: PLC0415

    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    (tmp_path / FILE).write_bytes(file(""))
    cached = Path(importlib.util.cache_from_source(str(folder / FILE)))
    for place in (cached, folder / "reservation.pyc"):
        py_compile.compile(
            str(tmp_path / FILE), str(place), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
    (folder / FILE).write_bytes(file(PAGED + "    return 0\n"))
    for name in ("conftest.py", "sitecustomize.py", "pytest.py"):
        (folder / name).write_text("import os\nos._exit(0)\n")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --deselect=x\n")
    intake = collect([tmp_path / "class"], grader.exercise, None)
    (submission,) = intake.submissions
    assert grader.grade(submission).result.score == FULL - POINTS["paged_slots"]
    assert submission.notes == ("Left out: conftest.py, pytest.py, sitecustomize.py.",)


HALVES = {
    place: "".join(source for name, source in RIGHT.items() if (name < "r") == (place == 0))
    for place in (0, 1)
}


def halves_of(name, half):
    """The file of that name: the released one with one half of the functions answered, the rest as stubs."""
    stub = (ROOT / "exercises" / "contiguous_reservation" / FILE).read_text()
    stub = "".join(part for part in re.split(r"(?m)^(?=def )", stub) if part.split("(")[0][4:] not in half)
    if name.endswith(".py"):
        return (stub + half).encode()
    course, exercise = course_with_low_limits()
    return notebook_with_answers(course, exercise, {FILE: (stub + half).encode()})


@pytest.mark.parametrize("second", ["reservation (1).py", "solution.py", "reservation.ipynb"])
@pytest.mark.parametrize("place", [0, 1])
def test_each_task_is_taken_from_where_it_was_answered(grader, tmp_path, place, second):
    """A file with one half of the functions and another with the rest earn all points of both."""
    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    (folder / FILE).write_bytes(halves_of(FILE, HALVES[place]))
    (folder / second).write_bytes(halves_of(second, HALVES[1 - place]))
    (submission,) = collect([tmp_path / "class"], grader.exercise, None).submissions
    result = grader.grade(submission).result
    assert {c.task for c in result.criteria if c.status != "passed"} == {"hands_on"}
    assert result.score == FULL
    assert "joined-files" in result.flags
    assert any(f"taken from {second}, the rest from {FILE}." in note for note in result.notes)
    assert result.submission.files == tuple(sorted({FILE, second}))


# --- reports ---


def scored(entries):
    """The result of a report with these entries, one for each criterion; the rest of it passed."""
    _, exercise = course_with_low_limits()
    tests = {criterion.id: (f"x::{criterion.id}",) for criterion in exercise.criteria}
    passed = {"outcome": "passed"}
    report = [
        {
            "nodeid": f"x::{criterion.id}",
            "outcome": "passed",
            "setup": passed,
            "call": passed,
            "teardown": passed,
        }
        for criterion in exercise.criteria
    ]
    report = [entries.get(entry["nodeid"], entry) for entry in report]
    run = Run(report={"tests": [entry for entry in report if entry]})
    submission = Submission("ada", dict.fromkeys(exercise.files, b"x = 1\n"))
    return score(exercise, submission, run, tests, {})


PASSED, FAILED, SKIPPED = ({"outcome": word} for word in ("passed", "failed", "skipped"))
SHAPES = {
    "error in set-up": {"outcome": "error", "setup": FAILED, "teardown": PASSED},
    "error in tear-down": {"outcome": "error", "setup": PASSED, "call": PASSED, "teardown": FAILED},
    "passed until tear-down": {"outcome": "passed", "setup": PASSED, "call": PASSED, "teardown": FAILED},
    "skipped in set-up": {"outcome": "skipped", "setup": SKIPPED, "teardown": PASSED},
    "skipped": {"outcome": "skipped", "setup": PASSED, "call": SKIPPED, "teardown": PASSED},
    "expected to fail": {"outcome": "xfailed", "setup": PASSED, "call": SKIPPED, "teardown": PASSED},
    "passed unexpectedly": {"outcome": "xpassed", "setup": PASSED, "call": PASSED, "teardown": PASSED},
    "only set up": {"outcome": "passed", "setup": PASSED},
    "run again": {"outcome": "rerun", "setup": PASSED, "call": PASSED, "teardown": PASSED},
    "subtests": {"outcome": "subtests passed", "setup": PASSED, "call": PASSED, "teardown": PASSED},
    "no stages": {"outcome": "passed"},
    "nothing": {},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_partly_passed_test_earns_nothing(shape):
    """Another outcome, or a missing or failed stage: no points, no crash, and the maximum stays."""
    whole = scored({})
    assert whole.score == whole.max_score == 20
    entry = {**shape, "nodeid": "x::paged-no-empty-block"}
    result = scored({"x::paged-no-empty-block": entry})
    assert (result.status, result.max_score) == ("graded", 20)
    assert [c.id for c in result.criteria if c.status != "passed"] == ["paged-no-empty-block"]
    assert result.score == 19


def test_missing_test_in_the_report():
    """It is a fault of the grader: there is no score."""
    result = scored({"x::paged-no-empty-block": None})
    assert (result.status, result.score) == ("grader-error", None)


def test_report_has_no_path_of_python(grader):
    """When pytest itself fails on an answer, the report does not tell where pytest is installed."""
    data = file("def waste_fraction(lengths, max_len):\n    return 10**3600\n")
    text = json.dumps(grader.grade(Submission("ada", {FILE: data})).report)
    assert "_pytest/python_api.py" in text or "_pytest/approx.py" in text
    assert sys.prefix not in text
    assert sys.base_prefix not in text
