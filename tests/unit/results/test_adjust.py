"""Points given by hand, as OUT keeps them."""

import json

import pytest

from grader.base.errors import GraderError
from grader.grading.score import Change
from grader.results.adjust import (
    counting,
    read_changes,
    read_in_gradebook,
    values_of,
    write_changes,
    write_in_gradebook,
)

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
        "what": "points",
        "text": "",
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


def test_what_is_removed_in_formgrader_is_gone():
    """Formgrader shows what counts: who removes a value there takes it back, whoever gave it."""
    formgrader, gone = Change("sum", 0.5, "formgrader"), Change("sum", None, "formgrader")
    assert counting([formgrader, BY_ADA, gone]) == ()
    assert counting([formgrader, gone, BY_ADA]) == (BY_ADA,)


def test_extra_points_and_comments_are_apart_from_points():
    """Each is changed and taken back alone; a whole score makes points void, not comments."""
    extra = Change("sum", 0.5, "formgrader", what="extra")
    comment = Change("adding", None, "formgrader", what="comment", text="Nearly.")
    assert counting([BY_ADA, extra, comment]) == (BY_ADA, extra, comment)
    assert values_of([BY_ADA, extra, comment]) == {
        ("points", "sum"): 1,
        ("extra", "sum"): 0.5,
        ("comment", "adding"): "Nearly.",
    }
    gone = Change("adding", None, "formgrader", what="comment")
    assert counting([BY_ADA, comment, gone, extra]) == (BY_ADA, extra)
    whole = Change("", 7, "kept")
    assert counting([BY_ADA, comment, extra, whole]) == (comment, whole)
    assert values_of([whole, comment]) == {("comment", "adding"): "Nearly."}


def test_what_the_gradebook_has(tmp_path):
    """It is kept beside the changes; without a file nothing was ever recorded."""
    assert read_in_gradebook(tmp_path) is None
    write_in_gradebook(tmp_path, {})
    assert read_in_gradebook(tmp_path) == {}
    known = {"bob": {}, "ada": {("points", "sum"): 0.5, ("comment", "adding"): "Nearly."}}
    write_in_gradebook(tmp_path, known)
    assert read_in_gradebook(tmp_path) == known
    (tmp_path / "gradebook.json").write_text('{"ada": [1]}')
    with pytest.raises(GraderError, match=r"gradebook\.json is damaged"):
        read_in_gradebook(tmp_path)


def test_files_of_an_earlier_version(tmp_path):
    """Whole scores are read, those of the last gradebook go before others, and one file is left."""
    (tmp_path / "manual.json").write_text('{"ada": 18.0}')
    (tmp_path / "manual-kept.json").write_text('{"ada": 19.5, "bob": 3}')
    found = read_changes(tmp_path)
    assert counting(found["ada"]) == (Change("", 18.0, "formgrader"),)
    assert counting(found["bob"]) == (Change("", 3, "kept"),)
    write_changes(tmp_path, found)
    assert read_changes(tmp_path) == found
    assert not (tmp_path / "manual-kept.json").exists()


@pytest.mark.parametrize("text", ["{", "[1]", '{"ada": "ten"}', '{"ada": [{"criterion": 1}]}'])
def test_damaged(tmp_path, text):
    """A damaged file is named and never taken for no points."""
    (tmp_path / "manual.json").write_text(text)
    with pytest.raises(GraderError, match=r"manual\.json is damaged"):
        read_changes(tmp_path)
