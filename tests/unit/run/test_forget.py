"""``grader purge --only``: one person is forgotten everywhere, everybody else stays."""

import json

import pytest
from click.testing import CliRunner
from helpers import small_class

from grader.base.errors import UsageError
from grader.cli import cli
from grader.roster.roster import load_roster


@pytest.fixture
def term(tmp_path, monkeypatch):
    """A course with the usual class graded, a journal, points by hand, exports and a fetched folder."""
    small_class.course_at(tmp_path, top=small_class.DUE)
    out = small_class.write_class(tmp_path / "graded")
    steps = [
        {"place": "canvas x", "student": s, "digest": "", "state": "sent", "points": "1"} for s in ("7", "8")
    ]
    (out / "uploads.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))
    (out / "manual.json").write_text('{"7": [], "8": []}')
    (out / "exports").mkdir()
    (out / "exports/canvas.csv").write_text("x")
    inbox = tmp_path / "in/lab"
    for folder in ("15/1", "16/1", "team/1"):
        (inbox / folder).mkdir(parents=True)
        (inbox / folder / "lab.py").write_text("x")
    listed = [
        {"folder": "15/1", "students": ["7"]},
        {"folder": "16/1", "students": ["8"]},
        {"folder": "team/1", "students": ["7", "8"]},
    ]
    (inbox / "fetched.json").write_text(json.dumps({"place": "p", "hand_ins": listed}))
    (inbox / "roster.csv").write_text("id,name,email\n7,A,\n8,B,\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def purge(*arguments):
    """Run the command in the course's folder."""
    return CliRunner().invoke(cli, ["purge", "--out", "graded", "--yes", *arguments])


def test_one_person_is_forgotten(term):
    """Nothing in any file names them any more, and everybody else's things are as they were."""
    before = (term / "graded/students/8/result.json").read_bytes()
    done = purge("--only", "7")
    assert done.exit_code == 0, done.output
    assert not (term / "graded/students/7").exists()
    assert (term / "graded/students/8/result.json").read_bytes() == before
    assert "7" not in [row.split(",")[0] for row in (term / "graded/scores.csv").read_text().splitlines()]
    assert load_roster([term / "graded/roster.csv"]).person("7") is None
    assert load_roster([term / "graded/roster.csv"]).person("8") is not None
    assert (term / "graded/manual.json").read_text() == '{\n "8": []\n}\n'
    journal = (term / "graded/uploads.jsonl").read_text().splitlines()
    assert [json.loads(line)["student"] for line in journal] == ["8"]
    assert not (term / "graded/exports").exists()
    assert not (term / "in/lab/15").exists()
    assert [
        one["students"] for one in json.loads((term / "in/lab/fetched.json").read_text())["hand_ins"]
    ] == [
        ["8"],
        ["8"],
    ]
    assert (term / "in/lab/team/1/lab.py").exists()
    assert (term / "in/lab/roster.csv").read_text() == "id,name,email\n8,B,\n"


def test_nobody_of_that_id(term):
    """A person about whom there is nothing is a mistake in the call."""
    (term / "graded/exports/canvas.csv").unlink()
    (term / "graded/exports").rmdir()
    done = purge("--only", "77777")
    assert isinstance(done.exception, UsageError)
    assert str(done.exception).startswith("There is nothing about '77777' in ")


def test_a_misspelt_id_removes_nothing(term):
    """Reports and exports on the class stay when nothing is about the person; one with the id goes."""
    names = ("class.html", "class.csv", "exports/canvas.csv")
    for name in names:
        (term / "graded" / name).write_text("about everybody else")
    assert isinstance(purge("--only", "zoe").exception, UsageError)
    assert all((term / "graded" / name).exists() for name in names)
    (term / "graded/class.csv").write_text("zoe,1")
    done = purge("--only", "zoe")
    assert done.stderr == "zoe: graded/class.csv: about the whole class; the next call makes it again\n"
    assert (term / "graded/class.html").exists()


def test_what_was_fetched_goes_with_the_rest(term):
    """A whole purge removes the fetched folder, too."""
    done = purge()
    assert done.exit_code == 0, done.output
    assert "in/lab: what was fetched, 5 files" in done.stderr
    assert not (term / "in/lab").exists()
    assert not (term / "graded").exists()
