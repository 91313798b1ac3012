"""Recognising the misconceptions behind wrong answers."""

from dataclasses import replace

import pytest
from helpers.lessons import LESSONS, each_lesson
from helpers.paths import ROOT

from grader.base.errors import CourseError
from grader.course.load import load_course
from grader.grading.diagnosis import (
    Misconception,
    Reflection,
    TaskTable,
    answer_table_bytes,
    diagnose,
    known_constants,
    load_answer_table,
    reflect,
    table_path,
)
from grader.grading.score import Diagnosis
from grader.suite.run import answer_digest, answer_digests

RIGHT = {"a": "1i", "b": "2i", "c": "3i", "d": "4e"}
ADDS = Misconception("adds", "You add.", {"a": "9i", "b": "8i"})
NEVER = Misconception("never-checks", "You never check.", {"d": "0i"}, "kind")
PRINTS = Misconception("prints", "You print.", {"a": "0n", "b": "0n", "c": "0n"}, "kind")
KEEPS = Misconception("keeps", "You keep.", {"b": "5i", "c": "6i"}, "memory")
TABLE = {"double": TaskTable(RIGHT, (ADDS, NEVER, PRINTS, KEEPS))}

COURSE = load_course(ROOT / "course.toml")
EXERCISE = COURSE.exercise("contiguous_reservation")
COURSE_TABLES = {lesson.name: load_answer_table(COURSE, COURSE.exercise(lesson.name)) for lesson in LESSONS}
COURSE_TABLE = COURSE_TABLES[EXERCISE.name]


def named(**answers: str) -> list[str]:
    """The misconceptions found when these answers are given to visible calls and all others are right."""
    given = {"double": RIGHT | answers}
    return [one.misconception for one in diagnose(TABLE, given, given)]


def said(table, answers) -> list[str]:
    """The misconceptions found when all calls are visible."""
    return [one.misconception for one in diagnose(table, answers, answers)]


def graded(lesson, task, function) -> list[str]:
    """The misconceptions found when a function is graded like a submission."""
    exchanges = lesson.suites.graded(task, function)[1]
    visible = answer_digests(exchange for exchange in exchanges if exchange.test.startswith("visible/"))
    table = COURSE_TABLES[lesson.name]
    return [one.misconception for one in diagnose(table, answer_digests(exchanges), visible)]


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
    assert found("a", a="9i") == found("a", a="9i", d="5i") == [("adds", False)]
    assert found("a", "b", "d", **ADDS.wrong, d="0i") == [("adds", False), ("never-checks", False)]


def test_hidden_calls_decide_if_visible_ones_do_not():
    """All visible answers right, or two mistakes that answer them alike: then hidden answers decide."""
    assert found("b", "c", d="0i") == [("never-checks", True)]
    alike = Misconception("adds-too", "You add, too.", {"a": "9i", "c": "7i"})
    table = {"double": TaskTable(RIGHT, (ADDS, alike))}
    given = {"double": RIGHT | alike.wrong}
    (one,) = diagnose(table, given, {"double": {"a": "9i"}})
    assert (one.misconception, one.from_hidden) == ("adds-too", True)


def test_hidden_calls_name_one_misconception_at_most():
    """Two that only hidden calls tell apart would say more: the one with more wrong answers is named."""
    assert found("c", **ADDS.wrong, d="0i") == [("adds", True)]


def test_right_answers_have_nothing_to_explain():
    """Right answers everywhere: no diagnosis."""
    assert named() == []


def test_one_misconception_accounts_for_every_wrong_answer():
    """Wrong exactly where a misconception is wrong, and in the same way: that one is said."""
    given = {"double": RIGHT | ADDS.wrong}
    assert diagnose(TABLE, given, given) == (Diagnosis("double", "adds", "You add."),)


def test_two_misconceptions_together():
    """Two mistakes in one function are both named, the one with more wrong answers first."""
    assert named(**ADDS.wrong, d="0i") == ["adds", "never-checks"]


def test_misconceptions_that_follow_from_no_single_one():
    """Answers of two mistakes together are known where they are those of neither."""
    table = {"double": replace(TABLE["double"], together=((("adds", "never-checks"), {"d": "7i"}),))}
    answers = {"double": RIGHT | ADDS.wrong | {"d": "7i"}}
    assert said(table, answers) == ["adds", "never-checks"]


def test_kinds_tell_a_misconception_whatever_else_is_wrong():
    """Only None means that nothing is returned, and values for all errors that nothing is raised."""
    assert named(a="0n", b="0n", c="0n", d="0x") == ["prints"]
    assert named(a="0n", b="0n", c="0f") == []
    table = {
        "double": TaskTable(
            {"a": "1i", "d": "4e", "e": "4e"}, (replace(NEVER, wrong={"d": "0i", "e": "0i"}),)
        )
    }
    assert said(table, {"double": {"a": "5i", "d": "6i", "e": "7f"}}) == ["never-checks"]
    assert said(table, {"double": {"a": "5i", "d": "6i", "e": "4e"}}) == []


