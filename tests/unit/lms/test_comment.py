"""The short comment: bounded, on its own feet, and made of the course's words alone."""

import dataclasses
import html
import json
import re
from dataclasses import replace
from decimal import Decimal

import pytest
from helpers import small_class
from helpers.golden import assert_golden

from grader.gradebook.words import comments_of
from grader.grading.score import Change
from grader.lms.comment import comment_html, short_comment
from grader.lms.formats.gradescope import results_json


def comment(tmp_path, result, limit=1000):
    """The comment on one result."""
    exercise = small_class.course_at(tmp_path).exercise("lab")
    return short_comment(result, exercise, limit)


def test_every_kind_of_comment_word_for_word(tmp_path):
    """Full marks; lateness, a diagnosis and what is open; points and a comment by hand."""
    diagnoses = [("mean", "divides-by-two", "It divides by 2, whatever the list.")]
    by_hand = [Change("add-none", 1.5, "formgrader")]
    results = {
        "full marks": small_class.final("1"),
        "late": small_class.final("1", ("add-two", "mean-two"), 2.5, diagnoses=diagnoses),
        "points by hand": small_class.final("1", ("add-two",), changes=by_hand),
        "a whole score by hand": small_class.final("1", ("add-two",), by_hand=9.5),
        "could not be read": small_class.unreadable("1"),
        "a comment by hand": small_class.final("1", changes=[small_class.comment("mean", "Well\ndone.")]),
    }
    lines = [f"# {case}\n{comment(tmp_path / case, result)}\n\n" for case, result in results.items()]
    assert_golden("comments.txt", "".join(lines))


def test_nothing_of_the_submission_is_quoted(tmp_path):
    """A criterion's message holds a student's values; the comment holds none of it."""
    text = comment(tmp_path, small_class.final("1", ()))
    assert "returned" not in text


def test_hidden_criteria_are_passed_or_open(tmp_path):
    """Whatever happened to a hidden criterion, comment, gradebook and Gradescope say the same."""
    seen = set()
    for state in ("needs-work", "not-started", "not-run", "stopped"):
        made = small_class.final("1", ("add-two",))
        criteria = tuple(
            dataclasses.replace(one, status=state) if one.visibility == "hidden" else one
            for one in made.criteria
        )
        made = dataclasses.replace(made, criteria=criteria)
        exercise = small_class.course_at(tmp_path).exercise("lab")
        shown = (comment(tmp_path, made), comments_of(exercise, made), results_json(made, exercise, Decimal))
        seen.add(json.dumps(shown))
    assert len(seen) == 1


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


def test_a_long_comment_by_hand_is_cut(tmp_path):
    """It leaves room for what is open."""
    text = comment(tmp_path, small_class.final("1", (), changes=[small_class.comment("add", "x" * 5000)]))
    assert "add, from your instructor: xxx" in text
    assert "Still open: add adds two numbers" in text


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


def test_why_a_file_could_not_be_run_comes_first(tmp_path):
    """The line and the reason stand before the points by part; hidden criteria say nothing of it."""
    found = small_class.final("1", ())
    reason = "lab.py could not be run: line 28: expected ':'"
    criteria = tuple(replace(one, status="not-run", message=f"{reason}\nMore.") for one in found.criteria)
    lines = comment(tmp_path, replace(found, criteria=criteria)).splitlines()
    assert lines[:2] == ["Lab 1: 0 of 20 points.", reason]
    assert lines[2].startswith("By part: ")
    assert lines.count(reason) == 1
