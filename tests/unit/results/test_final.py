"""Final results: a person's points before the grader's, and the table of everyone's scores."""

from decimal import Decimal

import pytest
from helpers import small_class

from grader.grading.score import Change, FinalResult
from grader.results.final import final_result, scores_bytes


def test_without_points_by_hand_nothing_changes():
    """The final result has every field of what the grader found."""
    found = small_class.result("ada", ("add-two",), 2.5, flags=("late",))
    final = final_result(found)
    assert final == FinalResult(**vars(found))
    assert (final.by_hand, final.points, final.taken_off) == (False, Decimal("5.5"), Decimal("2.5"))


def whole(points):
    """A change of the whole score."""
    return Change("", points, "formgrader")


@pytest.mark.parametrize(
    ("given", "score", "points"), [(15.0, 15, "12.5"), (12.3, 12.3, "9.8"), (1.0, 1, "0")]
)
def test_a_persons_points_come_first(given, score, points):
    """The score is the person's, flagged, less lateness; whole points stay whole numbers."""
    final = final_result(small_class.result("ada", penalty=2.5, flags=("late",)), [whole(given)])
    assert (final.score, type(final.score)) == (score, type(score))
    assert (final.by_hand, final.flags) == (True, ("late", "manual"))
    assert final.points == Decimal(points)


def test_points_by_hand_make_a_grade_of_what_could_not_be_read():
    """Someone looked at it and gave points: it is graded, without a penalty."""
    final = final_result(small_class.result("dee", status="unreadable"), [whole(3.0)])
    assert (final.status, final.score, final.late_penalty) == ("graded", 3, 0)


def test_a_criterions_points_change_the_sum():
    """20 points, less the 8 of one criterion, and 0.1 and 0.2 by hand for two of them, are exact."""
    found = small_class.result("ada")
    worth = {one.id: one.points for one in found.criteria}
    first, second = list(worth)[:2]
    changes = [Change(first, 0.1, "adjust"), Change(second, 0.2, "formgrader"), Change("gone", 5, "adjust")]
    final = final_result(found, changes)
    assert final.score == float(f"{20 - worth[first] - worth[second]}.3")
    assert [change.criterion for change in final.changes] == [first, second]
    assert final_result(found, [Change("gone", 5, "adjust")]).by_hand is False


def test_a_criterion_after_a_whole_score():
    """A later change of a criterion counts beside the whole score, an earlier one does not."""
    found = small_class.result("ada", ())
    first, second = (one.id for one in found.criteria[:2])
    changes = [Change(first, 3, "adjust"), whole(10.0), Change(second, 2, "adjust")]
    assert final_result(found, changes).score == 12


def test_scores_table():
    """A row for everyone, sorted; a score is blank unless graded; ids keep their zeros; none is a formula."""
    rows = scores_bytes(
        [
            small_class.final("b", (), flags=("late", "renamed-file")),
            small_class.final("00017", penalty=2.5),
            small_class.final("=1+1", status="unreadable"),
            small_class.final("a,b", status="missing"),
            small_class.final("z", status="grader-error"),
        ]
    )
    assert rows.decode() == (
        "student,status,score,max_score,late_penalty,submitted_at,flags\n"
        "00017,graded,20,20,2.5,2026-10-24T10:00:00+00:00,\n"
        "'=1+1,unreadable,,20,,2026-10-24T10:00:00+00:00,\n"
        '"a,b",missing,,20,,,\n'
        "b,graded,0,20,0,2026-10-24T10:00:00+00:00,late renamed-file\n"
        "z,grader-error,,20,,2026-10-24T10:00:00+00:00,\n"
    )


def test_extra_points_come_on_top():
    """Extra points are added to the tests' points, or to a person's; one change has the sum."""
    found = small_class.result("ada")
    first, second = found.criteria[0].id, found.criteria[1].id
    changes = [
        Change(first, 0.5, "formgrader", what="extra"),
        Change(first, 1, "formgrader"),
        Change(second, 0.25, "formgrader", what="extra"),
    ]
    final = final_result(found, changes)
    assert final.score == 20 - 8 + 1.5 + 0.25
    assert [(one.criterion, one.points) for one in final.changes] == [(first, 1.5), (second, 4.25)]
    assert [one.points for one in final.criteria[:2]] == [1.5, 4.25]
    assert sum(one.points for one in final.criteria) == final.score


def test_a_comment_gives_no_points():
    """A comment on a task is kept apart; one on a task that is gone is left aside."""
    comments = [Change(task, None, "formgrader", what="comment", text="Nearly.") for task in ("add", "gone")]
    final = final_result(small_class.result("ada"), comments)
    assert (final.comments, final.by_hand, final.changes, final.score) == ((comments[0],), False, (), 20)
