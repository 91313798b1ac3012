"""docs/lesson.md tells the truth: the lesson on the page, typed in as it stands, is sound."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner
from helpers import small_lesson
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


@pytest.mark.slow
def test_lesson_of_the_page_is_sound(tmp_path):
    """``grader new``, the page's files in place of its own, ``grader build``: the check finds nothing."""
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
    done = call(tmp_path, "check", "--exercise", "batches")
    assert done.output.startswith("batches is sound: 4 criteria, 10 tests, 5 wrong versions told apart."), (
        done.output
    )
    handout = (tmp_path / "exercises/batches/README.md").read_text()
    assert "| 3 | `empty_places(requests)` | the places that stay empty |" in handout
    (tmp_path / "course.toml").write_text(
        (tmp_path / "course.toml").read_text().replace("draft = true\n", "")
    )
    assert call(tmp_path, "check").exit_code == 0
