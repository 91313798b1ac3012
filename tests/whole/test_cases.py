"""What students really hand in, graded for real: a right score, or one sentence that says what to change."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import msgspec
import pytest
from helpers.golden import assert_golden_line
from helpers.paths import ROOT

from grader.course.load import load_course
from grader.feedback import feedback_html, feedback_markdown
from grader.grading.explain import python_needed
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
    """The course and its exercise, with less time for each call."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise("contiguous_reservation")
    limits = msgspec.structs.replace(
        exercise.limits, call_cpu_seconds=0.3, call_wall_seconds=4.0, import_cpu_seconds=0.5
    )
    return course, dataclasses.replace(exercise, limits=limits)


def new_grader():
    """A Grader of its own."""
    course, exercise = course_with_low_limits()
    return Grader(course, exercise, choose_tier("auto", exercise.limits, unsafe=False))


@pytest.fixture(scope="module")
def grader():
    """One Grader for all: what one submission does must not matter to the next."""
    made = new_grader()
    yield made
    made.close()


def file(text, without=()):
    """A reservation.py that begins with ``text``; the functions that it does not define are right."""
    others = [source for name, source in RIGHT.items() if f"def {name}(" not in text and name not in without]
    return (text + "".join(others)).encode()


def graded(grader, data, **helpers):
    """The result of a reservation.py, given as bytes or as the text that it begins with."""
    files = {FILE: data if isinstance(data, bytes) else file(data)}
    named = {f"{name}.py": text.encode() for name, text in helpers.items()}
    return grader.grade(decoded(Submission("ada", files, named))).result


def told(result, criterion="paged-rounds-up"):
    """A criterion's state and the first sentence of its message."""
    found = next(c for c in result.criteria if c.id == criterion)
    return found.status, found.message.partition("\n")[0]


def import_told(result):
    """The sentence that every criterion of the file has in common."""
    assert result.score == 0
    found = {(c.status, c.message) for c in result.criteria if c.task != "hands_on"}
    assert len(found) == 1, found
    state, message = found.pop()
    assert state == "not-run"
    return message


# --- each outcome of a call has its own sentence ---

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
def test_a_call_that_goes_wrong_has_its_sentence(grader, name):
    """It costs its own function's points alone; hidden criteria say nothing; pages can be written."""
    expected, text = CALLS[name]
    result = graded(grader, text)
    state, sentence = told(result)
    assert state == expected
    assert_golden_line("cases.txt", f"call: {name}", sentence)
    assert result.score == FULL - POINTS["paged_slots"]
    assert {c.message for c in result.criteria if c.visibility == "hidden" and c.task == "paged_slots"} == {
        ""
    }
    exercise = grader.exercise
    for page in (make(final_result(result), exercise) for make in (feedback_html, feedback_markdown)):
        assert len(page) < 100_000


def test_python_s_own_warnings_are_not_what_was_printed(grader):
    """A coroutine that nobody awaits brings no line of the kit's into the feedback."""
    result = graded(grader, "async " + PAGED + "    return 48\n")
    assert not [c for c in result.criteria if "It printed" in c.message]


def test_a_float_in_place_of_a_count_is_told_by_its_own_test(grader):
    """48.0 equals 48: only the test that asks for the type fails, in its own words."""
    result = graded(grader, PAGED + "    return float(sum(-(-n // block) * block for n in lengths))\n")
    assert told(result) == ("needs-work", f"{CALL} returned 48.0: a count is an int, such as 48.")