def test_what_is_said_of_all_calls_or_more_exactly_is_said_once():
    """Text for every call is not said again of some; text in place of an error says that none was raised."""
    right = {"a": "1i", "b": "2i", "e": "2i", "c": "3e", "d": "4e"}
    text = Misconception("text", "You return text.", {"a": "0s", "b": "1s", "e": "1s"}, "kind")
    of_some = Misconception("text-for-two", "You return text for two.", {"b": "3s", "e": "4s"}, "kind")
    for_error = Misconception("text-for-error", "There, too.", {"c": "0s", "d": "3s"}, "kind")
    never = replace(NEVER, wrong={"c": "0i", "d": "0i"})
    table = {"double": TaskTable(right, (text, of_some, never, for_error))}
    assert said(table, {"double": {"a": "5s", "b": "6s", "e": "6s", "c": "7s", "d": "8s"}}) == [
        "text",
        "text-for-error",
    ]
    assert said(table, {"double": {"a": "5s", "b": "6s", "e": "6s", "c": "7i", "d": "8s"}}) == [
        "text",
        "never-checks",
    ]


def test_equal_calls_with_different_answers_show_memory():
    """A function that answers an equal call differently keeps something, whatever it counts."""
    table = {"double": replace(TABLE["double"], right=RIGHT | {"b": "1i"}, repeated=(("a", "b"),))}
    assert said(table, {"double": RIGHT | {"a": "7i", "b": "8i"}}) == ["keeps"]


def test_memory_is_no_part_of_several_mistakes_where_equal_calls_agree():
    """Its answers would stand in for those of an unknown mistake; where equal calls differ, both are said."""
    halves = Misconception("halves", "You halve.", {"c": "7i"})
    right = RIGHT | {"b": RIGHT["a"]}
    keeps = Misconception("keeps", "You remember.", {"a": "9i", "b": "9i"}, true_of="memory")
    table = {"double": TaskTable(right, (halves, keeps), repeated=(("a", "b"),))}
    assert said(table, {"double": right | {"a": "9i", "b": "9i", "c": "7i"}}) == []
    keeps = replace(keeps, wrong={"b": "9i"})
    table = {"double": TaskTable(right, (halves, keeps), repeated=(("a", "b"),))}
    assert said(table, {"double": right | {"b": "9i", "c": "7i"}}) == ["halves", "keeps"]


def test_any_number_is_one_answer_where_the_docstring_allows_it():
    """An int, a float and a Fraction of one value are one answer of a function that promises a float."""
    half = Misconception("half", "You halve.", {"a": "9f"})
    for kind in "ifq":
        answers = {"share": {"a": f"9{kind}", "b": f"2{kind}"}}
        table = {"share": TaskTable({"a": "1f", "b": "2f"}, (half,), any_number=True)}
        assert said(table, answers) == ["half"]
        exact = {"share": TaskTable({"a": "1f", "b": "2f"}, (half,))}
        assert bool(said(exact, answers)) == (kind == "f")


def test_a_list_that_is_changed_is_a_mistake_of_its_own():
    """Changed arguments are compared apart from answers, so that both mistakes are named."""
    sorts = Misconception("sorts", "You sort.", {"c~": "5"})
    table = {"double": TaskTable(RIGHT, (ADDS, sorts))}
    answers = {"double": RIGHT | ADDS.wrong | {"c~": "5"}}
    assert said(table, answers) == ["adds", "sorts"]
    assert said(table, {"double": RIGHT | ADDS.wrong | {"c~": "6"}}) == []


def test_one_unexplained_answer_means_no_diagnosis():
    """One answer more that no misconception gives: no guess is made."""
    assert named(**ADDS.wrong, c="5i") == []


def test_part_of_a_misconception_is_not_it():
    """Right at a call where the misconception is wrong: no diagnosis."""
    assert named(a="9i") == []


def test_the_same_places_but_other_answers():
    """Wrong at the same calls, but with other answers: no diagnosis."""
    assert named(a="9i", b="7i") == []


def test_calls_that_were_not_made_are_left_out():
    """A test stops at its first wrong answer; only the calls that were made are compared."""
    answers = {call: answer for call, answer in (RIGHT | ADDS.wrong).items() if call != "b"}
    assert [one.misconception for one in diagnose(TABLE, {"double": answers}, {})] == ["adds"]


def test_calls_of_private_tests_are_left_out():
    """A call that the table does not know is ignored."""
    assert named(**ADDS.wrong, private="7i") == ["adds"]


def test_a_function_that_was_never_answered():
    """Without answers there is no diagnosis."""
    assert diagnose(TABLE, {}, {}) == ()


