"""Which share of a tree is named as a platform names things."""

from helpers.intake_class import TWO, tree

from grader.intake.handin import share_named


def test_more_than_half_of_the_names_must_fit():
    """Two of three are a share of two thirds; one of two is 0."""
    made = tree({"a_1.py": TWO, "a_2.py": TWO, "b.py": TWO})
    assert share_named(made, file=lambda name: name.startswith("a_")) == 2 / 3
    assert share_named(tree({"a_1.py": TWO, "b.py": TWO}), file=lambda name: name.startswith("a_")) == 0.0


def test_files_that_nobody_hands_in_do_not_count():
    """A page or a note does not count; a folder of another name does."""
    files = {"a/x.py": TWO, "index.html": b"", "notes.txt": b""}
    assert share_named(tree(files), folder=lambda name: name == "a") == 1.0
    assert share_named(tree({**files, "b/x.py": TWO}), folder=lambda name: name == "a") == 0.0


def test_an_empty_tree_has_no_share():
    """And a rule for files does not count folders."""
    assert share_named(tree({}), folder=bool, file=bool) == 0.0
    assert share_named(tree({"a/x.py": TWO}), file=bool) == 0.0
