"""Ids, names and comments fit nbgrader's columns, folders and pages."""

from dataclasses import replace

import pytest
from helpers import notebook_course
from helpers.gradebook_class import result
from nbconvert.filters import markdown2html

from grader.gradebook.words import comments_of, gradebook_id, names_of, short
from grader.roster.roster import Person


@pytest.mark.parametrize(
    "student",
    [
        "ada",
        "0042",
        "A.B-C_d",
        "ada@example.edu",
        "a b",
        "李小明",
        "a+b=c",
        "x" * 128,
        "o'neil",
        "o\u2019neil",
        "a (2)!",
    ],
)
def test_plain_ids_stay(student):
    """An id that can name a folder and stand in an address is kept."""
    assert gradebook_id(student) == student


@pytest.mark.parametrize(
    "student",
    [
        "",
        "..",
        ".a",
        "a.",
        " a",
        "a ",
        "a/b",
        "a\\b",
        'a"b',
        "a<b",
        "a?b",
        "a#b",
        "a,",
        "'a'",
        "a%2e",
        "a*",
        "a[1]",
        "a\nb",
        "-a",
        "x" * 129,
        "明" * 43,
    ],
)
def test_other_ids_become_folder_names(student):
    """Any other gets a name of plain characters, which no other student has."""
    name = gradebook_id(student)
    assert name != student
    assert len(name) <= 128
    assert gradebook_id(name) != name, "a plain id cannot be taken for a made one"


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("Ada Lovelace", "Ada", "Lovelace"),
        ("Lovelace, Ada", "Ada", "Lovelace"),
        ("Mia Miller Jones", "Mia Miller", "Jones"),
        ("李小明", "", "李小明"),
        ("", "", ""),
        ("A\x1b[31m B", "A\\x1b[31m", "B"),
    ],
)
def test_names(name, first, last):
    """A comma divides a name, or else its last blank; nothing in it acts unseen."""
    assert names_of(Person("x", name)) == (first, last)


def test_short():
    """A long text is cut with a mark at 128 characters."""
    assert short("a" * 128) == "a" * 128
    assert short("a" * 129) == "a" * 127 + "\u2026"


def test_comments(tmp_path):
    """Each task has its comment, also an empty one, so that an old comment goes."""
    exercise = notebook_course.course_at(tmp_path)[1]
    one = result(exercise, "ada", missed=["facts-half"])
    assert comments_of(exercise, one) == {
        "facts": "knows what half of six is (0 of 1 point): `facts(1, 2) was wrong.`",
        "add": "",
        "mean": "",
    }


def test_comments_are_no_markup(tmp_path):
    """What a message quotes is code for nbgrader's page: no HTML, no formula, no picture."""
    exercise = notebook_course.course_at(tmp_path)[1]
    evil = "x raised `<script>a()</script>` $\\href{b}{c}$\n![d](https://e)"
    one = result(exercise, "ada", missed=["facts-half"])
    criteria = tuple(replace(c, message=evil) if c.id == "facts-half" else c for c in one.criteria)
    shown = markdown2html(comments_of(exercise, replace(one, criteria=criteria))["facts"])
    assert "<script" not in shown
    assert "<img" not in shown
    assert shown.count("<code>") == 2
    many = tuple(replace(c, task="facts", status="open", message=evil * 40) for c in one.criteria)
    assert "<script" not in markdown2html(comments_of(exercise, replace(one, criteria=many))["facts"])


def test_comments_are_bounded(tmp_path):
    """A comment of any length is cut."""
    exercise = notebook_course.course_at(tmp_path)[1]
    one = result(exercise, "ada", missed=["add-two"], diagnosis="no " * 5000)
    assert len(comments_of(exercise, one)["add"]) < 4100
