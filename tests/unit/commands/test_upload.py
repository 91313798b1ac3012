"""``grader upload`` from end to end, the journal, and waiting for a busy platform."""

import sys

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from helpers import fake_canvas, fake_lti, fake_moodle, fake_server, small_class

from grader.base.errors import CourseError, GraderError, UsageError
from grader.cli import cli
from grader.course.load import load_course
from grader.gradebook.sync import record_out
from grader.lms.upload.http import Patience
from grader.results.out import open_out

QUICK = Patience(attempts=3, first=0.002, most=0.01, silence=0.5)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No test waits for real."""
    monkeypatch.setattr("grader.lms.upload.http.PATIENCE", QUICK)


def upload(term, *arguments):
    """Run the command in a folder."""
    course, out = str(term / "course.toml"), str(term / "graded")
    return CliRunner().invoke(cli, ["upload", *arguments, "--course", course, "--out", out])


@pytest.fixture
def canvas(tmp_path, monkeypatch):
    """Canvas with our class, and the usual results at hand."""
    monkeypatch.setenv("CANVAS_TOKEN", fake_canvas.TOKEN)
    with fake_canvas.FakeCanvas(*range(11, 17)) as server:
        server.term = tmp_path
        table = f'[exercise.lab.platform.canvas]\nurl = "{server.url}"\ncourse_id = 7\nassignment_id = 501\n'
        small_class.course_at(tmp_path, table, small_class.DUE)
        small_class.write_class(tmp_path / "graded")
        yield server


def test_shows_the_difference_and_writes_nothing(canvas):
    """Without --send each difference is a line with old and new, and Canvas stays as it is."""
    canvas.grade(12, 3)
    canvas.grade(13, 12)
    canvas.students[16]["excused"] = True
    done = upload(canvas.term, "canvas")
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        "00017: - -> 20 is new",
        "00018: 3 -> 16 is kept: a person gave, changed or removed this score there; --overwrite replaces it",
        "00019: 12 -> 12 is the score there already; only our comment is missing",
        "0429: - -> 14.5 is new",
        "7: - -> 0 is new",
        "8: - -> 8 is kept: the student is excused",
        "9: nothing was handed in",
        "studenttest: is the platform's test student",
        "4 feedback pages to attach",
        "4 to write, 0 there already; nothing was written, --send writes",
    ]
    assert canvas.count("POST", "") == 0
    assert not (canvas.term / "graded/uploads.jsonl").exists()


def test_sends_and_sends_again(canvas):
    """With --send the scores get there, equal to the hand-written ones; the second run has nothing to do."""
    done = upload(canvas.term, "canvas", "--send")
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines()[-2:] == [
        "6 feedback pages attached",
        "6 of 6 written and read back, 0 there already",
    ]
    assert {n: one["score"] for n, one in canvas.students.items()} == {
        11: 20,
        12: 16,
        13: 12,
        14: 14.5,
        15: 0,
        16: 8,
    }
    assert canvas.students[14]["comments"][0].startswith(
        "Lab 1: 14.5 of 20 points. 2.5 taken off for lateness.\n"
    )
    again = upload(canvas.term, "canvas", "--send", "--quiet")
    assert (again.exit_code, again.output) == (0, "")
    assert all(len(one["comments"]) == 1 for one in canvas.students.values())


def test_a_new_result_is_sent(canvas):
    """After a regrade the changed score replaces the one that we sent, with a comment of its own."""
    upload(canvas.term, "canvas", "--send")
    small_class.write_class(canvas.term / "graded", [small_class.result("8", ("add-two", "add-none"))])
    done = upload(canvas.term, "canvas", "--send")
    assert "8: 8 -> 12 replaces the points that we sent before" in done.stderr
    assert canvas.students[16]["score"] == 12
    assert len(canvas.students[16]["comments"]) == 2


def test_overwrite(canvas):
    """Only --overwrite replaces what somebody else gave."""
    canvas.grade(11, 1)
    assert upload(canvas.term, "canvas", "--send").exit_code == 1
    assert canvas.students[11]["score"] == 1
    done = upload(canvas.term, "canvas", "--send", "--overwrite")
    assert done.exit_code == 0, done.output
    assert canvas.students[11]["score"] == 20


def test_test_students_and_strangers_are_never_sent(canvas):
    """A student who is not on the roster is not sent, and the exit status is 1."""
    people = "".join(
        line for line in small_class.PEOPLE.splitlines(keepends=True) if not line.startswith("8,")
    )
    (canvas.term / "graded/roster.csv").write_text(people, encoding="utf-8")
    done = upload(canvas.term, "canvas", "--send")
    assert done.exit_code == 1
    assert "8: is not on the roster" in done.stderr
    assert canvas.students[16]["score"] is None


def test_a_score_that_canvas_does_not_show(canvas):
    """A score that Canvas accepted and does not show is named, and makes the exit status 1."""
    canvas.ignored = {13}
    done = upload(canvas.term, "canvas", "--send", "--quiet")
    assert done.exit_code == 1
    assert done.stderr == "00019: was accepted, and the platform shows another score or no comment\n"


def test_no_comments(canvas):
    """Setting comment = false sends scores alone."""
    text = (canvas.term / "course.toml").read_text() + "comment = false\n"
    (canvas.term / "course.toml").write_text(text)
    assert upload(canvas.term, "canvas", "--send").exit_code == 0
    assert canvas.count("POST", "text_comment") == 0
    assert canvas.files.stored == {}


def test_who_could_not_be_read_is_told_why(canvas):
    """A comment with the file's reason and what to hand in, the page with it, and no score; once."""
    small_class.write_class(canvas.term / "graded", [small_class.unreadable("8")])
    done = upload(canvas.term, "canvas", "--send", "--only", "8")
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [
        "8: - -> - gets a comment: why the hand-in could not be read, and what to hand in",
        "8: the hand-in could not be read",
        "1 feedback page attached",
        "1 of 1 written and read back, 0 there already",
    ]
    student = canvas.students[16]
    assert student["score"] is None
    assert student["comments"][0].splitlines()[:3] == [
        "Lab 1: your hand-in could not be read, so it has no points.",
        "lab.py could not be read: it is not UTF-8 text; save it as UTF-8.",
        "Hand in lab.py, or lab.ipynb.",
    ]
    assert canvas.files.stored[student["attached"][0][0]].body == b"<p>page of 8</p>\n"
    assert "0 of 0 written" in upload(canvas.term, "canvas", "--send", "--only", "8").stderr
    small_class.write_class(canvas.term / "graded", [small_class.result("8")])
    assert upload(canvas.term, "canvas", "--send", "--only", "8").exit_code == 0
    assert (student["score"], len(student["comments"])) == (20, 2)


