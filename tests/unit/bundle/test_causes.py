"""The likely cause at home: known by its answers, unreadable without them."""

import json

import pytest
from helpers import small_lesson

from grader.bundle import causes
from grader.course.load import load_course
from grader.lesson.mistakes import mistake_row, mistakes_table

RIGHT = [causes.digests("f(1)", "returned 2"), causes.digests("f(2)", "returned 4")]
WRONG = [causes.digests("f(1)", "returned 2"), causes.digests("f(2)", "returned 3")]
SAYS = "You add one; double it."


def table(*rows):
    """The table of one function with these mistakes."""
    return {
        "calls": " ".join(call for call, _ in RIGHT),
        "right": " ".join(causes.sign(answer) for _, answer in RIGHT),
        "mistakes": [mistake_row(answers, dict(RIGHT), says) for answers, says in rows],
    }


def test_the_one_mistake_with_these_answers_is_named():
    """All calls that were made must fit; no call, right answers and other answers name nothing."""
    known = table((WRONG, SAYS))
    assert causes.likely(known, dict(WRONG)) == SAYS
    assert causes.likely(known, dict(RIGHT)) == ""
    assert causes.likely(known, {}) == ""
    assert causes.likely({}, dict(WRONG)) == ""
    other = {**dict(WRONG), WRONG[0][0]: causes.digests("f(1)", "returned 9")[1]}
    assert causes.likely(known, other) == ""


def test_two_mistakes_with_these_answers_name_nothing():
    """Which of them it is cannot be known; one sentence of both can be said."""
    assert causes.likely(table((WRONG, SAYS), (WRONG, "Something else.")), dict(WRONG)) == ""
    assert causes.likely(table((WRONG, SAYS), (WRONG, SAYS)), dict(WRONG)) == SAYS


def test_mistake_without_a_wrong_visible_answer_has_no_row():
    """Only hidden tests notice it."""
    assert mistake_row(RIGHT, dict(RIGHT), SAYS) is None


def test_table_tells_no_sentence_and_no_answer():
    """It has digests only."""
    text = json.dumps(table((WRONG, SAYS)))
    assert SAYS not in text
    assert "returned" not in text


@pytest.mark.slow
def test_table_is_made_of_the_visible_calls(tmp_path):
    """Each misconception of the small lesson that a visible test notices is known by its answers."""
    small_lesson.write(tmp_path)
    course = load_course(tmp_path / "course.toml")
    made = mistakes_table(course, course.exercise("sums"))
    assert set(made) == {"double", "total"}
    assert all(len(entry["calls"].split()) == len(entry["right"].split()) for entry in made.values())
    assert any(entry["mistakes"] for entry in made.values())
