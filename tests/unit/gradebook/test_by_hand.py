"""What people change in formgrader and in OUT is the same in both, whatever happens to the database."""

import itertools

import pytest

from grader.base.errors import GraderError
from grader.gradebook.by_hand import ByHand, from_known, merged, to_known, values_now
from grader.grading.score import Change

KEY, OTHER, COMMENT = ("points", "sum"), ("extra", "sum"), ("comment", "adding")
CELLS = (KEY, OTHER, COMMENT)


def formgrader(points):
    """A change of the one criterion in formgrader."""
    return Change("sum", points, "formgrader")


ADJUSTED = Change("sum", 2, "adjust", by="Ada")


def synced(*changes, has=None):
    """What OUT knows after these changes, when the gradebook has this value."""
    return ByHand(changes, None if not changes else values(has))


def values(points):
    """The values of a gradebook with these points by hand."""
    return {} if points is None else {KEY: points}


def saw(points):
    """What the grader saw in a gradebook that had these points, if there ever were any."""
    return None if points is None else {KEY: points}


def points_of(record):
    """The points that both have after merging."""
    return record.in_gradebook.get(KEY)


@pytest.mark.parametrize(
    ("seen", "now", "points", "new"),
    [
        (None, None, None, []),
        (None, 1, 1, [1]),
        (1, 1, 1, []),
        (1, 0.5, 0.5, [0.5]),
        (1, None, None, [None]),
    ],
)
def test_a_gradebook_that_goes_on(seen, now, points, new):
    """What differs from what was there last time is a person's change, and counts."""
    before = () if seen is None else (formgrader(seen),)
    record = merged(synced(*before, has=seen), saw(seen), values(now), CELLS)
    assert points_of(record) == points
    assert [one.points for one in record.changes[len(before) :]] == new


def test_an_earlier_value_given_again():
    """In a gradebook that goes on, a value that was given before is a change like any other."""
    known = synced(formgrader(1), formgrader(2), has=2)
    record = merged(known, values(2), values(1), CELLS)
    assert (points_of(record), len(record.changes)) == (1, 3)


def test_adjusted_points_are_entered():
    """What was adjusted since goes into the gradebook; what a person then changes there goes before it."""
    record = merged(synced(formgrader(1), ADJUSTED, has=1), values(1), values(1), CELLS)
    assert (points_of(record), len(record.changes)) == (2, 2)
    record = merged(record, values(2), values(1.5), CELLS)
    assert (points_of(record), record.changes[-1]) == (1.5, formgrader(1.5))
    record = merged(record, values(1.5), values(None), CELLS)
    assert points_of(record) is None


def test_both_changed():
    """Who changed formgrader's points after the last look comes later than who adjusted them."""
    record = merged(synced(formgrader(1), ADJUSTED, has=1), values(1), values(0.5), CELLS)
    assert points_of(record) == 0.5


def test_a_gradebook_that_is_gone():
    """Into a new one everything is entered again; there it can be changed and taken back."""
    known = synced(formgrader(1), has=1)
    record = merged(known, None, {}, CELLS)
    assert record == known
    assert points_of(merged(record, values(1), values(0.5), CELLS)) == 0.5
    assert points_of(merged(record, values(1), values(None), CELLS)) is None


@pytest.mark.parametrize("backup", [None, 1, 2])
def test_a_backup_that_is_restored(backup):
    """What OUT had from formgrader before is old; the last change counts, and is entered again."""
    known = synced(formgrader(1), formgrader(2), formgrader(3), has=3)
    record = merged(known, saw(backup), values(backup), CELLS)
    assert (points_of(record), record.changes) == (3, known.changes)


def test_a_backup_of_before_a_value_was_taken_back():
    """What was taken back since stays taken back."""
    known = synced(formgrader(1), formgrader(None))
    record = merged(known, values(1), values(1), CELLS)
    assert (points_of(record), record.changes) == (None, known.changes)


def test_a_backup_of_before_the_first_look():
    """Points that OUT had, and that were taken back, are old in a backup that the grader never saw."""
    known = synced(formgrader(1), formgrader(None))
    assert merged(known, None, values(1), CELLS).changes == known.changes


def test_a_change_in_a_backup_that_was_restored():
    """A value that OUT never had is a change, also in a restored database; so is one taken back there."""
    known = synced(formgrader(1), formgrader(2), has=2)
    assert points_of(merged(known, values(1), values(0.5), CELLS)) == 0.5
    assert points_of(merged(known, values(1), values(None), CELLS)) is None


def test_an_out_that_is_gone():
    """A new OUT takes over all that people gave in a gradebook that is still there."""
    record = merged(ByHand(), values(1), values(1), CELLS)
    assert (points_of(record), record.changes) == (1, (formgrader(1),))


@pytest.mark.parametrize("steps", [list(steps) for steps in itertools.product([None, 1, 2], repeat=3)])
def test_a_call_that_ends_in_between(steps):
    """If OUT was written and the gradebook was not, the next call gives the same, and nothing twice."""
    record, seen = ByHand(), None
    for now in steps:
        first = merged(record, seen, values(now), CELLS)
        again = merged(first, seen, values(now), CELLS)
        assert (again.changes, again.in_gradebook) == (first.changes, values(now))
        record, seen = again, again.in_gradebook
    assert record.in_gradebook == values(steps[-1])


def test_comments_and_extra_points():
    """They are merged like points, each alone; what the exercise does not have is not entered."""
    now = {KEY: 1, COMMENT: "Nearly."}
    record = merged(ByHand(), None, now, CELLS)
    assert record.in_gradebook == now
    record = merged(record, now, {KEY: 1, OTHER: 0.5}, CELLS)
    assert record.in_gradebook == {KEY: 1, OTHER: 0.5}
    assert [(one.what, one.value) for one in record.changes[2:]] == [("comment", None), ("extra", 0.5)]
    assert merged(record, None, {}, (OTHER,)).in_gradebook == {OTHER: 0.5}


def test_a_whole_score_of_an_earlier_version():
    """It counts as long as nothing is known in parts; then it is void."""
    whole = Change("", 19.5, "kept")
    assert merged(ByHand((whole,)), None, {}, CELLS).changes == (whole,)
    record = merged(ByHand((whole,)), None, {COMMENT: "Nearly."}, CELLS)
    assert record.changes[0] == whole
    assert not any(one.points is None and not one.criterion for one in record.changes)
    record = merged(ByHand((whole,)), None, values(1), CELLS)
    assert record.changes == (whole, formgrader(1), Change("", None, "kept"))


def test_values_of_rows():
    """Points, extra points and comments are read by name; no extra points and an empty comment are none."""
    grades = {
        "sum": {"manual_score": 0.0, "extra_credit": 0.0},
        "max": {"manual_score": None, "extra_credit": 1},
    }
    comments = {"adding": {"manual_comment": ""}, "mean": {"manual_comment": "Nearly."}}
    found = values_now("ada", grades, comments)
    assert found == {KEY: 0.0, ("extra", "max"): 1.0, ("comment", "mean"): "Nearly."}
    assert from_known(to_known(found)) == found


@pytest.mark.parametrize("points", [float("nan"), float("inf"), "five", "5", b"5"])
def test_points_that_are_no_number(points):
    """They are named with the student and the criterion, also the texts that SQLite takes as points."""
    grades = {"sum": {"manual_score": points, "extra_credit": None}}
    with pytest.raises(GraderError, match=r"ada has .* points by hand for 'sum'"):
        values_now("ada", grades, {})