def test_no_comments_and_a_hand_in_that_could_not_be_read(canvas):
    """With comment = false nothing is sent about it."""
    (canvas.term / "course.toml").write_text((canvas.term / "course.toml").read_text() + "comment = false\n")
    small_class.write_class(canvas.term / "graded", [small_class.unreadable("8")])
    assert upload(canvas.term, "canvas", "--send", "--only", "8").exit_code == 0
    assert canvas.count("POST", "") == 0


def test_no_attachments(canvas):
    """Setting attachment = false sends comments without the feedback page, score and comment in one job."""
    text = (canvas.term / "course.toml").read_text() + "attachment = false\n"
    (canvas.term / "course.toml").write_text(text)
    assert upload(canvas.term, "canvas", "--send").exit_code == 0
    assert {len(one["comments"]) for one in canvas.students.values()} == {1}
    assert canvas.files.stored == {}
    assert canvas.count("POST", "update_grades") == 1


def test_each_gets_their_own_page(canvas):
    """The very page in OUT is attached to its student's comment, under a name that tells nothing of them."""
    assert upload(canvas.term, "canvas", "--send").exit_code == 0
    pages = {number: canvas.files.stored[one["attached"][0][0]] for number, one in canvas.students.items()}
    students = ["00017", "00018", "00019", "0429", "7", "8"]
    assert {number: page.body.decode() for number, page in pages.items()} == {
        number: f"<p>page of {student}</p>\n" for number, student in enumerate(students, start=11)
    }
    assert {(page.name, page.sent_as) for page in pages.values()} == {("feedback.html", "feedback.html")}


def test_one_page_to_attach_is_said_in_the_singular(canvas):
    """For one page the message says page, not pages."""
    small_class.write_class(canvas.term / "graded")
    upload(canvas.term, "canvas", "--send")
    (canvas.term / "graded/students/8/feedback.html").write_text("<p>new</p>")
    assert upload(canvas.term, "canvas").stderr.splitlines() == [
        "8: 8 -> 8 is the score there already; only our comment is missing",
        "9: nothing was handed in",
        "studenttest: is the platform's test student",
        "1 feedback page to attach",
        "1 to write, 5 there already; nothing was written, --send writes",
    ]


