"""The students' bundle as a student has it: unzipped, with some TODOs answered, and pytest run in it."""

import functools
import os
import re
import subprocess
import sys

from grader.course.load import load_course
from grader.lesson.release import bundle_files
from helpers.paths import ROOT

NAME = "contiguous_reservation"


@functools.cache
def released(lesson=NAME):
    """The bundle's files, made once."""
    course = load_course(ROOT / "course.toml")
    return dict(bundle_files(course, course.exercise(lesson)))


def unpack(folder, lesson=NAME):
    """Write the bundle's files into a folder."""
    for name, data in released(lesson).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


@functools.cache
def answers(file):
    """The marked parts of a reference solution, by TODO number."""
    (path,) = (ROOT / "solutions").glob(f"*/{file}")
    source = path.read_text(encoding="utf-8")
    marked = r"(?:# TODO (?P<n>\d+):[^\n]*\n)?[ ]*### BEGIN SOLUTION\n(?P<body>.*?)[ ]*### END SOLUTION\n"
    found = re.finditer(marked, source, flags=re.DOTALL)
    return {int(m["n"] or re.search(r"# TODO (\d+)", m["body"])[1]): m["body"] for m in found}


def solve(folder, file, *todos):
    """Put the reference's answers in place of these TODOs."""
    for todo in todos:
        write(folder, file, todo, answers(file)[todo])


def write(folder, file, todo, body):
    """Put lines of code in place of a TODO: a function's body, or a constant's line."""
    path = folder / file
    stub = rf"(?m)^(?: +raise NotImplementedError\(\"TODO {todo}:.*|\w+ = None  # TODO {todo}\b.*)\n"
    text, count = re.subn(stub, lambda _: body.rstrip("\n") + "\n", path.read_text(encoding="utf-8"))
    assert count == 1
    path.write_text(text, encoding="utf-8")


def run(folder, *options, python=sys.executable, environment=None):
    """``python -m pytest`` in a folder with hardly any environment: exit status and lines."""
    fresh = {
        "PATH": os.defpath,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "COLUMNS": "200",
        **(environment or {}),
    }
    command = [python, "-m", "pytest", "-p", "no:cacheprovider", *options]
    done = subprocess.run(
        command,
        cwd=folder,
        env=fresh,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=60,
        encoding="utf-8",
    )
    return done.returncode, done.stdout.splitlines()
