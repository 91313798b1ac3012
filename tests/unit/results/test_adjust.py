"""Points given by hand, and results with them."""

import json

import pytest
from helpers.paths import ROOT

from grader.base.errors import GraderError
from grader.base.files import write_whole
from grader.course.load import load_course
from grader.grading.score import CriterionResult, Result, unscored
from grader.results.adjust import (
    final_results,
    read_manual,
    record_results,
    refresh_manual,
    with_manual,
    write_manual,
)
from grader.results.files import result_bytes, student_folder
from grader.sources.submission import Submission

COURSE = load_course(ROOT / "course.toml")
EXERCISE = COURSE.exercise(None)


def result(student: str) -> Result:
    """A result of 20 points."""
    criteria = tuple(
        CriterionResult(c.id, c.task, c.visibility, c.points, c.points, "passed", "")
        for c in EXERCISE.criteria
    )
    return Result(student, EXERCISE.name, "graded", 20, 20, 0, criteria, (), ("late",), None)


def test_a_persons_points_come_first():
    """The score is the person's, flagged; whole points stay whole numbers, and others are untouched."""
    ada, bob, cem = with_manual([result("ada"), result("bob"), result("cem")], {"ada": 15.0, "bob": 12.5})
    assert (ada.score, ada.flags, type(ada.score)) == (15, ("late", "manual"), int)
    assert bob.score == 12.5
    assert cem == result("cem")


def test_points_by_hand_make_a_grade_of_what_could_not_be_read():
    """Someone looked at it and gave points: it is graded, without a penalty."""
    unread = unscored(EXERCISE, Submission("dee", {}), "unreadable", "It is empty.")
    (final,) = with_manual([unread], {"dee": 3.0})
    assert (final.status, final.score, final.late_penalty) == ("graded", 3, 0)


def test_kept_and_read_back(tmp_path):
    """What was given is kept in OUT, in order, and gone when nothing is given any more."""
    write_manual(tmp_path, {"b": 1.5, "a": 2.0})
    assert json.loads((tmp_path / "manual.json").read_text()) == {"a": 2.0, "b": 1.5}
    assert read_manual(tmp_path) == {"a": 2.0, "b": 1.5}
    write_manual(tmp_path, {})
    assert not (tmp_path / "manual.json").exists()
    assert read_manual(tmp_path) == {}


@pytest.mark.parametrize("text", ["{", "[1]", '{"ada": "ten"}'])
def test_damaged(tmp_path, text):
    """A damaged file is named and never taken for no points."""
    (tmp_path / "manual.json").write_text(text)
    with pytest.raises(GraderError, match=r"manual\.json is damaged"):
        read_manual(tmp_path)


def test_without_a_gradebook_there_is_nothing_to_look_into(tmp_path):
    """Nothing is made or imported when no run was recorded."""
    refresh_manual(COURSE, EXERCISE, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_given_in_the_gradebook(tmp_path):
    """Points entered in nbgrader show in the final results, and survive a new recording."""
    api = pytest.importorskip("nbgrader.api", reason="nbgrader is the extra [nbgrader]")
    write_whole(student_folder(tmp_path, "ada") / "result.json", result_bytes(result("ada")))
    assert record_results(COURSE, EXERCISE, tmp_path, ()) == ()
    assert final_results(tmp_path)[0].score == 20
    with api.Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("paged-rounds-up", "reservation", EXERCISE.name, "ada")
        grade.manual_score = 0.0
        gradebook.db.commit()
    refresh_manual(COURSE, EXERCISE, tmp_path)
    assert (final_results(tmp_path)[0].score, final_results(tmp_path)[0].flags) == (19, ("late", "manual"))
    record_results(COURSE, EXERCISE, tmp_path, ())
    assert final_results(tmp_path)[0].score == 19


def test_a_gradebook_that_is_gone_takes_no_points_along(tmp_path):
    """They count on, without a gradebook and with a new one, until a person gives others there."""
    write_whole(student_folder(tmp_path, "ada") / "result.json", result_bytes(result("ada")))
    record_results(COURSE, EXERCISE, tmp_path, ())
    write_manual(tmp_path, {"ada": 19.5})
    (tmp_path / "gradebook.db").unlink()
    for _ in range(2):
        record_results(COURSE, EXERCISE, tmp_path, ())
        (found,) = final_results(tmp_path)
        assert (found.score, found.flags) == (19.5, ("late", "manual"))
    write_manual(tmp_path, {"ada": 18.0})
    assert read_manual(tmp_path) == {"ada": 18.0}