def test_a_table_is_read_back_as_it_was_written(tmp_path):
    """Everything that a table holds comes back, and without a file there is no table."""
    together = ((("adds", "never-checks"), {"d": "7i", "b": "-"}), (("adds", "never-checks"), {"d": "8i"}))
    reflections = ((Reflection("held", "It held."), {"A": "1b", "B": "2b"}),)
    tables = {
        "double": TaskTable(RIGHT, (ADDS, NEVER), together, (("a", "b"),), any_number=True),
        "hands_on": TaskTable({"B": "2b"}, (), reflections=reflections),
    }
    moved = replace(COURSE, root=tmp_path)
    assert load_answer_table(moved, EXERCISE) == {}
    table_path(moved, EXERCISE).parent.mkdir(parents=True)
    table_path(moved, EXERCISE).write_bytes(answer_table_bytes(tables))
    assert load_answer_table(moved, EXERCISE) == tables
    assert known_constants(tables, EXERCISE) == {"hands_on.py": ["B", "A"]}


@pytest.mark.parametrize("data", [b"", b"[]", b"{}}", b'{"double": {}}', b'{"double": 3}', b"\xff"])
def test_a_damaged_table_is_an_error_of_the_course(tmp_path, data):
    """The sentence names the file and how to write it anew."""
    moved = replace(COURSE, root=tmp_path)
    table_path(moved, EXERCISE).parent.mkdir(parents=True)
    table_path(moved, EXERCISE).write_bytes(data)
    with pytest.raises(CourseError, match=r"diagnoses.json is damaged; make it again with: grader build"):
        load_answer_table(moved, EXERCISE)


@each_lesson
def test_the_course_has_every_misconception_in_its_table(lesson):
    """The committed table names each registered misconception, with at least one wrong answer."""
    table = COURSE_TABLES[lesson.name]
    entries = {one.name: one for some in table.values() for one in some.misconceptions}
    assert {name: one.explanation for name, one in entries.items()} == {
        one.id: one.explanation for one in lesson.misconceptions().ALL
    }
    assert all(one.wrong for one in entries.values())


@pytest.mark.slow
@each_lesson
def test_every_misconception_is_recognised_as_itself(lesson):
    """Each wrong function, graded like a submission, gets its own sentence."""
    others = []
    known = lesson.misconceptions().ALL
    sentences = {one.id: one.explanation for one in known}
    for one in (one for one in known if one.function):
        exchanges = lesson.suites.graded(one.task, one.function)[1]
        given = answer_digests(exchanges)
        named = diagnose(COURSE_TABLES[lesson.name], given, given)
        if [found.explanation for found in named] != [sentences[one.id]]:
            others.append((one.id, [found.misconception for found in named]))
    assert others == []


@each_lesson
def test_right_versions_are_told_nothing(lesson):
    """No right version of a function, in any style, is given a misconception."""
    for task, function in lesson.right:
        assert graded(lesson, task, function) == []


@each_lesson
def test_wrong_answers_of_a_class_are_named(lesson):
    """At least 94 % of the wrong answers get a misconception that is true of them, and none a false one."""
    unnamed = []
    for task, function, _loses, named in lesson.answers:
        names = graded(lesson, task, function)
        assert set(names) <= named, function.__name__
        unnamed += [] if names else [function.__name__]
    assert len(unnamed) <= 0.06 * len(lesson.answers), unnamed


@pytest.mark.parametrize(
    ("lesson", "entry"),
    [pytest.param(lesson, entry, id=repr(entry.given)) for lesson in LESSONS for entry in lesson.constants],
)
def test_answers_of_part_1_are_named(lesson, entry):
    """A usual wrong answer has its sentence; a prediction is no mistake, and may have a word beside it."""
    answers = digests(lesson.given | entry.given)
    table = COURSE_TABLES[lesson.name]
    mistakes = {name for name in entry.named if not name.startswith("prediction")}
    assert set(said(table, {lesson.by_hand: answers})) == mistakes
    said_too = reflect(table, {lesson.by_hand: answers})
    wanted = entry.named - mistakes or {"prediction-held", "predictions-held"}
    assert said_too is None if entry.named - mistakes == {"prediction-none"} else said_too.name in wanted


def digests(values) -> dict[str, str]:
    """The digests of constants with these values."""
    return {name: answer_digest({"kind": "value", "value": value}) for name, value in values.items()}


def test_each_prediction_has_its_sentence_for_each_closing_answer():
    """None, True and False are six sentences beside the two closing answers, and none beside no answer."""
    seen = set()
    for closing in (True, False):
        for prediction in (None, True, False):
            answers = digests({"PREDICTION": prediction, "UNUSED_IS_SHARED": closing})
            seen.add(reflect(COURSE_TABLE, {"hands_on": answers}).sentence)
    assert len(seen) == 6
    assert reflect(COURSE_TABLE, {"hands_on": {}}) is None
