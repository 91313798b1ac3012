"""Formgrader, served for real and looked at in a browser, shows our students, scores and submissions."""

from __future__ import annotations

import re
import subprocess

import pytest
from helpers import nbgrader_class
from helpers.jupyter_server import server_on
from helpers.nbgrader_class import NAME, SCORES, table

pytestmark = pytest.mark.slow

STUDENTS = ["ada", "bob", "cy", "dee", "eve"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The class in a native course, and a server on it."""
    with server_on(nbgrader_class.laid_out(tmp_path_factory.mktemp("class"))) as found:
        yield found


def seen(chromium, site, path):
    """The text of a page in the browser, once its scripts have run."""
    profile = site.folder.parent / "browser"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
    words = [chromium, *flags, "--virtual-time-budget=20000", "--dump-dom", site.address + path]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=180)
    body = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", done.stdout)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_list_of_submissions(chromium, site):
    """The list shows every student by name, with score, and nobody without a hand-in."""
    text = seen(chromium, site, f"/formgrader/manage_submissions/{NAME}")
    for row in (
        "Lovelace, Countess ada 2027-01-01 10:00:00 UTC graded 20 / 20",
        "=1+1, bob 2027-01-01 10:00:00 UTC graded 14 / 20",
        "李小明, cy 2027-01-01 10:00:00 UTC graded 0 / 20",
        "Dee, Dee dee None graded 14 / 20",
        "Torn, Eve eve None needs manual grading 0 / 20",
    ):
        assert row in text
    assert "Away" not in text
    assert "needs autograding" not in text


def test_list_of_manual_grading(chromium, site):
    """The list from which a person grades has one line for each submission."""
    text = seen(chromium, site, f"/formgrader/gradebook/{NAME}/reservation")
    assert text.count("Submission #") == len(STUDENTS)


def submissions(site):
    """The id of each student's notebook in the gradebook."""
    found = site.api(f"submitted_notebooks/{NAME}/reservation")
    return {one["student"]: one["id"] for one in found}


@pytest.mark.parametrize("student", STUDENTS)
def test_page_of_a_submission(site, student):
    """Every submission has its page: of notebooks, of .py files, and of what could not be read."""
    status, text = site.get(f"/formgrader/submissions/{submissions(site)[student]}/?index=0")
    assert status == 200
    assert 'id="reserved_slots-comment"' in text


def test_page_shows_answers_and_comments(chromium, site):
    """In the browser a page shows the student's answers, .py files included, and our comments on them."""
    for student in ("bob", "dee"):
        text = seen(chromium, site, f"/formgrader/submissions/{submissions(site)[student]}/?index=0")
        assert "return n_seq + max_len" in text
        assert "Student's answer" in text
    comments = site.api(f"comments?submission_id={submissions(site)['dee']}")
    texts = {one["name"]: one["auto_comment"] for one in comments}
    assert texts["used_slots"] is None
    assert "gives every sequence a whole region (0 of 1 point): " in texts["reserved_slots"]


def test_points_by_hand(site):
    """Points that a person gives in formgrader survive a regrade, and every place says the same score."""
    grades = site.api(f"grades?submission_id={submissions(site)['bob']}")
    (one,) = (grade for grade in grades if grade["name"] == "reserved-region")
    assert (one["auto_score"], one["max_score"]) == (0, 1)
    assert site.put(f"grade/{one['id']}", one | {"manual_score": 0.5})["manual_score"] == 0.5
    nbgrader_class.regrade(site.folder.parent)
    rows = table(site.folder.parent / "graded/scores.csv", "student")
    assert float(rows["bob"]["score"]) == 14.5
    assert "manual" in rows["bob"]["flags"].split()
    page = (site.folder.parent / "graded/students/bob/feedback.md").read_text("utf-8")
    assert "14.5 of 20 points" in page
    columns = ("--columns", "id=id,score=score,comment=comment", "--to", "points.csv", "--out", "graded")
    course = ("--course", str(nbgrader_class.ROOT / "course.toml"))
    nbgrader_class.command(site.folder.parent, "grader", "export", "csv", *columns, *course)
    sent = table(site.folder.parent / "points.csv", "id")["bob"]
    assert sent["score"] == "14.5"
    assert "14.5 of 20 points." in sent["comment"]
    assert {name: row["score"] for name, row in rows.items() if name != "bob"} == {
        name: score for name, score in SCORES.items() if name != "bob"
    }
    listed = {row["student"]: row["score"] for row in site.api(f"submissions/{NAME}")}
    assert listed["bob"] == 14.5
