"""Which share of a tree is named as a platform names things."""

from __future__ import annotations

from helpers.intake_class import TWO, tree

from grader.intake.handin import share_named


def test_more_than_half_has_to_be_named_so():
    """Two of three are a share of two thirds; one of two is nothing."""
    made = tree({"a_1.py": TWO, "a_2.py": TWO, "b.py": TWO})
    assert share_named(made, file=lambda name: name.startswith("a_")) == 2 / 3
    assert share_named(tree({"a_1.py": TWO, "b.py": TWO}), file=lambda name: name.startswith("a_")) == 0.0


def test_a_platforms_own_files_do_not_count_against_it():
    """A page or a note is nothing that students hand in; a folder of another name is."""
    files = {"a/x.py": TWO, "index.html": b"", "notes.txt": b""}
    assert share_named(tree(files), folder=lambda name: name == "a") == 1.0
    assert share_named(tree({**files, "b/x.py": TWO}), folder=lambda name: name == "a") == 0.0


def test_nothing_is_named_like_nothing():
    """An empty tree is no platform's, and names of files say nothing of folders."""
    assert share_named(tree({}), folder=bool, file=bool) == 0.0
    assert share_named(tree({"a/x.py": TWO}), file=bool) == 0.0