def test_page_that_is_refused(canvas):
    """A page that Canvas refuses is one line with the request; the score stays, and the exit status is 1."""
    refusal = fake_server.Answer({"message": "file size exceeds quota"}, 400)
    canvas.faults = [fake_server.Fault("POST", "submissions/13/comments/files", refusal)]
    done = upload(canvas.term, "canvas", "--send", "--quiet")
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        "00019: comment and feedback page were not sent: Canvas: POST "
        "courses/7/assignments/501/submissions/13/comments/files: refused with status 400: "
    )
    assert (canvas.students[13]["score"], canvas.students[13]["comments"]) == (12, [])
    again = upload(canvas.term, "canvas", "--send")
    assert again.exit_code == 0, again.output
    assert "1 feedback page attached" in again.stderr
    assert len(canvas.students[13]["comments"]) == 1


def test_page_that_is_missing(canvas):
    """A feedback page that is not there is one sentence, before anything is sent."""
    (canvas.term / "graded/students/8/feedback.html").unlink()
    done = upload(canvas.term, "canvas", "--send")
    assert isinstance(done.exception, GraderError)
    assert "feedback.html cannot be read: No such file or directory; grade 8 again." in str(done.exception)
    assert canvas.count("POST", "") == 0


@pytest.mark.parametrize("by", ["kit", "platform"])
def test_charged_twice_is_said(canvas, by):
    """When Canvas takes something off by itself and so do we, the student is named."""
    upload(canvas.term, "canvas", "--send")
    canvas.students[14]["off"] = 1.0
    text = (canvas.term / "course.toml").read_text().replace('applied_by = "kit"', f'applied_by = "{by}"')
    (canvas.term / "course.toml").write_text(text)
    done = upload(canvas.term, "canvas")
    assert ("0429: the platform takes something off too" in done.stderr) == (by == "kit")


def test_maximum_unlike_ours(canvas):
    """An assignment of 100 points is refused before anything is sent, unless scores may be converted."""
    canvas.assignment["points_possible"] = 100.0
    done = upload(canvas.term, "canvas", "--send")
    assert isinstance(done.exception, UsageError)
    assert "100 on the platform (canvas http" in str(done.exception)
    assert canvas.count("POST", "") == 0
    text = (canvas.term / "course.toml").read_text() + "scale = true\n"
    (canvas.term / "course.toml").write_text(text)
    assert upload(canvas.term, "canvas", "--send").exit_code == 0
    assert (canvas.students[11]["score"], canvas.students[14]["score"]) == (100, 72.5)


def test_lateness_is_worked_out_anew(canvas):
    """A new extension lifts the penalty before anything is sent."""
    people = small_class.PEOPLE.replace("29,xiaoming,6,,", "29,xiaoming,6,2026-10-30,")
    (canvas.term / "graded/roster.csv").write_text(people, encoding="utf-8")
    done = upload(canvas.term, "canvas", "--send")
    assert done.stderr.startswith("0429: lateness costs 0 points now, not 2.5\n")
    assert canvas.students[14]["score"] == 17


def test_group_warning(canvas):
    """Warnings about the assignment come first."""
    canvas.assignment["group_category_id"] = 3
    done = upload(canvas.term, "canvas")
    assert done.stderr.startswith("Canvas gives every member of a group the score that was sent last\n")


def test_without_a_roster(canvas):
    """Without a roster nobody is sent: an id of the download may be somebody else's on the platform."""
    (canvas.term / "graded/roster.csv").unlink()
    done = upload(canvas.term, "canvas", "--send")
    assert isinstance(done.exception, UsageError)
    assert "has no roster, and nobody is sent on a guess" in str(done.exception)
    assert canvas.count("POST", "") == 0


def test_names_and_token_are_never_said(canvas):
    """What is printed has ids, no names and no token."""
    done = upload(canvas.term, "canvas", "--send")
    assert "Kim" not in done.output
    assert fake_canvas.TOKEN not in done.output


def test_one_upload_at_a_time(canvas, monkeypatch):
    """While another run holds OUT, an upload says so and sends nothing."""
    from filelock import FileLock  # noqa: PLC0415 - only here

    monkeypatch.setattr("grader.results.folder._LOCK_SECONDS", 0.05)
    with FileLock(canvas.term / "graded/.lock"):
        done = upload(canvas.term, "canvas", "--send")
    assert isinstance(done.exception, GraderError)
    assert "Another run is writing" in str(done.exception)
    assert canvas.count("POST", "") == 0


