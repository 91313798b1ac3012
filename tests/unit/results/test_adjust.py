"""Points given by hand, as OUT keeps them."""

from __future__ import annotations

import json

import pytest

from grader.base.errors import GraderError
from grader.grading.score import Change
from grader.results.adjust import counting, kept, noted, read_changes, write_changes

BY_ADA = Change("sum", 1, "adjust", by="Ada", because="The file was renamed.", at="2027-03-01T10:00:00Z")


def test_kept_and_read_back(tmp_path):
    """All changes of a student are kept in their order; without any there is no file."""
    changes = {"b": (BY_ADA, Change("sum", None, "adjust")), "a": (Change("max", 0.5, "formgrader"),)}
    write_changes(tmp_path, changes)
    assert read_changes(tmp_path) == changes
    plain = json.loads((tmp_path / "manual.json").read_text())
    assert list(plain) == ["a", "b"]
    assert plain["b"][0] == {
        "criterion": "sum",
        "points": 1,
        "source": "adjust",
        "by": "Ada",
        "because": "The file was renamed.",
        "at": "2027-03-01T10:00:00Z",
    }
    write_changes(tmp_path, {"a": ()})
    assert not (tmp_path / "manual.json").exists()
    assert read_changes(tmp_path) == {}


def test_the_later_change_counts():
    """Of both sources together the last one counts, criterion by criterion."""
    formgrader, other = Change("sum", 0.5, "formgrader"), Change("max", 2, "formgrader")
    assert counting([formgrader, other, BY_ADA]) == (other, BY_ADA)
    assert counting([BY_ADA, formgrader]) == (formgrader,)


def test_a_change_is_taken_back():
    """What the other source gave counts again; without any, what the tests gave."""
    formgrader, back = Change("sum", 0.5, "formgrader"), Change("sum", None, "adjust")
    assert counting([formgrader, BY_ADA, back]) == (formgrader,)
    assert counting([BY_ADA, back]) == ()
    assert counting([BY_ADA, back, formgrader]) == (formgrader,)


def test_formgrader_is_noted_once():
    """New points there are added, the same again are not; what is gone there is taken back."""
    first = noted((BY_ADA,), {"sum": 0.5})
    assert first == (BY_ADA, Change("sum", 0.5, "formgrader"))
    assert noted(first, {"sum": 0.5}) == first
    again = noted(first, {"max": 2}, at="2027-03-02T10:00:00Z")
    assert [(one.criterion, one.points, one.at) for one in again[2:]] == [
        ("max", 2, "2027-03-02T10:00:00Z"),
        ("sum", None, "2027-03-02T10:00:00Z"),
    ]
    assert counting(again) == (BY_ADA, again[2])


def test_a_gradebook_that_is_gone():
    """What was given there counts on, and what is given in the new one goes before it."""
    old = kept(noted((), {"sum": 0.5, "max": 1}))
    assert counting(noted(old, {})) == old
    assert [change.points for change in counting(noted(old, {"sum": 2}))] == [1, 2]


def test_files_of_an_earlier_version(tmp_path):
    """Whole scores are read; the gradebook's next answer takes its own back, and the other file is merged."""
    (tmp_path / "manual.json").write_text('{"ada": 18.0}')
    (tmp_path / "manual-kept.json").write_text('{"ada": 19.5, "bob": 3}')
    found = read_changes(tmp_path)
    assert counting(found["ada"]) == (Change("", 18.0, "formgrader"),)
    assert counting(noted(found["ada"], {"sum": 1})) == (
        Change("", 19.5, "kept"),
        Change("sum", 1, "formgrader"),
    )
    write_changes(tmp_path, found)
    assert read_changes(tmp_path) == found
    assert not (tmp_path / "manual-kept.json").exists()


@pytest.mark.parametrize("text", ["{", "[1]", '{"ada": "ten"}', '{"ada": [{"criterion": 1}]}'])
def test_damaged(tmp_path, text):
    """A damaged file is named and never taken for no points."""
    (tmp_path / "manual.json").write_text(text)
    with pytest.raises(GraderError, match=r"manual\.json is damaged"):
        read_changes(tmp_path)
