"""Figures of a class, worked out by hand."""

from dataclasses import replace

import pytest
from helpers import small_class

from grader.base.flags import TEST_STUDENT
from grader.grading.score import Change
from grader.report.figures import Move, work_out
from grader.results.final import final_result

TWO, NONE, MEAN, EMPTY = small_class.ALL


@pytest.fixture(scope="module")
def exercise(tmp_path_factory):
    """The small class's exercise: criteria of 8, 4, 5 and 3 points."""
    return small_class.course_at(tmp_path_factory.mktemp("course")).exercise(None)


def by_id(figures):
    """The criteria of some figures by their ids."""
    return {one.id: one for one in figures.criteria}


def twelve(**changes):
    """Twelve students: four have everything, four TWO and MEAN, four nothing, but for ``changes``."""
    passed = {f"s{n:02}": small_class.ALL for n in range(4)}
    passed |= {f"s{n:02}": (TWO, MEAN) for n in range(4, 8)}
    passed |= {f"s{n:02}": () for n in range(8, 12)}
    return [small_class.final(student, some) for student, some in (passed | changes).items()]


def test_shares_and_states(exercise):
    """8 of 12 earned the first criterion, 4 of 12 the second; of the points of a task 96 + 16 of 144."""
    figures = work_out(exercise, twelve())
    found = by_id(figures)
    assert (found[TWO].share, found[NONE].share) == (8 / 12, 4 / 12)
    assert found[TWO].states == {"passed": 8, "needs-work": 4}
    assert figures.tasks["add"] == (8 * 8 + 4 * 4) / (12 * 12)
    assert sum(figures.points) == 4 * 20 + 4 * 13


def test_discrimination_is_the_point_biserial_correlation(exercise):
    """For the first criterion: rest 12, 5 and 0 points; by hand 0.7559 = cov / (sd * sd)."""
    one = by_id(work_out(exercise, twelve()))[TWO]
    earned, rest = [1] * 8 + [0] * 4, [12] * 4 + [5] * 4 + [0] * 4
    mean_e, mean_r = 2 / 3, 17 / 3
    cov = sum((e - mean_e) * (r - mean_r) for e, r in zip(earned, rest, strict=True))
    size = (sum((e - mean_e) ** 2 for e in earned) * sum((r - mean_r) ** 2 for r in rest)) ** 0.5
    assert one.discrimination == pytest.approx(cov / size)
    assert one.good == 1


def test_small_classes_get_no_discrimination(exercise):
    """With nine students nothing is said about criteria."""
    figures = work_out(exercise, twelve()[:9])
    assert {one.discrimination for one in figures.criteria} == {None}
    assert figures.advice == ("With 9 graded students there is no advice on criteria; it needs 10.",)


def test_advice(exercise):
    """Two that agree; one that everybody has; one that the best miss; one that goes against the rest."""
    assert f"{TWO} and {MEAN} were earned by the same students: one of them may be enough." in (
        work_out(exercise, twelve()).advice
    )
    everybody = [small_class.final(f"s{n}", (TWO,)) for n in range(12)]
    told = work_out(exercise, everybody).advice
    assert f"Everybody earned {TWO}: it tells nobody apart; is it worth its points?" in told
    assert f"Nobody earned {NONE}: it tells nobody apart; is it worth its points?" in told
    best_miss = [small_class.final(f"s{n:02}", (TWO, NONE, EMPTY) if n < 6 else (MEAN,)) for n in range(12)]
    assert any(
        line.startswith(f"Good students miss {MEAN} (0% ") for line in work_out(exercise, best_miss).advice
    )
    odd = [
        small_class.final(f"s{n:02}", (TWO, EMPTY) if n < 3 else (TWO,) if n < 8 else (EMPTY,))
        for n in range(12)
    ]
    assert by_id(work_out(exercise, odd))[EMPTY].discrimination < 0
    assert f"Those who earn {EMPTY} have fewer other points than the others: read its tests." in (
        work_out(exercise, odd).advice
    )


def test_groups_name_their_students(exercise):
    """Misconceptions, flags, states, lateness and points by hand, the largest group first, with ids."""
    results = [
        small_class.final(
            "a", diagnoses=[("add", "adds-none", "It adds nothing.")], flags=("late",), penalty=2.5
        ),
        small_class.final("b", diagnoses=[("add", "adds-none", "It adds nothing.")]),
        small_class.final("c", diagnoses=[("mean", "other", "Other.")]),
        small_class.final("d", status="missing"),
        small_class.final("e", status="grader-error"),
        final_result(small_class.result("f", ()), [Change(TWO, 3, "adjust")]),
    ]
    figures = work_out(exercise, results)
    assert [(g.name, g.students) for g in figures.misconceptions] == [
        ("adds-none", ("a", "b")),
        ("other", ("c",)),
    ]
    assert {g.name: g.students for g in figures.statuses} == {
        "graded": ("a", "b", "c", "f"),
        "grader-error": ("e",),
        "missing": ("d",),
    }
    assert figures.flags[0].name == "late"
    assert figures.flags[0].text
    assert figures.late[0].students == ("a",)
    assert figures.by_hand[0].students == ("f",)


def test_predictions_against_the_closing_check(exercise):
    """Who changed their mind, which way, with ids; who made no prediction is in no group."""
    said = {"a": "prediction-changed", "b": "prediction-held", "c": "prediction-changed", "d": ""}
    results = [replace(small_class.final(student), prediction=name) for student, name in said.items()]
    assert [(group.name, group.students) for group in work_out(exercise, results).predictions] == [
        ("prediction-changed", ("a", "c")),
        ("prediction-held", ("b",)),
    ]


def test_test_students_do_not_count(exercise):
    """A platform's test student is in no figure."""
    tester = replace(small_class.final("t"), flags=(TEST_STUDENT,))
    figures = work_out(exercise, [tester, small_class.final("a", ())])
    assert [result.student for result in figures.results] == ["a"]


def test_no_one_at_all(exercise):
    """An empty class has figures, too."""
    figures = work_out(exercise, [], moves=[Move("a", 1, 2, (TWO,))])
    assert (figures.points, {one.share for one in figures.criteria}) == ((), {0})
