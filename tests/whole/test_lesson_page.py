"""docs/lesson.md tells the truth: the lesson on the page, typed in as it stands, is sound."""

import json
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner
from helpers import bundle, small_lesson
from helpers.paths import ROOT

from grader.cli import cli

_FILE = re.compile(r"^\*\*(?P<path>[\w./]+)\*\*\n\n```\w+\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def files():
    """The files on the page, by path."""
    page = (ROOT / "docs/lesson.md").read_text(encoding="utf-8")
    return {found["path"]: found["text"] for found in _FILE.finditer(page)}


def call(root, *words):
    """Run a command on the course below ``root``."""
    return CliRunner().invoke(cli, [*words, "--course", str(root / "course.toml")], catch_exceptions=False)


def finish(root):
    """Make the lesson a draft no more."""
    course = root / "course.toml"
    course.write_text(course.read_text().replace("draft = true\n", ""))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A course with the page's lesson: ``grader new``, the page's files in place of its own, and a build."""
    tmp_path = tmp_path_factory.mktemp("course")
    small_lesson.write(tmp_path)
    assert call(tmp_path, "new", "batches").exit_code == 0
    made = files()
    course = (tmp_path / "course.toml").read_text()
    section = made.pop("course.toml")
    (tmp_path / "course.toml").write_text(course[: course.index("[exercise.batches]")] + section)
    assert len(made) == 6
    for name, text in made.items():
        (tmp_path / name).write_text(text)
    assert call(tmp_path, "build", "--exercise", "batches").exit_code == 0
    return tmp_path


@pytest.mark.slow
def test_lesson_of_the_page_is_sound(root):
    """The check finds nothing, while the lesson is a draft and later."""
    done = call(root, "check", "--exercise", "batches")
    assert done.output.startswith("batches is sound: 4 criteria, 10 tests, 5 wrong versions told apart."), (
        done.output
    )
    handout = (root / "exercises/batches/README.md").read_text()
    assert "| 3 | `empty_places(requests)` | the places that stay empty |" in handout
    finish(root)
    assert call(root, "check").exit_code == 0


@pytest.mark.slow
def test_mistakes_that_occur_together_on_the_page(root):
    """The page's example of ``compositions`` is in the table by which mistakes are named."""
    table = json.loads((root / "solutions/batches/diagnoses.json").read_text())
    (both,) = (names for task in table.values() for names, _ in task["together"])
    assert both == "batches-in-parts batches-one-more"


PREDICT = "Next: guess.py, TODO 1: PREDICTION is still None."


@pytest.mark.slow
def test_student_is_asked_for_the_prediction_and_told_the_end(root, tmp_path):
    """The prediction, which no test reads, is the first step; a solved lesson ends as others do."""
    closing = root / "exercises/batches/kit/closing.py"
    closing.write_text("def closing(guess, batches):\n    yield f'{batches.batches_needed(80)} batches.'\n")
    finish(root)
    assert call(root, "release", "--exercise", "batches", "--to", str(tmp_path)).exit_code == 0
    closing.unlink()
    folder = tmp_path / "batches"
    assert [line for line in bundle.run(folder)[1] if line.startswith("Next: ")] == [PREDICT]
    (folder / "batches.py").write_text(files()["solutions/batches/batches.py"])
    assert PREDICT in bundle.run(folder)[1]
    (folder / "guess.py").write_text(files()["solutions/batches/guess.py"])
    status, said = bundle.run(folder)
    assert status == 0
    reread = "For the 2 hidden points, reread the special cases in the docstrings first."
    assert said[-4:] == [
        "10 batches.",
        "",
        f"Next: hand in guess.py and batches.py. {reread}",
        "All visible tests pass (2 of 4 points are decided by hidden tests after you hand in).",
    ]


@pytest.mark.slow
def test_notebook_asks_for_the_prediction(root, tmp_path):
    """In the notebook, too, it is the next step until there is an answer."""
    cells = json.loads((root / "exercises/batches/batches.ipynb").read_text())["cells"]
    code = ["".join(one["source"]) for one in cells if one["cell_type"] == "code"]
    for source, step in (
        ("None", "TODO 1: PREDICTION is still None."),
        ("False", "batches_needed. Goal: your work"),
    ):
        program = "\n\n".join(code).replace("PREDICTION = None", f"PREDICTION = {source}")
        (tmp_path / "notebook.py").write_text(program)
        said = subprocess.check_output([sys.executable, "notebook.py"], cwd=tmp_path, text=True)
        assert f"Next: {step}" in said