def test_a_changed_argument_is_told_with_what_it_was(grader):
    """The answer is right; the list that belongs to the caller is not as it was."""
    text = PAGED + "    lengths.sort()\n    return sum(-(-n // block) * block for n in lengths)\n"
    assert told(graded(grader, text), "paged-each-sequence") == (
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
def test_a_sentence_is_true_of_all_who_are_told_it(grader, text, name):
    """What answers alike is told alike: a sentence says what reaches the caller, not how it was written."""
    (told_one,) = graded(grader, text).diagnoses
    assert told_one.misconception == name
    assert told_one.explanation.startswith(
        {
            "used-never-checks": "No ValueError reaches the caller when ",
            "used-raises-exception": "What you raise is no kind of ValueError, ",
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
def test_a_missing_function_costs_its_own_points(grader, name):
    """Left out, under another name, or not a function; near names in the file are shown."""
    result = graded(grader, file(MISSING[name], without=["paged_slots"]))
    state, sentence = told(result)
    assert state == "not-run"
    assert_golden_line("cases.txt", f"missing: {name}", sentence)
    assert result.score == FULL - POINTS["paged_slots"]


def test_a_wide_letter_is_the_same_letter(grader):
    """Python folds full-width letters in names."""
    text = "def \uff50aged_slots(lengths, block):\n    return sum(-(-n // block) * block for n in lengths)\n"
    assert graded(grader, file(text, without=["paged_slots"])).score == FULL


def test_a_fault_of_the_grader_is_no_zero(monkeypatch):
    """When its worker is gone and no other can be had there is no score, and the sentence says why."""
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


# --- a file that cannot be imported says why, and where ---

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
    "input()": "name = input('your name? ')\n",
    "a loop": "while True:\n    pass\n",
    "too much memory": "x = bytearray(1 << 40)\n",
    "sys.exit()": "import sys\nsys.exit(0)\n",
    "exit()": "exit()\n",
    "os._exit()": "import os\nos._exit(0)\n",
    "a forgotten helper": "from helper import plus\n",
    "a relative import": "from .helper import plus\n",
    "a window": "class TclError(Exception):\n    pass\nraise TclError('no display name')\n",
}


@pytest.mark.parametrize("name", IMPORTS)
def test_a_file_that_cannot_be_imported_has_its_sentence(grader, name):
    """None of its criteria is run, nobody waits for anything, and file and line are named."""
    assert_golden_line("cases.txt", f"import: {name}", import_told(graded(grader, IMPORTS[name])))


def test_a_file_for_a_newer_python_says_which(grader):
    """The version that the file needs is named, and the one that runs here."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    sentence = import_told(graded(grader, "lazy import json\n"))
    assert sentence == f"reservation.py line 1 needs Python 3.15 or newer; this is Python {here}."


HELPERS = {
    "not Python": ("import helper\n", "def plus(a, b)\n"),
    "an error": ("import helper\n", "\n1 / 0\n"),
    "a circle": ("from helper import plus\n", "from reservation import used_slots\n"),
}


@pytest.mark.parametrize("name", HELPERS)
def test_a_helper_that_fails_is_named(grader, name):
    """The sentence names the file in which something has to change."""
    text, helper = HELPERS[name]
    assert_golden_line("cases.txt", f"helper: {name}", import_told(graded(grader, text, helper=helper)))


def test_a_helper_that_was_handed_in_is_used(grader):
    """Also inside a function, which a changed folder does not keep from it."""
    text = PAGED + "    from helper import up\n    return sum(up(n, block) for n in lengths)\n"
    assert graded(grader, text, helper="def up(n, block):\n    return -(-n // block) * block\n").score == FULL


def test_a_helper_hides_no_module_of_python(grader):
    """A file called random.py is there for nobody: not for the grader, not for the standard library."""
    text = "import random\nrandom.Random(1).random()\n"
    assert graded(grader, text, random="raise SystemExit\n").score == FULL


# --- how a file was saved ---

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
def test_a_right_file_is_right_however_it_was_saved(grader, data, notes):
    """All points; where something had to be changed for that, the student is told."""
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
def test_a_file_that_python_cannot_decode_says_so(grader, data, why):
    """The score is as Python imports it: nothing is run."""
    assert import_told(graded(grader, data + file(""))) == f"reservation.py could not be read: {why}."


def test_a_file_that_is_no_text_is_unreadable(grader):
    """Nothing else came, so there is no score; the sentence names file and line."""
    result = graded(grader, b"x = 1\ny\0 = 2\n" + file(""))
    assert (result.status, result.score) == ("unreadable", None)
    assert {c.message for c in result.criteria} == {
        "reservation.py could not be read: it holds NUL characters (line 2); save it as UTF-8."
    }


@pytest.mark.parametrize("data", [b"", b"\r\n \n"])
def test_an_empty_file_is_told_from_a_missing_one(grader, data):
    """It came, there is nothing in it; a file of comments has no functions, a stub is not started."""
    assert import_told(graded(grader, data)) == (
        "reservation.py is empty: save your work under this name and hand it in again."
    )
    assert told(graded(grader, b"# TODO\n"))[1].startswith("reservation.py has no paged_slots.")
    stub = (ROOT / "exercises/contiguous_reservation" / FILE).read_bytes()
    assert told(graded(grader, stub))[0] == "not-started"


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        ("type Slots = int", "3.12"),
        ("def first[T](xs): return xs[0]", "3.12"),
        ("    except ValueError, KeyError:", "3.14"),
        ("    except ValueError, json.JSONDecodeError:", "3.14"),
        ("    except ValueError, e:", ""),
        ("print(t'{x}')", "3.14"),
        ("lazy import json", "3.15"),
        ("x = 1", ""),
    ],
)
def test_what_only_a_newer_python_reads(line, needed):
    """Python 2's way of naming an error is old, not new."""
    assert python_needed(line, (3, 11)) == needed


def test_a_guarded_main_part_is_not_run(grader):
    """What stands below ``if __name__ == "__main__"`` is for the student alone."""
    assert graded(grader, "if __name__ == '__main__':\n    input()\n    1 / 0\n").score == FULL


# --- what a submission does to its surroundings stays with it ---

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
def test_right_answers_are_right_whatever_stands_beside_them(grader, text):
    """All points, and the next submission is not touched by it."""
    assert graded(grader, text).score == FULL
    assert graded(grader, PAGED + "    return 0\n").score == FULL - POINTS["paged_slots"]


def test_files_of_one_name_are_not_mixed_up(grader):
    """Right, wrong and unreadable, in any order: each has its own result, which a repetition gives again."""
    texts = {"": FULL, PAGED + "    return 0\n": FULL - 3, "import os\nos._exit(0)\n": 0}
    once = [graded(grader, text) for text in texts]
    again = [graded(grader, text) for text in reversed(texts)]
    assert [result.score for result in once] == [*texts.values()]
    assert once == again[::-1]


def test_state_and_order_of_sets_give_the_same_result_each_time(grader):
    """A function that counts its calls, and one that depends on hashing, are judged alike in every run."""
    text = (
        "seen = []\n" + PAGED + "    seen.append(block)\n    return len(seen)\n"
        "def extra_reservations(pool, max_len, n_running):\n    return hash('a') % 1000\n"
    )
    results = [graded(grader, text) for _ in range(3)]
    assert results[0] == results[1] == results[2]
    assert results[0].score == FULL - POINTS["paged_slots"] - POINTS["extra_reservations"]


def test_a_deep_recursion_costs_its_own_function(grader):
    """With the limit raised it ends by memory, by time or by a crash, and the rest is graded."""
    text = (
        "import sys\nsys.setrecursionlimit(10**9)\n" + PAGED + "    return paged_slots(lengths, block) + 0\n"
    )
    result = graded(grader, text)
    assert told(result)[0] == "stopped"
    assert result.score == FULL - POINTS["paged_slots"]


@pytest.mark.parametrize(
    "value", ["10 ** 5000", "[0.1] * 45_000", "'x' * 5_000_000", "[[0] * 30 for _ in range(1500)]"]
)
def test_giant_answers_are_wrong_answers(grader, value):
    """Numbers of thousands of digits, long lists and texts: a short sentence, at once."""
    result = graded(grader, PAGED + f"    return {value}\n")
    state, sentence = told(result)
    assert state == "needs-work"
    assert sentence.startswith(f"{CALL} returned ")
    assert len(sentence) < 800
    assert result.score == FULL - POINTS["paged_slots"]


def test_an_answer_that_equals_everything_equals_nothing(grader):
    """An object that says yes to every comparison earns nothing and is shown to the instructor."""
    yes = (
        "class Yes(int):\n    def __eq__(self, other):\n        return True\n"
        "    def __hash__(self):\n        return 0\n" + PAGED + "    return Yes()\n"
    )
    result = graded(grader, yes)
    assert result.score == FULL - POINTS["paged_slots"]
    assert result.flags == ("returned-impostor",)


def test_the_grader_s_surroundings_change_nothing_and_are_not_seen(monkeypatch):
    """Settings for pytest in the shell deselect nothing; a token in it reaches no submission."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x -k nothing --lf")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.setenv("CANVAS_TOKEN", "a-made-up-token")
    grader = new_grader()
    try:
        assert graded(grader, "").score == FULL
        result = graded(grader, "import os\n" + PAGED + "    raise RuntimeError(str(dict(os.environ)))\n")
    finally:
        grader.close()
    state, sentence = told(result)
    assert state == "needs-work"
    assert sentence.startswith(f"{CALL} raised RuntimeError")
    assert "made-up" not in sentence
    assert result.score == FULL - POINTS["paged_slots"]


# --- what lies beside the files ---


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


# --- what a report may hold ---


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
def test_only_a_test_that_passed_as_a_whole_earns_points(shape):
    """Any other word, or a stage that lacks or failed: no points, no crash, and the maximum stays."""
    whole = scored({})
    assert whole.score == whole.max_score == 20
    entry = {**shape, "nodeid": "x::paged-no-empty-block"}
    result = scored({"x::paged-no-empty-block": entry})
    assert (result.status, result.max_score) == ("graded", 20)
    assert [c.id for c in result.criteria if c.status != "passed"] == ["paged-no-empty-block"]
    assert result.score == 19


def test_a_report_without_one_of_our_tests_is_a_fault_of_the_grader():
    """What did not run has not passed, and costs nobody points that were never asked for."""
    result = scored({"x::paged-no-empty-block": None})
    assert (result.status, result.score) == ("grader-error", None)


def test_a_report_tells_no_place_of_python(grader):
    """Where pytest itself fails on an answer, its file is named below the folder in which it is installed."""
    data = file("def waste_fraction(lengths, max_len):\n    return 10**3600\n")
    text = json.dumps(grader.grade(Submission("ada", {FILE: data})).report)
    assert "_pytest/python_api.py" in text or "_pytest/approx.py" in text
    assert sys.prefix not in text
    assert sys.base_prefix not in text
