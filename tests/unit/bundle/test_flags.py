"""What a file needs and the grader does not have: the flag when it is graded, and one sentence for both."""

import sys

import pytest
from helpers.bundle import NAME, run, unpack
from helpers.paths import ROOT

from grader.bundle import wording
from grader.course.load import load_course
from grader.grading.workers import Grader
from grader.intake.prepare import decoded
from grader.sandbox.host import choose_tier
from grader.sources.submission import Submission

pytestmark = pytest.mark.slow

FILE = "reservation.py"
RESERVED = "\n\ndef reserved_slots(n_seq, max_len):\n    return n_seq * max_len\n"
RUNS = "{}.{}".format(*sys.version_info)
NEEDS, NEWER = next(
    (
        pair
        for pair in (
            ((3, 12), 'WORDS = f"{", ".join(["a"])}"\n'),
            ((3, 13), "from copy import replace\n"),
            ((3, 14), "from annotationlib import Format\n"),
        )
        if pair[0] > sys.version_info[:2]
    ),
    ((0, 0), ""),
)


@pytest.fixture(scope="module")
def grade():
    """Grade a reservation.py in the jail."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(NAME)
    grader = Grader(course, exercise, choose_tier("auto", exercise.limits, unsafe=False))
    yield lambda text: grader.grade(decoded(Submission("ada", {FILE: text.encode()}))).result
    grader.close()


@pytest.fixture
def at_home(tmp_path):
    """What pytest writes in the unzipped bundle with this reservation.py, as one line."""

    def make(text):
        folder = unpack(tmp_path / NAME)
        (folder / FILE).write_text(text, encoding="utf-8")
        return " ".join(run(folder, "-q", environment={"COLUMNS": "400"})[1])

    return make


def sentences(result):
    """All notes and messages of a result, as one line."""
    return " ".join([*result.notes, *(criterion.message for criterion in result.criteria)])


def test_third_party_import_is_flagged_and_told_alike(grade, at_home):
    """The flag and the sentence when graded, where the function keeps its points; the same at home."""
    text = f"import numpy as np\n{RESERVED}"
    said = wording.no_module(FILE, 1, "numpy")
    result = grade(text)
    assert result.flags == ("third-party-import",)
    assert said in sentences(result)
    assert {c.status for c in result.criteria if c.task == "reserved_slots"} == {"passed"}
    assert said in at_home(text)


@pytest.mark.skipif(not NEWER, reason="nothing newer than this Python is known")
def test_newer_python_is_flagged_and_told_alike(grade, at_home):
    """The flag and the sentence when graded; the same at home, whichever Python is there."""
    text = f"X = 1\n{NEWER}{RESERVED}"
    said = wording.newer_python(FILE, 2, "{}.{}".format(*NEEDS), RUNS)
    result = grade(text)
    assert result.flags == ("needs-newer-python",)
    assert said in sentences(result)
    assert said in at_home(text)


def test_plain_files_have_neither_flag(grade):
    """Python's own modules, an optional import, and an own name that is only like a new one."""
    text = "import math, json\ntry:\n    import numpy\nexcept ImportError:\n    numpy = None\nreplace = 1\n"
    assert grade(text + RESERVED).flags == ()
