"""``grader adjust``: points by hand for one criterion, bounded, told everywhere, and taken back."""

import csv
import json

import pytest
from click.testing import CliRunner
from helpers import small_class

from grader.base.errors import UsageError
from grader.cli import cli


@pytest.fixture
def term(tmp_path):
    """A course in which ada has everything and bob only add-two."""
    small_class.course_at(tmp_path)
    results = [small_class.result("ada"), small_class.result("bob", ("add-two",))]
    small_class.write_class(tmp_path / "graded", results, people=None)
    return tmp_path


def adjust(term, *arguments):
    """Run the command; the reason and the name are given unless they are among the arguments."""
    course, out = str(term / "course.toml"), str(term / "graded")
    given = [*arguments, "--course", course, "--out", out]
    return CliRunner().invoke(cli, ["adjust", *given])


def ok(term, *arguments):
    """Run it with a reason and a name; it must work."""
    done = adjust(term, *arguments, "--by", "Ada Example")
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stderr.splitlines()[-1]


def score(term, student):
    """The student's score in scores.csv."""
    with (term / "graded/scores.csv").open(encoding="utf-8", newline="") as file:
        return next(row["score"] for row in csv.DictReader(file) if row["student"] == student)


def page(term, student):
    """The student's page."""
    return (term / f"graded/students/{student}/feedback.md").read_text(encoding="utf-8")


def test_older_report_on_the_class_is_named(term):
    """The page on the class keeps the points of before, so one line says how to write it anew."""
    given = ("bob", "mean-two", "2", "--because", "x", "--by", "Ada Example")
    assert "class.html" not in adjust(term, *given).stderr
    (term / "graded/class.html").write_text("8 of 20")
    said = adjust(term, *given).stderr.splitlines()
    assert said[1:] == ["class.html still shows the old points; 'grader report' writes it again"]


def test_points_are_changed_in_every_place(term):
    """Table and page have the new points, with who and why; result.json has both, apart."""
    path = term / "graded/students/bob/result.json"
    before = json.loads(path.read_bytes())
    assert ok(term, "bob", "mean-two", "2.5", "--because", "A typing error.") == "bob: 8 -> 10.5 of 20 points"
    assert score(term, "bob") == "10.5"
    assert "**Score: 10.5 of 20 points**" in page(term, "bob")
    assert "Points set by hand by Ada Example: A typing error." in page(term, "bob")
    after = json.loads(path.read_bytes())
    assert after["final"]["points"] == 10.5
    assert after | {"final": 0} == before | {"final": 0}
    (kept,) = json.loads((term / "graded/manual.json").read_text())["bob"]
    assert {**kept, "at": ""} == {
        "criterion": "mean-two",
        "points": 2.5,
        "source": "adjust",
        "by": "Ada Example",
        "because": "A typing error.",
        "at": "",
        "what": "points",
        "text": "",
    }
    assert score(term, "ada") == "20"


def test_the_later_change_counts_and_is_taken_back(term):
    """Both are kept; after --take-back the tests' points count again."""
    ok(term, "bob", "mean-two", "2", "--because", "First.")
    ok(term, "bob", "mean-two", "5", "--because", "Second.")
    assert score(term, "bob") == "13"
    assert ok(term, "bob", "mean-two", "--take-back") == "bob: 13 -> 8 of 20 points"
    assert "by hand" not in page(term, "bob")
    changes = json.loads((term / "graded/manual.json").read_text())["bob"]
    assert [change["points"] for change in changes] == [2, 5, None]
    again = adjust(term, "bob", "mean-two", "--take-back", "--by", "Ada")
    assert isinstance(again.exception, UsageError)


@pytest.mark.parametrize(
    "arguments",
    [
        ("bob", "mean-two", "5.5"),
        ("bob", "mean-two", "-0.5"),
        ("bob", "mean-two", "nan"),
        ("bob", "mean-two", "inf"),
        ("bob", "mean-two"),
        ("bob", "mean-two", "1", "--take-back"),
        ("bob", "no-such", "1"),
        ("eve", "mean-two", "1"),
        ("bob", "mean-two", "1", "--because", " "),
        ("bob", "mean-two", "1", "--by", " "),
    ],
)
def test_what_is_refused(term, arguments):
    """Points outside the criterion's range, unknown names, no reason: nothing is written."""
    done = adjust(term, "--because", "Why.", "--by", "Ada", *arguments)
    assert isinstance(done.exception, UsageError), done.output
    assert not (term / "graded/manual.json").exists()
