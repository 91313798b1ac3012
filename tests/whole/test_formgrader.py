"""Formgrader, served for real and looked at in a browser, shows our students, scores and submissions."""

import html
import json
import re
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest
from helpers import browser, fake_canvas, nbgrader_class
from helpers.jupyter_server import server_on
from helpers.nbgrader_class import NAME, ROOT, SCORES, table

pytestmark = pytest.mark.slow

COURSE = nbgrader_class.course_words()
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


COMMENT = "Nearly: look at <one> more example."


def test_points_and_a_comment_by_hand(chromium, site, monkeypatch):
    """What a person types into formgrader is the same everywhere, also after the gradebook was lost."""
    home = site.folder.parent
    address = f"{site.address}/formgrader/submissions/{submissions(site)['bob']}/?index=0"
    with browser.opened(chromium, home / "typing") as page:
        page.open(address)
        page.wait_for("document.querySelector('#reserved-region')?.placeholder === '0'")
        page.type("#reserved-region", "0.5")
        page.type("#reserved_slots-comment", COMMENT)
        wait_until(lambda: by_hand(home / "graded/gradebook.db") == ([0.5], [COMMENT]))
    nbgrader_class.regrade(home)
    (home / "graded/gradebook.db").unlink()
    nbgrader_class.regrade(home)
    assert by_hand(home / "graded/gradebook.db") == ([0.5], [COMMENT])

    score = f"{int(SCORES['bob']) + 0.5}"
    rows = table(home / "graded/scores.csv", "student")
    assert (rows["bob"]["score"], rows["bob"]["flags"].split()) == (score, ["manual"])
    assert {name: row["score"] for name, row in rows.items()} == SCORES | {"bob": score}
    final = json.loads((home / "graded/students/bob/result.json").read_text("utf-8"))["final"]
    assert (final["points"], final["comments"][0]["text"]) == (float(score), COMMENT)
    seen_by_bob = html.unescape((home / "graded/students/bob/feedback.html").read_text("utf-8"))
    assert f"{score} of 20 points" in seen_by_bob
    assert COMMENT in seen_by_bob

    columns = ("--columns", "id=id,score=score,comment=comment", "--to", "points.csv")
    nbgrader_class.command(home, "grader", "export", "csv", *columns, "--out", "graded", *COURSE)
    sent = table(home / "points.csv", "id")["bob"]
    assert sent["score"] == score
    assert COMMENT in sent["comment"]
    nbgrader_class.command(
        home, "grader", "export", "nbgrader", "--to", "ours.csv", "--out", "graded", *COURSE
    )
    nbgrader_class.command(site.folder, "nbgrader", "export", "--to", "theirs.csv")
    ours, theirs = table(home / "ours.csv", "student_id"), table(site.folder / "theirs.csv", "student_id")
    assert {student: row["score"] for student, row in ours.items()} == {
        student: row["score"] for student, row in theirs.items() if row["score"]
    }

    monkeypatch.setenv("CANVAS_TOKEN", fake_canvas.TOKEN)
    with fake_canvas.FakeCanvas(*range(11, 17)) as canvas:
        text = (
            (ROOT / "course.toml").read_text("utf-8").replace("[course]", f'[course]\nfolder = "{ROOT}"', 1)
        )
        place = f'url = "{canvas.url}"\ncourse_id = 7\nassignment_id = 501\n'
        (home / "canvas.toml").write_text(f"{text}\n[exercise.{NAME}.platform.canvas]\n{place}", "utf-8")
        upload = ("grader", "upload", "canvas", "--send", "--out", "graded", "--course", "canvas.toml")
        nbgrader_class.command(home, *upload, ok=(0, 1))
        assert canvas.students[12]["score"] == float(score)
        assert COMMENT in str(canvas.students[12]["comments"])


def wait_until(is_true):
    """Wait until the server has saved something."""
    until = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < until
        time.sleep(0.1)


def by_hand(database):
    """The points and comments by hand in the gradebook."""
    points = "SELECT manual_score FROM grade WHERE manual_score IS NOT NULL"
    comments = "SELECT manual_comment FROM comment WHERE manual_comment IS NOT NULL"
    with closing(sqlite3.connect(database)) as connection:
        return tuple([value for (value,) in connection.execute(text)] for text in (points, comments))
