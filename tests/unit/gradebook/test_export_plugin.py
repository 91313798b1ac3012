"""The plugin for ``nbgrader export`` writes any name, and leaves blank what nobody has graded."""

import csv

import pytest
from helpers import notebook_course
from helpers.gradebook_class import PEOPLE, opened_by_nbgrader, result

from grader.gradebook.sync import record, record_out
from grader.gradebook.words import gradebook_id
from grader.grading.score import Change
from grader.lms.formats import tables
from grader.lms.formats.sheet import ExportOrder
from grader.lms.payload import leaving
from grader.results.out import open_out
from grader.roster.roster import Person, Roster

pytestmark = pytest.mark.slow


@pytest.fixture
def export(tmp_path, monkeypatch):
    """Record some results, give some points by hand, and export; the rows by student and the plugin used."""
    course, exercise = notebook_course.course_at(tmp_path)
    monkeypatch.chdir(tmp_path)

    def run(results, by_hand=(), **options):
        record(course, exercise, results, tmp_path / "graded", PEOPLE)
        with opened_by_nbgrader(course, tmp_path / "graded") as gradebook:
            from grader.gradebook.export_plugin import ScoreExport  # noqa: PLC0415 - it imports nbgrader

            for student, cell, points in by_hand:
                gradebook.find_grade(cell, "lab", "week1", student).manual_score = points
            gradebook.db.commit()
            plugin = ScoreExport(**options)
            plugin.export(gradebook)
        with (tmp_path / (plugin.to or "grades.csv")).open(encoding="utf-8", newline="") as stream:
            return {row["student_id"]: row for row in csv.DictReader(stream)}

    run.exercise = exercise
    return run


def test_scores(export):
    """Scores before and after the penalty, never below nothing; times as nbgrader keeps them."""
    rows = export(
        [
            result(export.exercise, "ada", late=0.5),
            result(export.exercise, "bob", missed=["facts-half", "add-two", "mean-any"], late=3),
        ]
    )
    assert rows["ada"] == {
        "assignment": "week1",
        "duedate": "",
        "timestamp": "2027-03-01 12:00:00",
        "student_id": "ada",
        "last_name": "Lovelace",
        "first_name": "Countess",
        "email": "ada@example.edu",
        "raw_score": "6",
        "late_submission_penalty": "0.5",
        "score": "5.5",
        "max_score": "6",
    }
    assert (rows["bob"]["last_name"], rows["bob"]["raw_score"], rows["bob"]["score"]) == ("=1+1", "1", "0")


def test_blank_is_no_zero(export):
    """Who handed in nothing, or something unreadable, has no score; with points by hand there is one."""
    unreadable = [result(export.exercise, name, status="unreadable") for name in ("ada", "bob")]
    rows = export(unreadable, [("bob", "add-two", 1)])
    assert (rows["ada"]["raw_score"], rows["ada"]["score"], rows["ada"]["max_score"]) == ("", "", "6")
    assert (rows["li"]["timestamp"], rows["li"]["score"]) == ("", "")
    assert rows["bob"]["score"] == "1"


def test_some_only(export):
    """The options of nbgrader choose students, assignments and the file."""
    rows = export([result(export.exercise, "ada")], to="some.csv", student=["ada"])
    assert set(rows) == {"ada"}
    assert export([], assignment=["week2"]) == {}


def test_the_same_table_as_our_own_export(tmp_path, monkeypatch):
    """Each row of ``grader export nbgrader`` is in ``nbgrader export``; the others there have no score."""
    course, exercise = notebook_course.course_at(tmp_path)
    monkeypatch.chdir(tmp_path)
    people = Roster((*PEOPLE, Person("o'neil", "O'Neil, Pat", "o'neil@example.edu"), Person("a/b", "A B")))
    found = [
        result(exercise, "ada", missed=["add-two"], late=0.5),
        result(exercise, "bob", status="unreadable"),
        result(exercise, "li", status="unreadable"),
        result(exercise, "o'neil"),
        result(exercise, "a/b", late=7),
        result(exercise, "mia", status="missing"),
        result(exercise, "max", status="missing"),
    ]
    with open_out(tmp_path / "graded", course, exercise, people) as out:
        for one in found:
            out._write(one)
        record_out(out)
    with opened_by_nbgrader(course, tmp_path / "graded") as gradebook:
        from grader.gradebook.export_plugin import ScoreExport  # noqa: PLC0415 - it imports nbgrader

        gradebook.find_grade("mean-any", "lab", "week1", "bob").manual_score = 0.5
        gradebook.find_grade("mean-any", "lab", "week1", "ada").extra_credit = 0.25
        gradebook.db.commit()
    with open_out(tmp_path / "graded", course, exercise, people) as out:
        change = Change("facts-half", 1, "adjust", by="Ada", because="Handed in on paper.")
        out.set_changes({"max": (change,)})
        record_out(out)
        sent = leaving(out.finals(), people).sent
        ours = tables.nbgrader(ExportOrder(exercise, sent, out.finals())).data.decode()
    with opened_by_nbgrader(course, tmp_path / "graded") as gradebook:
        ScoreExport(to="theirs.csv").export(gradebook)
    rows = list(csv.DictReader(ours.splitlines()))
    with (tmp_path / "theirs.csv").open(encoding="utf-8", newline="") as stream:
        theirs = {row["student_id"]: row for row in csv.DictReader(stream)}
    assert [theirs.pop(row["student_id"]) for row in rows] == rows
    assert {row["student_id"]: row["score"] for row in rows} == {
        gradebook_id("a/b"): "0",
        "ada": "3.75",
        "bob": "0.5",
        "max": "1",
        "o'neil": "6",
    }
    assert {student: row["score"] for student, row in theirs.items()} == {"li": "", "mia": ""}
