"""A class of the kit's lesson in a native nbgrader course, graded in the jail; nbgrader's commands."""

import csv
import os
import subprocess
import sys
from pathlib import Path

from grader.course.load import load_course
from helpers.notebook_course import notebook_with_answers
from helpers.paths import ROOT, unmeasured

NAME = "contiguous_reservation"

ROSTER = """\
id,name,email,canvas_id
ada,"Lovelace, Countess",ada@example.edu,11
bob,=1+1,bob@example.edu,12
cy,李小明,cy@example.edu,13
dee,Dee Dee,dee@example.edu,14
eve,Eve Torn,eve@example.edu,15
fay,Fay Away,fay@example.edu,16
"""

SCORES = {"ada": "20", "bob": "14", "cy": "0", "dee": "14", "eve": "", "fay": ""}
"""Expected scores. ada: all right; bob: two functions wrong, and what calls one of them; cy: the stub;
dee: as bob, in .py files; eve: unreadable; fay: missing."""

SECRET = "0123456789abcdef"  # noqa: S105 - what nbgrader's exchange puts beside a submission


def laid_out(folder):
    """Write all hand-ins below ``folder/course/submitted``, grade them and write the course; its folder."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(NAME)
    right = {name: (ROOT / "solutions" / NAME / name).read_bytes() for name in exercise.files}
    stub = {name: (ROOT / "exercises" / NAME / name).read_bytes() for name in exercise.files}
    wrong = dict(right)
    for old, new in (
        (b"n_seq * max_len", b"n_seq + max_len"),
        (b"-(-length // block)", b"(length // block)"),
    ):
        assert old in wrong["reservation.py"]
        wrong["reservation.py"] = wrong["reservation.py"].replace(old, new)
    submitted = folder / "course" / "submitted"
    for student, files in (("ada", right), ("bob", wrong), ("cy", stub)):
        data = notebook_with_answers(course, exercise, files)
        _put(
            submitted / student / NAME,
            {"reservation.ipynb": data, "timestamp.txt": b"2027-01-01 10:00:00.123456 UTC"},
        )
    _put(submitted / "ada" / NAME, {"submission_secret.txt": SECRET.encode()})
    _put(submitted / "dee" / NAME, wrong)
    _put(submitted / "eve" / NAME, {"reservation.ipynb": b'{"cells": ['})
    (folder / "roster.csv").write_text(ROSTER, encoding="utf-8")
    command(
        folder,
        "grader",
        "grade",
        "course/submitted",
        "--roster",
        "roster.csv",
        "--out",
        "graded",
        *course_words(),
        ok=(0, 1),
    )
    command(folder, "grader", "nbgrader", "course", "--out", "graded", *course_words())
    return folder / "course"


def course_words():
    """The options that name the kit's own course, with one lesson."""
    return ("--course", str(Path(__file__).with_name("one_lesson.toml")), "--exercise", NAME)


def regrade(folder):
    """Grade the same class again."""
    command(folder, "grader", "grade", "course/submitted", "--out", "graded", *course_words(), ok=(0, 1))


def _put(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def environment(folder, *, measured=False):
    """Return environment variables without this user's settings for Jupyter."""
    own = {
        f"JUPYTER_{kind}_DIR": str(folder / "jupyter" / kind.lower())
        for kind in ("CONFIG", "DATA", "RUNTIME")
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = os.environ if measured else unmeasured()
    return variables | own | {"IPYTHONDIR": str(folder / "jupyter" / "ipython"), "PATH": path}


def command(folder, *words, ok=(0,)):
    """Run a command in a folder; return what it printed."""
    variables = environment(folder, measured=words[0] == "grader")
    done = subprocess.run(
        words, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode in ok, done.stdout + done.stderr
    return done.stdout + done.stderr


def table(path, key):
    """Return the rows of a CSV by one column."""
    with path.open(encoding="utf-8", newline="") as stream:
        return {row[key]: row for row in csv.DictReader(stream)}
