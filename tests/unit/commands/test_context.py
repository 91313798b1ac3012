"""What commands share: the lines that they print, and the options that they take."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers import two_lessons
from helpers.sums_course import course_at

from grader.base.errors import GraderError, UsageError
from grader.cli import cli
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


SHEET = (
    "Nr,Kennung,Mensch,Postfach,Note,Stand\n"
    "1,Mitglied 8,Ada,ada@example.edu,,-\n2,Mitglied 9,Bo,bo@example.edu,,-\n"
)


def test_columns_of_course_toml_make_a_worksheet_a_roster(tmp_path):
    """Headings that the kit does not know, told to it as for exports: the participants are the people."""
    course_at(tmp_path)
    (tmp_path / "sheet.csv").write_text(SHEET)
    course = tmp_path / "course.toml"
    call = Call(course, out=tmp_path / "graded", rosters=(tmp_path / "sheet.csv",))
    with pytest.raises(UsageError, match="there is no column 'id'"):
        _ = call.roster
    columns = '"Identifier" = "Kennung"\n"Email address" = "Postfach"\n"Last modified (grade)" = "Stand"\n'
    course.write_text(f"{course.read_text()}\n[exercise.sums.platform.moodle.columns]\n{columns}")
    call = Call(course, out=tmp_path / "graded", rosters=(tmp_path / "sheet.csv",))
    assert [(one.moodle_id, one.email) for one in call.roster.people] == [
        ("8", "ada@example.edu"),
        ("9", "bo@example.edu"),
    ]


def test_a_damaged_roster_of_the_last_run(tmp_path, capsys):
    """It ends the call, unless another one is named: that one is taken and kept."""
    course_at(tmp_path)
    out = tmp_path / "graded"
    out.mkdir()
    (out / "roster.csv").write_text("id,name,email\n7,Ada,\n7,Bo,\n")
    (tmp_path / "people.csv").write_text("id,name,email\n8,Cy,\n")
    with pytest.raises(UsageError, match="the id '7' is there twice"):
        _ = Call(tmp_path / "course.toml", out=out).roster
    call = Call(tmp_path / "course.toml", out=out, rosters=(tmp_path / "people.csv",))
    assert [one.id for one in call.roster.people] == ["8"]
    assert "roster.csv of the last run is replaced, because it cannot be used: " in capsys.readouterr().err


LATE = 'due = 2026-11-29T23:59:00\n\n[exercise.sums.late]\napplied_by = "{}"\n'


@pytest.mark.parametrize(
    ("roster", "by", "is_said"),
    [
        ("id,name,email\nada,,\n", "kit", True),
        ("id,name,email,extension\nada,,,\n", "kit", False),
        ("id,name,email\nada,,\n", "platform", False),
    ],
)
def test_a_list_that_says_nothing_of_extensions(tmp_path, monkeypatch, roster, by, is_said):
    """Where the kit charges for lateness, it is said before anybody is graded."""

    def begin(*_):
        raise GraderError("here grading begins")

    monkeypatch.setattr("grader.commands.grade.grade", begin)
    course_at(tmp_path)
    course = tmp_path / "course.toml"
    course.write_text(course.read_text().replace("points = 10\n", f"points = 10\n{LATE.format(by)}", 1))
    (tmp_path / "roster.csv").write_text(roster)
    (tmp_path / "class").mkdir()
    options = ["--course", course, "--roster", tmp_path / "roster.csv", "--out", tmp_path / "out"]
    call = ["grade", tmp_path / "class", "--no-gradebook", *options]
    done = CliRunner().invoke(cli, list(map(str, call)))
    assert str(done.exception) == "here grading begins"
    assert ("the roster says nothing of extensions" in done.stderr) == is_said


@pytest.mark.slow
def test_results_of_one_exercise_say_which_one_is_meant(tmp_path, monkeypatch):
    """In a course of two lessons: the one with results, no longer when both have some; a name comes first."""
    two_lessons.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert Call().is_open
    nothing = CliRunner().invoke(cli, ["grade", "nothing"])
    assert str(nothing.exception) == "There is nothing at nothing; name a folder, an archive or a file."
    with pytest.raises(UsageError, match="name one with --exercise: sums, products"):
        _ = Call().graded.exercise
    (tmp_path / "class/ada").mkdir(parents=True)
    (tmp_path / "class/ada/products.py").write_text(two_lessons.RIGHT["products"]["products.py"])
    done = CliRunner().invoke(cli, ["grade", "class", "--no-gradebook"])
    assert done.exit_code == 0, done.output
    assert "graded as products, by the names of the files; --exercise names another" in done.output
    assert Call().graded.exercise.name == "products"
    assert Call(exercise_name="sums").graded.exercise.name == "sums"
    (tmp_path / "class/ada/products.py").rename(tmp_path / "class/ada/sums.py")
    assert CliRunner().invoke(cli, ["grade", "class", "--no-gradebook"]).exit_code == 0
    with pytest.raises(UsageError, match="name one with --exercise"):
        _ = Call().graded.exercise


def test_places_and_platforms_say_which_exercise_is_meant(tmp_path, monkeypatch):
    """In a course of two lessons: the one in the path, or else the only one with an assignment there."""
    two_lessons.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert Call().about(Path("in/products")).exercise.name == "products"
    assert Call().about(Path("dist/sums.zip"), "canvas").exercise.name == "sums"
    assert Call(exercise_name="sums").about(Path("in/products")).exercise.name == "sums"
    for place in (None, Path("in"), Path("sums/products")):
        with pytest.raises(UsageError, match="name one with --exercise"):
            _ = Call().about(place, "canvas").exercise
    course = tmp_path / "course.toml"
    text = f"{course.read_text()}\n[exercise.sums.platform.canvas]\nassignment_id = 7\n"
    course.write_text(f"{text}\n[exercise.products.platform.canvas]\ncomment = false\n")
    assert Call().about(Path("in"), "canvas").exercise.name == "sums"
    assert Call().about(Path("in/products"), "canvas").exercise.name == "products"


def test_new_takes_no_exercise():
    """``grader new`` makes an exercise and takes no name of another one."""
    assert "--exercise" not in CliRunner().invoke(cli, ["new", "--help"]).output.split("Options:")[1]
