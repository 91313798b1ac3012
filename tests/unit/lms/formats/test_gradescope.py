"""Gradescope's results.json: what a student sees at once says nothing of a hidden criterion."""

import dataclasses
import json

import pytest
from helpers import small_class

from grader.base.errors import UsageError
from grader.grading.score import Change
from grader.lms.formats import gradescope
from grader.lms.formats.sheet import ExportOrder

TOP = {
    "score",
    "execution_time",
    "output",
    "output_format",
    "visibility",
    "stdout_visibility",
    "extra_data",
    "tests",
    "leaderboard",
}
TEST = {
    "score",
    "max_score",
    "status",
    "name",
    "name_format",
    "number",
    "output",
    "output_format",
    "tags",
    "visibility",
}


def make(tmp_path, *results, student="", platform=""):
    """The document for these results."""
    exercise = small_class.course_at(tmp_path, platform).exercise("lab")
    made = gradescope.make(ExportOrder(exercise, (), tuple(results), student=student))
    return json.loads(made.data)


def test_tests_and_visibility(tmp_path):
    """One test a criterion, visible ones at once, hidden ones after publishing; known keys and words."""
    document = make(tmp_path, small_class.final("1", ("add-two", "add-none")))
    assert set(document) <= TOP
    assert all(set(test) <= TEST for test in document["tests"])
    assert [
        (test["name"], test["score"], test["max_score"], test["status"], test["visibility"])
        for test in document["tests"]
    ] == [
        ("add adds two numbers", 8, 8, "passed", "visible"),
        ("add gives 0 for nothing", 4, 4, "passed", "after_published"),
        ("mean gives the mean of two numbers", 0, 5, "failed", "visible"),
        ("mean refuses an empty list", 0, 3, "failed", "after_published"),
    ]
    assert document["tests"][2]["output"] == "mean([1]) returned 2; expected 1."
    assert document["tests"][3]["output"] == "Open."
    assert document["score"] == 12
    assert (document["visibility"], document["stdout_visibility"]) == ("visible", "hidden")


def test_what_is_shown_at_once_depends_on_nothing_hidden(tmp_path):
    """Submissions that differ in hidden criteria, or in a diagnosis from hidden calls, look the same."""
    from_visible = ("mean", "n", "Starts at one.", False)

    def shown(passed, *diagnoses):
        document = make(tmp_path, small_class.final("1", passed, diagnoses=[from_visible, *diagnoses]))
        del document["score"]
        document["tests"] = [t for t in document["tests"] if t["visibility"] == "visible"]
        return document

    from_hidden = ("add", "m", "Adds one too many.", True)
    assert shown(("add-two", "mean-two"), from_hidden) == shown(small_class.ALL)
    assert "Starts at one." in shown(small_class.ALL)["output"]
    assert "Adds one too many." not in json.dumps(shown(("add-two",), from_hidden))


def test_diagnosis_from_hidden_calls_waits_for_publishing(tmp_path):
    """It stands at the first hidden test of its task, whatever the state of that test was."""
    cause = ("mean", "m", "Divides by one too many.", True)
    tests = make(tmp_path, small_class.final("1", (), diagnoses=[cause]))["tests"]
    assert [test["output"] for test in tests if test["visibility"] == "after_published"] == [
        "Open.",
        "Open. Divides by one too many.",
    ]


def test_total_less_lateness(tmp_path):
    """The score is earned less lateness, and the summary says what is hidden and what is taken off."""
    document = make(tmp_path, small_class.final("1", penalty=2.5))
    assert document["score"] == 17.5
    assert document["output"] == (
        "Lab 1: 13 of 13 points by what you can see.\n"
        "7 further points are earned by hidden tests and shown when grades are published.\n"
        "2.5 points are taken off for lateness."
    )
    assert make(tmp_path, small_class.final("1", ("mean-none",), penalty=4))["score"] == 0


def test_points_and_comments_by_hand(tmp_path):
    """The score and the criterion have the person's points, which are said to be so; comments are shown."""
    changes = [Change("mean-two", 2.5, "formgrader"), small_class.comment("add", "See me.")]
    document = make(tmp_path, small_class.final("7", ("add-two",), changes=changes))
    assert document["score"] == 10.5
    assert [test["score"] for test in document["tests"]] == [8, 0, 2.5, 0]
    assert document["tests"][2]["output"].startswith("Points set by hand.\n")
    assert document["output"].splitlines() == [
        "Lab 1: 10.5 of 13 points by what you can see.",
        "7 further points are earned by hidden tests and shown when grades are published.",
        "Your instructor set points by hand.",
        "add, from your instructor: See me.",
    ]


def test_points_by_hand_for_a_hidden_criterion_wait(tmp_path):
    """What students see at once does not say that a hidden criterion was changed."""
    plain, changed = (
        make(tmp_path, small_class.final("7", ("add-two",), changes=changes))
        for changes in ((), [Change("add-none", 4, "adjust", by="Ada")])
    )
    assert plain["output"] == changed["output"]
    assert (changed["tests"][1]["score"], changed["tests"][1]["visibility"]) == (4, "after_published")


def test_nothing_hidden(tmp_path):
    """An exercise without hidden criteria says nothing of hidden tests."""
    exercise = small_class.course_at(tmp_path).exercise("lab")
    exercise = dataclasses.replace(
        exercise, criteria=tuple(c for c in exercise.criteria if c.visibility == "visible")
    )
    document = json.loads(gradescope.make(ExportOrder(exercise, (), (small_class.final("1"),))).data)
    assert document["output"] == "Lab 1: 13 of 13 points by what you can see."


def test_unreadable_submission(tmp_path):
    """An unreadable submission has 0 points, and each line says why."""
    lost = small_class.final("1", status="unreadable")
    lost = dataclasses.replace(
        lost, criteria=tuple(dataclasses.replace(c, message="lab.py is missing.") for c in lost.criteria)
    )
    document = make(tmp_path, lost)
    assert document["score"] == 0
    assert document["tests"][0]["output"] == "lab.py is missing."
    assert "Nothing of this submission could be graded" in document["output"]


def test_grader_fault_has_no_score(tmp_path):
    """After a fault of the grader there is no score, so Gradescope says that the autograder failed."""
    document = make(tmp_path, small_class.final("1", status="grader-error"))
    assert set(document) == {"visibility", "stdout_visibility", "output", "output_format"}
    assert "not your code" in document["output"]


def test_scaled(tmp_path):
    """Tests and total are converted alike."""
    document = make(
        tmp_path,
        small_class.final("1", ("add-two",)),
        platform="[exercise.lab.platform.gradescope]\nmaximum = 10\nscale = true\n",
    )
    assert document["score"] == 4
    assert [test["max_score"] for test in document["tests"]] == [4, 2, 2.5, 1.5]


def test_which_student(tmp_path):
    """A file about one student needs to know which."""
    two = small_class.final("1"), small_class.final("2", ())
    assert make(tmp_path, *two, student="2")["score"] == 0
    with pytest.raises(UsageError, match=r"about one student, and there are 2: name one with --student ID"):
        make(tmp_path, *two)
    with pytest.raises(UsageError, match=r"no result of '3'"):
        make(tmp_path, *two, student="3")
