"""A term's weekly command, fetch, grade and upload, against the platforms' servers on loopback."""

import re

import pytest
from click.testing import CliRunner
from helpers import fake_canvas, fake_moodle, sums_course
from helpers.paths import ROOT
from helpers.uploads import QUICK

from grader.cli import cli

pytestmark = pytest.mark.slow

PLATFORM = """
[exercise.sums.late]
applied_by = "kit"
percent_per_day = 10.0

[exercise.sums.platform.{name}]
url = "{url}"
course_id = {course}
assignment_id = {assignment}
maximum = 10
"""
RIGHT = {name: data if isinstance(data, bytes) else data.encode() for name, data in sums_course.RIGHT.items()}


@pytest.fixture
def grader(tmp_path, monkeypatch):
    """Run a command in the course's folder."""
    monkeypatch.setattr("grader.lms.upload.http.PATIENCE", QUICK)
    monkeypatch.chdir(tmp_path)

    def run(*arguments, status=0):
        done = CliRunner().invoke(cli, [*arguments, "--exercise", "sums"])
        assert done.exit_code == status, (done.output, done.exception)
        return done.stderr.splitlines()

    return run


def course_at(folder, name, url, course, assignment):
    """The course with a due date, a late policy and the platform."""
    text = sums_course.COURSE.replace("points = 10\n", "points = 10\ndue = 2026-11-20T12:00:00Z\n", 1)
    text += PLATFORM.format(name=name, url=url, course=course, assignment=assignment)
    sums_course.course_at(folder, course=text)


def test_the_readmes_term(tmp_path, grader, monkeypatch):
    """README's term.toml and its steps, with another address and exercise: scores and pages reach Canvas."""
    monkeypatch.setenv("CANVAS_TOKEN", fake_canvas.TOKEN)
    (block,) = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    sums_course.course_at(tmp_path)
    with fake_canvas.FakeCanvas(11, 12) as canvas:
        canvas.assignment["points_possible"] = 10.0
        term = re.sub("^   ", "", block, flags=re.MULTILINE).replace("contiguous_reservation", "sums")
        (tmp_path / "term.toml").write_text(term.replace('https://canvas.example.edu"', f'{canvas.url}"'))
        canvas.people = {n: {"name": f"P {n}", "sis_user_id": f"000{n}", "email": ""} for n in (11, 12)}
        canvas.handed_in = {
            11: [{"at": "2027-03-01T20:00:00Z", "files": RIGHT}],
            12: [{"at": "2027-03-01T20:00:00Z", "files": {"lab.pdf": b"%PDF-1.7"}}],
        }
        grader("fetch", "canvas")
        grader("grade", "in/", "--no-gradebook", "--jobs", "1")
        said = {
            "shown": grader("upload", "canvas"),
            "sent": grader("upload", "canvas", "--send"),
            "again": grader("upload", "canvas", "--send"),
        }
        assert {n: one["score"] for n, one in canvas.students.items()} == {11: 10, 12: None}
        assert [len(one["comments"]) for one in canvas.students.values()] == [1, 1]
        assert len(canvas.files.stored) == 2
    assert said["shown"][-1] == "2 to write, 0 there already; nothing was written, --send writes"
    assert said["sent"][-1] == "2 of 2 written and read back, 0 there already"
    assert said["again"][-1] == "0 of 0 written and read back, 2 there already"


def test_canvas_week_by_week(tmp_path, grader, monkeypatch):
    """Late work is charged by Canvas's own times and due dates; the second week sends only what changed."""
    monkeypatch.setenv("CANVAS_TOKEN", fake_canvas.TOKEN)
    with fake_canvas.FakeCanvas(11, 12, 13) as canvas:
        canvas.assignment["points_possible"] = 10.0
        course_at(tmp_path, "canvas", canvas.url, 7, 501)
        canvas.people = {n: {"name": f"P {n}", "sis_user_id": f"000{n}", "email": ""} for n in (11, 12, 13)}
        canvas.handed_in = {
            11: [{"at": "2026-11-21T10:00:00Z", "files": RIGHT}],
            12: [{"at": "2026-11-21T10:00:00Z", "files": RIGHT}],
        }
        canvas.due = {12: "2026-11-22T12:00:00Z"}
        grader("fetch", "canvas")
        grader("grade", "in/", "--no-gradebook", "--jobs", "1")
        grader("upload", "canvas", "--send")
        assert {n: one["score"] for n, one in canvas.students.items()} == {11: 9, 12: 10, 13: None}
        canvas.handed_in[13] = [{"at": "2026-11-20T10:00:00Z", "files": RIGHT}]
        canvas.grade(12, 3)
        grader("fetch", "canvas")
        grader("grade", "in/", "--no-gradebook", "--jobs", "1")
        lines = grader("upload", "canvas", "--send", status=1)
        assert lines[-1] == "1 of 1 written and read back, 1 there already"
        assert {n: one["score"] for n, one in canvas.students.items()} == {11: 9, 12: 3, 13: 10}
        assert [len(one["comments"]) for one in canvas.students.values()] == [1, 1, 1]


def test_moodle_with_a_team(tmp_path, grader, monkeypatch):
    """A team's members get their scores; one that stands in the gradebook by hand is kept."""
    monkeypatch.setenv("MOODLE_TOKEN", fake_moodle.TOKEN)
    users = {
        n: {"idnumber": f"000{n}", "fullname": f"P {n}", "email": f"p{n}@e.edu"} for n in (101, 102, 103)
    }
    with fake_moodle.FakeMoodle(users) as moodle:
        moodle.maximum, moodle.more = 10, {"teamsubmission": 1}
        course_at(tmp_path, "moodle", moodle.url, 3, 44)
        moodle.own, moodle.groups = {}, dict.fromkeys(users, 7)
        moodle.teams = {7: (0, 1795176000)}  # 2026-11-20 12:00 UTC, in time to the second
        moodle.files = {-7: RIGHT}
        moodle.extensions = {}
        moodle.grade(103, 2)
        grader("fetch", "moodle")
        grader("grade", "in/", "--no-gradebook", "--jobs", "1")
        lines = grader("upload", "moodle", "--send", status=1)
        assert {user: one["grade"] for user, one in moodle.grades.items()} == {101: 10, 102: 10, 103: 2}
        assert any(line.startswith("000103: 2 -> 10 is kept") for line in lines)
