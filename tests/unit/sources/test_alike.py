"""Names as platforms write them: when two are the same, and when they cannot be."""

from __future__ import annotations

import pytest

from grader.sources.alike import same_name, unlike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lovelace, Ada", "ada lovelace"),
        ("oneilbo", "Bo O Neil"),
        ("oneilbo", "Bo O'Neil"),
        ("DArcy OBrien", "D\u2019Arcy O'Brien"),
        ("Jos\u00e9_N\u00fa\u00f1ez", "N\u00fa\u00f1ez, Jos\u00e9"),
    ],
)
def test_the_same_words_are_the_same_name(one, other):
    """In any order, run together, with apostrophes or without."""
    assert same_name(one, other)
    assert not unlike(one, other)


@pytest.mark.parametrize(("one", "other"), [("liweix", "Li Wei"), ("abcdef", "a b c d e f"), ("", "")])
def test_other_names_are_not_the_same(one, other):
    """A letter more; more words than anyone puts in order; nothing at all."""
    assert not same_name(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("smithbob", "Ada Lovelace"), ("olivia", "Li Wei"), ("Grace Hopper", "Ada B"), ("\u674e\u660e", "Ada")],
)
def test_names_with_nothing_in_common_are_unlike(one, other):
    """Also when a word stands in the middle of another one."""
    assert unlike(one, other)
    assert unlike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada King", "Ada Lovelace"),
        ("smithbobj", "Bob Smith"),
        ("", "Ada"),
        ("Ada", ""),
        ("7", "Ada"),
        ("\u674e\u5c0f\u660e", "\u674e \u660e"),
    ],
)
def test_whatever_may_be_the_same_person_is_not_unlike(one, other):
    """A word in common, one at either end, a name that is not known, a group's mere number."""
    assert not unlike(one, other)
    assert not unlike(other, one)
