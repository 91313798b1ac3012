"""Recognising the misconceptions behind wrong answers."""

import pytest
from helpers.exercise_suites import load_module
from helpers.paths import ROOT

from grader.base.errors import CourseError
from grader.course.load import load_course
from grader.grading.diagnosis import (
    AnswerTable,
    Misconception,
    answer_table_bytes,
    diagnose,
    load_answer_table,
    table_path,
)
from grader.grading.score import Diagnosis

RIGHT = {"a": "1", "b": "2", "c": "3", "d": "4"}
ADDS = Misconception("adds", "You add.", {"a": "9", "b": "8"})
NEVER = Misconception("never-checks", "You never check.", {"c": "0"})
PRINTS = Misconception("prints", "You print.", {"a": "None", "b": "None", "c": "None", "d": "None"})
TABLE = AnswerTable({"double": RIGHT}, {"double": (ADDS, NEVER, PRINTS)})


def named(**answers: str) -> list[str]:
    """The misconceptions found when these answers are given to visible calls and all others are right."""
    given = {"double": RIGHT | answers}
    return [one.misconception for one in diagnose(TABLE, given, given)]


def found(*visible: str, **answers: str) -> list[tuple[str, bool]]:
    """The misconceptions found when only some calls are visible, and if it took hidden calls to find them."""
    given = RIGHT | answers
    seen = {call: given[call] for call in visible}
    return [
        (one.misconception, one.from_hidden) for one in diagnose(TABLE, {"double": given}, {"double": seen})
    ]


def test_visible_calls_decide_alone_if_they_leave_no_doubt():
    """Whatever the hidden answers are, the diagnosis is the same, and may be shown at once."""
    assert found("a", **ADDS.wrong) == [("adds", False)]
    assert found("a", a="9") == found("a", a="9", d="5") == [("adds", False)]
    assert found("a", "b", "c", **ADDS.wrong, c="0") == [("adds", False), ("never-checks", False)]


def test_hidden_calls_decide_if_visible_ones_do_not():
    """All visible answers right, or two mistakes that answer them alike: then hidden answers decide."""
    assert found("b", "d", c="0") == [("never-checks", True)]
    alike = Misconception("adds-too", "You add, too.", {"a": "9", "c": "7"})
    table = AnswerTable({"double": RIGHT}, {"double": (ADDS, alike)})
    given = {"double": RIGHT | alike.wrong}
    (one,) = diagnose(table, given, {"double": {"a": "9"}})
    assert (one.misconception, one.from_hidden) == ("adds-too", True)


def test_hidden_calls_name_one_misconception_at_most():
    """Two that only hidden calls tell apart would say more: the one with more wrong answers is named."""
    assert found("d", **ADDS.wrong, c="0") == [("adds", True)]


def test_right_answers_have_nothing_to_explain():
    """Right answers everywhere: no diagnosis."""
    assert named() == []


def test_one_misconception_accounts_for_every_wrong_answer():
    """Wrong exactly where a misconception is wrong, and in the same way: that one is said."""
    given = {"double": RIGHT | ADDS.wrong}
    assert diagnose(TABLE, given, given) == (Diagnosis("double", "adds", "You add."),)


def test_two_misconceptions_together():
    """Two mistakes in one function are both named, the one with more wrong answers first."""
    assert named(**ADDS.wrong, c="0") == ["adds", "never-checks"]


def test_one_unexplained_answer_means_no_diagnosis():
    """One answer more that no misconception gives: no guess is made."""
    assert named(**ADDS.wrong, d="5") == []


def test_part_of_a_misconception_is_not_it():
    """Right at a call where the misconception is wrong: no diagnosis."""
    assert named(a="9") == []


def test_the_same_places_but_other_answers():
    """Wrong at the same calls, but with other answers: no diagnosis."""
    assert named(a="9", b="7") == []


def test_calls_that_were_not_made_are_left_out():
    """A test stops at its first wrong answer; only the calls that were made are compared."""
    answers = {call: answer for call, answer in (RIGHT | ADDS.wrong).items() if call != "b"}
    assert [one.misconception for one in diagnose(TABLE, {"double": answers}, {})] == ["adds"]


def test_calls_of_private_tests_are_left_out():
    """A call that the table does not know is ignored."""
    assert named(**ADDS.wrong, private="7") == ["adds"]


def test_a_function_that_was_never_answered():
    """Without answers there is no diagnosis."""
    assert diagnose(TABLE, {}, {}) == ()


def test_a_table_is_read_back_as_it_was_written(tmp_path):
    """For each misconception only its wrong answers are written."""
    data = answer_table_bytes(
        {"double": RIGHT},
        [("double", "adds", "You add.", {"double": RIGHT | ADDS.wrong}), ("triple", "x", "Why.", {})],
    )
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(None)
    moved = course.__class__(**{**vars(course), "root": tmp_path})
    assert load_answer_table(moved, exercise) == AnswerTable({}, {})
    table_path(moved, exercise).parent.mkdir(parents=True)
    table_path(moved, exercise).write_bytes(data)
    assert load_answer_table(moved, exercise) == AnswerTable(
        {"double": RIGHT, "triple": {}}, {"double": (ADDS,), "triple": (Misconception("x", "Why.", {}),)}
    )


@pytest.mark.parametrize("data", [b"", b"[]", b"{}}", b'{"double": {}}', b'{"double": 3}', b"\xff"])
def test_a_damaged_table_is_an_error_of_the_course(tmp_path, data):
    """The sentence names the file and how to write it anew."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(None)
    moved = course.__class__(**{**vars(course), "root": tmp_path})
    table_path(moved, exercise).parent.mkdir(parents=True)
    table_path(moved, exercise).write_bytes(data)
    with pytest.raises(CourseError, match=r"diagnoses.json is damaged; write it anew with: grader build"):
        load_answer_table(moved, exercise)


def test_the_course_has_every_misconception_in_its_table():
    """The committed table names each registered misconception, with at least one wrong answer."""
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise(None)
    table = load_answer_table(course, exercise)
    registered = load_module(course.root / "solutions" / exercise.name / "misconceptions.py", "wrong").ALL
    entries = {one.name: one for some in table.misconceptions.values() for one in some}
    assert {name: one.explanation for name, one in entries.items()} == {
        one.id: one.explanation for one in registered
    }
    assert all(one.wrong for one in entries.values())
