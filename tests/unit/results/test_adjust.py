"""Points given by hand, as OUT keeps them."""

from __future__ import annotations

import json

import pytest

from grader.base.errors import GraderError
from grader.results.adjust import keep_manual, read_manual, write_manual


def test_kept_and_read_back(tmp_path):
    """What was given is kept in OUT, in order, and gone when nothing is given any more."""
    write_manual(tmp_path, {"b": 1.5, "a": 2.0})
    assert json.loads((tmp_path / "manual.json").read_text()) == {"a": 2.0, "b": 1.5}
    assert read_manual(tmp_path) == {"a": 2.0, "b": 1.5}
    write_manual(tmp_path, {})
    assert not (tmp_path / "manual.json").exists()
    assert read_manual(tmp_path) == {}


def test_kept_for_good(tmp_path):
    """What was given in a gradebook that is gone counts, and what is given in the new one goes before it."""
    write_manual(tmp_path, {"ada": 19.5, "bob": 3.0})
    keep_manual(tmp_path)
    write_manual(tmp_path, {"ada": 18.0})
    assert read_manual(tmp_path) == {"ada": 18.0, "bob": 3.0}
    assert json.loads((tmp_path / "manual-kept.json").read_text()) == {"ada": 19.5, "bob": 3.0}


@pytest.mark.parametrize("text", ["{", "[1]", '{"ada": "ten"}'])
def test_damaged(tmp_path, text):
    """A damaged file is named and never taken for no points."""
    (tmp_path / "manual.json").write_text(text)
    with pytest.raises(GraderError, match=r"manual\.json is damaged"):
        read_manual(tmp_path)