def test_moodle_from_end_to_end(tmp_path, monkeypatch):
    """The whole class on Moodle, by user name and address."""
    monkeypatch.setenv("TEACHER", fake_moodle.TOKEN)
    users = {
        201: {"idnumber": "00017"},
        202: {"email": "alex1@example.edu"},
        203: {"email": "alex2@example.edu"},
        204: {"username": "0429"},
        205: {"username": "7"},
        206: {"username": "8"},
    }
    with fake_moodle.FakeMoodle(users) as server:
        table = (
            f'[exercise.lab.platform.moodle]\nurl = "{server.url}"\ncourse_id = 3\nassignment_id = 44\n'
            'token_env = "TEACHER"\n'
        )
        small_class.course_at(tmp_path, table, small_class.DUE)
        small_class.write_class(tmp_path / "graded")
        done = upload(tmp_path, "moodle", "--send")
        assert done.exit_code == 0, done.output
        stored = {user: one["grade"] for user, one in server.grades.items()}
    assert stored == {201: 20, 202: 16, 203: 12, 204: 14.5, 205: 0, 206: 8}


def test_lti_from_end_to_end(tmp_path, monkeypatch):
    """The whole class over LTI, by the platform's own ids."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    monkeypatch.setenv("LTI_PRIVATE_KEY", pem.decode())
    with fake_lti.FakeLti(public.decode(), *"345678") as server:
        table = (
            f'[exercise.lab.platform.lti]\ntoken_url = "{server.url}/mod/lti/token.php"\n'
            f'line_item = "{server.line_item}"\nclient_id = "{fake_lti.CLIENT}"\n'
        )
        small_class.course_at(tmp_path, table, small_class.DUE)
        small_class.write_class(tmp_path / "graded")
        done = upload(tmp_path, "lti", "--send")
        assert done.exit_code == 0, done.output
        stored = {user: one["score"] for user, one in server.results.items()}
    assert stored == {"3": 20, "4": 16, "5": 12, "6": 14.5, "7": 0, "8": 8}


# --- what must be there before anything is asked ---


def test_settings_that_are_missing(tmp_path):
    """A key that is missing in course.toml is named."""
    small_class.course_at(tmp_path, '[exercise.lab.platform.canvas]\nurl = "https://canvas.example.edu"\n')
    done = upload(tmp_path, "canvas")
    assert isinstance(done.exception, CourseError)
    assert str(done.exception).startswith("course.toml: exercise.lab.platform.canvas.course_id: is missing")


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "is not set"), ("  ", "is not set"), ("tökén", "holds characters that no token has")],
)
def test_token_that_is_missing(canvas, monkeypatch, value, words):
    """Without a token in the environment no request is sent."""
    monkeypatch.delenv("CANVAS_TOKEN")
    if value is not None:
        monkeypatch.setenv("CANVAS_TOKEN", value)
    done = upload(canvas.term, "canvas")
    assert isinstance(done.exception, UsageError)
    assert f"CANVAS_TOKEN {words}" in str(done.exception)
    assert canvas.requests == []


def test_extra_that_is_not_installed(canvas, monkeypatch):
    """Without the extra one sentence says how to install it."""
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.delitem(sys.modules, "grader.lms.upload.http")
    done = upload(canvas.term, "canvas")
    assert isinstance(done.exception, UsageError)
    assert "python -m pip install 'exercise-grader-kit[upload]'" in str(done.exception)


def test_unknown_platform(tmp_path):
    """Only three platforms can be uploaded to."""
    assert upload(tmp_path, "brightspace").exit_code == 2


@pytest.mark.slow
@pytest.mark.parametrize("words", [("export", "brightspace"), ("upload", "canvas")])
def test_a_shared_gradebook_that_was_dropped(canvas, words):
    """It is made anew and filled before anything leaves, and a line says so once."""
    pytest.importorskip("nbgrader", reason="nbgrader is the extra [nbgrader]")
    path, out = canvas.term / "course.toml", canvas.term / "graded"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("[course]", '[course]\ngradebook = "sqlite:///shared.db"', 1), encoding="utf-8"
    )
    course = load_course(path)
    with open_out(out, course, course.exercise(None), None) as results:
        assert record_out(results).anew == ""
    shared = course.root / "shared.db"
    shared.unlink()
    call = [*words, "--course", str(path), "--out", str(out)]
    said = f"The gradebook {shared} had nothing of lab, which was recorded before: all results were entered"
    assert said in CliRunner().invoke(cli, call).stderr
    assert "had nothing of" not in CliRunner().invoke(cli, call).stderr
