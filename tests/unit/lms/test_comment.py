"""The short comment: bounded, on its own feet, and made of the course's words alone."""

from __future__ import annotations

import html
import re

import pytest
from helpers import small_class

from grader.lms.comment import comment_html, short_comment
from grader.lms.payload import Leaving
from grader.roster.roster import Person


def comment(tmp_path, result, limit=1000):
    """The comment on one result."""
    exercise = small_class.course_at(tmp_path).exercise("lab")
    return short_comment(Leaving(Person(result.student), result), exercise, limit)


def test_full_marks(tmp_path):
    """Everything passed: score, points by task, and that everything works."""
    assert comment(tmp_path, small_class.final("1")) == (
        "Lab 1: 20 of 20 points.\nBy part: add 12/12, mean 8/8.\nEverything works."
    )


def test_what_is_open_and_why(tmp_path):
    """Lateness, what was probably believed, and what is still open, a hidden one by its sentence alone."""
    result = small_class.final(
        "1",
        ("add-two", "mean-two"),
        2.5,
        diagnoses=[("mean", "divides-by-two", "It divides by 2, whatever the list.")],
    )
    assert comment(tmp_path, result) == (
        "Lab 1: 10.5 of 20 points. 2.5 taken off for lateness.\n"
        "By part: add 8/12, mean 5/8.\n"
        "mean: It divides by 2, whatever the list.\n"
        "Still open: add gives 0 for nothing (needs work).\n"
        "Still open: mean refuses an empty list (needs work)."
    )


def test_points_given_by_hand(tmp_path):
    """Where a person set the points the comment says so: the parts need not add up to them."""
    result = small_class.final("1", ("add-two",), by_hand=9.5)
    assert comment(tmp_path, result).startswith(
        "Lab 1: 9.5 of 20 points. Your instructor set these points by hand.\n"
        "By part, as the tests found it: add 8/12, mean 0/8.\n"
    )


def test_nothing_of_the_submission_is_quoted(tmp_path):
    """A criterion's message holds a student's values; the comment holds none of it."""
    text = comment(tmp_path, small_class.final("1", ()))
    assert "returned" not in text


@pytest.mark.parametrize("length", [100, 400, 2000])
def test_at_most_a_thousand_characters(tmp_path, length):
    """Whole lines up to the limit, and how many more there would be."""
    diagnoses = [("add", f"m{n}", f"{n} " + "x" * length) for n in range(12)]
    text = comment(tmp_path, small_class.final("1", (), diagnoses=diagnoses))
    assert len(text) <= 1000
    shown = len(re.findall(r"^add: \d+ x", text, re.MULTILINE))
    assert "Still open" not in text
    assert text.endswith(f"\nAnd {12 + 4 - shown} more.")


def test_a_limit_that_fits_exactly(tmp_path):
    """The last line needs no room for a count; one character less, and it is left out with one."""
    whole = comment(tmp_path, small_class.final("1"))
    assert comment(tmp_path, small_class.final("1"), len(whole)) == whole
    assert comment(tmp_path, small_class.final("1"), len(whole) - 1).endswith("\nAnd 1 more.")
    assert comment(tmp_path, small_class.final("1"), 30) == "Lab 1: 20 of 20 points."
    assert comment(tmp_path, small_class.final("1"), 5) == "Lab 1"


def test_result_without_criteria(tmp_path):
    """A result that lists no criteria has its score alone."""
    result = small_class.final("1")
    bare = type(result)(**{**vars(result), "criteria": ()})
    assert comment(tmp_path, bare) == "Lab 1: 20 of 20 points."


def test_html_of_a_comment():
    """One line, escaped, no backslash; unescaped it says the same."""
    page = comment_html('a < b & "c" \\\nnext\\')
    assert page == "<p>a &lt; b &amp; &quot;c&quot; &#92;<br>next&#92;</p>"
    assert html.unescape(page[3:-4].replace("<br>", "\n")) == 'a < b & "c" \\\nnext\\'
