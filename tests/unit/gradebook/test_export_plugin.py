"""The plugin for ``nbgrader export`` writes any name, and leaves blank what nobody has graded."""

from __future__ import annotations

import csv

import pytest
from helpers import notebook_course
from helpers.gradebook_class import PEOPLE, opened_by_nbgrader, result

from grader.gradebook.sync import record

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
    """Who handed in nothing, or something unreadable, has no score; with all points by hand there is one."""
    unreadable = [result(export.exercise, name, status="unreadable") for name in ("ada", "bob")]
    by_hand = [("bob", one.id, 0.25) for one in export.exercise.criteria]
    rows = export(unreadable, by_hand)
    assert (rows["ada"]["raw_score"], rows["ada"]["score"], rows["ada"]["max_score"]) == ("", "", "6")
    assert (rows["li"]["timestamp"], rows["li"]["score"]) == ("", "")
    assert rows["bob"]["score"] == "1"


def test_some_only(export):
    """The options of nbgrader choose students, assignments and the file."""
    rows = export([result(export.exercise, "ada")], to="some.csv", student=["ada"])
    assert set(rows) == {"ada"}
    assert export([], assignment=["week2"]) == {}
