"""What commands share: the lines that they print, and the options that they take."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner
from helpers.sums_course import course_at

from grader.base.errors import UsageError
from grader.commands.context import Call
from grader.commands.nbgrader import command as nbgrader_command
from grader.results.late import Recharge
from grader.roster.roster import Person, Roster


def test_one_line_on_stderr(capsys):
    """Text that would move the cursor or break the line is printed as one visible line."""
    Call().say("ada\x1b[2J\nbob")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "\x1b" not in said.err


def test_quiet(capsys):
    """With --quiet only what went wrong is printed."""
    call = Call(quiet=True)
    call.say("ada")
    call.say_recharged([Recharge("ada", 0, 2)])
    assert capsys.readouterr().err == ""
    call.say("lost", always=True)
    assert capsys.readouterr().err == "lost\n"


def test_recharged(capsys):
    """The new and the old cost of lateness are printed as short as the numbers are."""
    Call().say_recharged([Recharge("ada", 0, 2), Recharge("bob", 1.5, 0)])
    assert capsys.readouterr().err.splitlines() == [
        "ada: lateness costs 2 points now, not 0",
        "bob: lateness costs 0 points now, not 1.5",
    ]


@pytest.mark.parametrize("place", [".", "tests", "solutions/sums", "other"])
def test_a_course_is_not_overwritten_by_a_native_one(tmp_path, monkeypatch, place):
    """``grader nbgrader`` refuses the course's own folder, those of its files, and any other course."""
    course_at(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/course.toml").touch()
    before = set(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(nbgrader_command, [place])
    assert isinstance(done.exception, UsageError)
    assert "belongs to a course" in str(done.exception)
    assert set(tmp_path.rglob("*")) == before


def test_names_stand_beside_ids_in_a_terminal_only(monkeypatch):
    """A log has ids alone; without a name there is the id."""
    roster = Roster((Person("7", "Ada"), Person("8")))
    assert Call().named("7", roster) == "7"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert [Call().named(student, roster) for student in "789"] == ["7 (Ada)", "8", "9"]
