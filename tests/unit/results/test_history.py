"""Results that grading again changes."""

from dataclasses import replace

import pytest
from helpers import small_class

from grader.base.errors import GraderError
from grader.results.history import Move, earlier_results, keep_history, move_between
from grader.results.student import student_folder

TWO, NONE, MEAN, _EMPTY = small_class.ALL


def test_who_moves_and_why():
    """8 and 5 points before, 8 and 4 now: 13 -> 12 by two criteria; the same points are no move."""
    before, now = small_class.result("ada", (TWO, MEAN)), small_class.result("ada", (TWO, NONE))
    assert move_between(before, now) == Move("ada", 13, 12, (NONE, MEAN))
    assert move_between(before, before) is None


def test_other_maximum_and_other_criteria():
    """A criterion that is worth more, is new or is gone moves whoever has it, too."""
    before = small_class.result("ada", ())
    worth = tuple(replace(one, max_points=9) if one.id == TWO else one for one in before.criteria)
    assert move_between(before, replace(before, criteria=worth)) == Move("ada", 0, 0, (TWO,))
    assert move_between(before, replace(before, criteria=before.criteria[1:])).criteria == (TWO,)
    assert move_between(replace(before, criteria=before.criteria[1:]), before).criteria == (TWO,)


def test_earlier_results_are_kept_in_their_order(tmp_path):
    """Also the tenth; a damaged one is named."""
    for points in range(11):
        keep_history(tmp_path, replace(small_class.result("ada"), score=points))
    folder = student_folder(tmp_path, "ada")
    assert [result.score for result in earlier_results(folder)] == [*range(11)]
    (folder / "history" / "3.json").write_text("{")
    with pytest.raises(GraderError, match=r"3\.json is not a result"):
        earlier_results(folder)
