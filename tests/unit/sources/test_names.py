"""Close misses of a file's name, and what is another file."""

import pytest

from grader.sources.names import (
    is_close,
    nothing_in_common,
    owner_words,
    same_name,
    split_ending,
    split_words,
)


@pytest.mark.parametrize(
    "name",
    [
        "Reservation.PY",
        "reservation (1).py",
        "reservation(2).py",
        "reservation-1.py",
        "reservation_1.py",
        "reservation2.py",
        "reservation.py.txt",
        "reservation.py.py",
        "reservation.ipynb.py",
        "reservation.py (1).txt",
        "Copy of reservation.py",
        "reservation - Kopie.py",
        "reservation_final.py",
        "reservation_v2_FINAL.py",
        "my reservation.py",
        " reservation.py",
        "reservation.py ",
        "reservation.py.",
        "ｒｅｓｅｒｖａｔｉｏｎ.py",
        "homework 3 reservation.py",
    ],
)
def test_a_close_miss_stands_for_the_expected_name(name):
    """Case, width, copies, endings and words that do not name another file are allowed."""
    assert is_close(name, "reservation.py")


@pytest.mark.parametrize(
    "name",
    [
        "test_reservation.py",
        "reservation_test.py",
        "reservation_helper.py",
        "reservation_utils.py",
        "reservations.py",
        "preservation.py",
        "reservation_ada.py",
        "reservation.txt",
        "reservation.pyc",
        "reservation",
        "reservation.ipynb",
        "reservation.py.ipynb",
        "hands_on.py",
        "py",
        ".py",
        "",
        "a_" * 75 + "reservation.py",
    ],
)
def test_another_files_name_does_not(name):
    """A test, a helper, another ending, an unknown word."""
    assert not is_close(name, "reservation.py")


def test_separators_do_not_matter():
    """Two words are the same with a hyphen, a space, or nothing between."""
    for name in ("hands-on.py", "Hands On.py", "handson.py", "HANDS_ON (3).py"):
        assert is_close(name, "hands_on.py")


def test_a_number_that_belongs_to_the_name_stays_apart():
    """``hw1`` and ``hw11`` are two homeworks."""
    assert is_close("hw_1.py", "hw1.py")
    assert is_close("hw1-1.py", "hw1.py")
    assert not is_close("hw11.py", "hw1.py")
    assert not is_close("hw2.py", "hw1.py")


def test_a_students_own_name_is_allowed():
    """But it does not make a test file an answer."""
    owner = owner_words("ada-01", "Lovelace, Ada")
    assert owner == {"ada", "01", "lovelace"}
    assert is_close("lovelace_reservation.py", "reservation.py", owner)
    assert is_close("reservation_ADA.py", "reservation.py", owner)
    assert not is_close("test_reservation.py", "reservation.py", owner_words("test"))


def test_notebooks_are_recognised_by_their_last_ending():
    """Browsers and Colab double the endings."""
    for name in (
        "reservation.ipynb.txt",
        "reservation.ipynb.json",
        "reservation.py.ipynb",
        "Reservation (1).ipynb",
    ):
        assert is_close(name, "reservation.ipynb")


@pytest.mark.parametrize(
    ("name", "stem", "ending"),
    [
        ("A.py", "a", "py"),
        ("a.ipynb.py.txt", "a", "py"),
        ("a.py (2).txt.", "a", "py"),
        (".py", "py", ""),
        ("py", "py", ""),
        ("a.txt", "a.txt", ""),
        ("a.b.json.ipynb", "a.b", "ipynb"),
        ("a.py.b", "a.py.b", ""),
        ("a\n.py", "a\n", "py"),
    ],
)
def test_endings_are_taken_off_from_the_last(name, stem, ending):
    """All that a browser or an editor may have added; the last that means a source file counts."""
    assert split_ending(name) == (stem, ending)


def test_an_absurd_name_costs_no_more_than_a_long_one():
    """Of a name that no file system holds only an end, or a beginning, is looked at.

    Letters that combine take time by the square of their number, and so did endings.
    """
    for absurd in (".py" * 7_000_000 + "x", "a" + "\u0323\u0301" * 5_000_000, "." * 20_000_000):
        assert not is_close(absurd, "reservation.py")
        assert len(split_ending(absurd)[0]) <= 255
        assert len("".join(split_words(absurd))) <= 255
    assert split_ending("a" * 2000 + ".py") == ("a" * 252, "py")


def test_words_are_split_at_all_other_characters():
    """In lower case, in one width."""
    assert split_words("O'Neil_Bo-2 ＡＢ") == ("o", "neil", "bo", "2", "ab")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lovelace, Ada", "ada lovelace"),
        ("oneilbo", "Bo O Neil"),
        ("oneilbo", "Bo O'Neil"),
        ("DArcy OBrien", "D\u2019Arcy O'Brien"),
        ("Jos\u00e9_N\u00fa\u00f1ez", "N\u00fa\u00f1ez, Jos\u00e9"),
        ("garcíadelatorremaríadelcarmen", "María del Carmen García de la Torre"),
        ("vanbeethovenludwig", "Ludwig van Beethoven"),
        ("李小明", "小明 李"),
        ("Jean-Luc Picard", "Picard, Jean Luc"),
        (". Sukarno", "Sukarno"),
        ("abcdef", "a b c d e f"),
        ("مُحَمَّد علي", "علي محمد"),
        ("अमित शाह", "शाह, अमित"),
        ("क्\u200dषमा", "क्षमा"),
    ],
)
def test_the_same_words_are_the_same_name(one, other):
    """In any order, run together, with apostrophes, vowel points and joiners or without."""
    assert same_name(one, other)
    assert same_name(other, one)
    assert not nothing_in_common(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("liweix", "Li Wei"),
        ("abcdefghi", "a b c d e f g h i"),
        ("", ""),
        ("María García", "María García López"),
        ("J. R. R. Tolkien", "John Ronald Reuel Tolkien"),
        ("Beethoven", "Ludwig van Beethoven"),
        ("राम", "रमा"),
        ("กิต", "กต"),
        ("José", "Jose"),
    ],
)
def test_other_names_are_not_the_same(one, other):
    """A letter more, more words than are put together, no name, a name less, initials, other vowels."""
    assert not same_name(one, other)
    assert not same_name(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("smithbob", "Ada Lovelace"), ("olivia", "Li Wei"), ("Grace Hopper", "Ada B"), ("\u674e\u660e", "Ada")],
)
def test_other_peoples_names_have_nothing_in_common(one, other):
    """Even if a word is in the middle of another one."""
    assert nothing_in_common(one, other)
    assert nothing_in_common(other, one)


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
def test_names_of_one_person_have_something_in_common(one, other):
    """A shared word, a word at an end, an unknown name, a group's number."""
    assert not nothing_in_common(one, other)
    assert not nothing_in_common(other, one)
