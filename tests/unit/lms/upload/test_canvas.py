"""Uploads to Canvas, against a server on loopback that behaves and misbehaves as Canvas does."""

from decimal import Decimal

import pytest
from helpers import fake_canvas, fake_server, small_class
from helpers.fake_server import Fault
from helpers.uploads import QUICK, CrashError, entries, send

from grader.course.platforms import Canvas
from grader.lms.payload import Payload
from grader.lms.upload import plan as upload
from grader.lms.upload.canvas import CanvasTarget
from grader.lms.upload.target import Entry, PlatformError, PlatformScore
from grader.roster.roster import Person

JOB = "update_grades"


@pytest.fixture
def canvas():
    """Canvas with five students."""
    with fake_canvas.FakeCanvas(11, 12, 13, 14, 15) as server:
        yield server


@pytest.fixture
def platform(canvas):
    """A connection to it."""
    with fake_canvas.connected(canvas, QUICK) as platform:
        yield platform


def scores(canvas):
    """Every score that Canvas holds."""
    return {number: one["score"] for number, one in canvas.students.items() if one["score"] is not None}


def comments(canvas):
    """How many comments each student has, for those who have any."""
    return {number: len(one["comments"]) for number, one in canvas.students.items() if one["comments"]}


def test_scores_and_comments_arrive_once(canvas, platform, tmp_path):
    """One job writes everyone, with one comment each; the second run finds nothing to do."""
    wanted = entries(s11=20, s12=14.5, s13=0)
    outcome = send(platform, tmp_path, wanted)
    assert [change.verdict for change in outcome.found] == ["new"] * 3
    assert (outcome.confirmed, dict(outcome.failed)) == (("s11", "s12", "s13"), {})
    assert scores(canvas) == {11: 20.0, 12: 14.5, 13: 0.0}
    assert comments(canvas) == {11: 1, 12: 1, 13: 1}
    assert canvas.students[11]["comments"][0].startswith("Well done, s11 <3.\n[ref ")
    assert canvas.count("POST", JOB) == 1
    again = send(platform, tmp_path, wanted)
    assert [change.verdict for change in again.found] == ["same"] * 3
    assert canvas.count("POST", JOB) == 1
    assert comments(canvas) == {11: 1, 12: 1, 13: 1}


def test_reading_alone_writes_nothing(canvas, platform):
    """A comparison reads every page and changes nothing; the assignment's maximum is known."""
    canvas.grade(15, 3)
    standings = platform.read(["11", "15", "99"])
    assert standings == {
        "11": PlatformScore(None, "", comments=()),
        "15": PlatformScore(Decimal("3.0"), "2026-11-01T10:00:01Z", comments=()),
    }
    assert platform.about().maximum == 20
    assert platform.about().warnings == ()
    assert {request.method for request in canvas.requests} == {"GET"}


def test_a_changed_score_replaces_ours_only(canvas, platform, tmp_path):
    """A new result replaces what we sent; a score that somebody changed since is kept, unless overwriting."""
    send(platform, tmp_path, entries(s11=8, s12=7, s13=5))
    canvas.grade(11, 9.5)
    canvas.grade(12, 7)
    new = entries(s11=8, s12=8, s13=6)
    outcome = send(platform, tmp_path, new)
    assert [(c.entry.student, c.verdict) for c in outcome.found] == [
        ("s11", "conflict"),
        ("s12", "conflict"),
        ("s13", "change"),
    ]
    assert scores(canvas) == {11: 9.5, 12: 7, 13: 6}
    send(platform, tmp_path, new, overwrite=True)
    assert scores(canvas) == {11: 8, 12: 8, 13: 6}


def test_a_score_given_before_is_kept(canvas, platform, tmp_path):
    """A score on Canvas that is not in the journal is somebody else's; an equal one is left alone."""
    canvas.grade(11, 4)
    canvas.grade(12, 6)
    outcome = send(
        platform, tmp_path, [Entry("s11", "11", Decimal(9), ""), Entry("s12", "12", Decimal(6), "")]
    )
    assert [change.verdict for change in outcome.found] == ["conflict", "same"]
    later = send(platform, tmp_path, [Entry("s12", "12", Decimal(7), "")])
    assert [change.verdict for change in later.found] == ["conflict"]
    assert scores(canvas) == {11: 4, 12: 6}


def test_a_score_that_was_removed_stays_removed(canvas, platform, tmp_path):
    """A score of ours that somebody removed is not sent again."""
    send(platform, tmp_path, entries(s11=8))
    canvas.grade(11, None)
    outcome = send(platform, tmp_path, entries(s11=8))
    assert [change.verdict for change in outcome.found] == ["conflict"]
    assert scores(canvas) == {}


def test_excused_is_never_replaced(canvas, platform, tmp_path):
    """An excused student gets no score, not even when overwriting."""
    canvas.students[12]["excused"] = True
    outcome = send(platform, tmp_path, entries(s12=0), overwrite=True)
    assert [change.verdict for change in outcome.found] == ["excused"]
    assert canvas.count("POST", JOB) == 0


def test_people_by_canvas_id(platform):
    """A student without a Canvas id is not sent: Canvas would look for the name."""
    people = [Person("1", canvas_id="11"), Person("2"), Person("3", canvas_id="12b")]
    found, kept = platform.key.sort([Payload(person, small_class.final(person.id)) for person in people])
    assert list(found) == ["11"]
    assert [(one.student, one.lost) for one in kept] == [("2", True), ("3", True)]


def test_someone_who_is_not_there(canvas, platform, tmp_path):
    """Canvas lists everyone who can have a score: a student who is not listed is not sent."""
    outcome = send(platform, tmp_path, entries(s11=1, s99=2))
    assert [change.verdict for change in outcome.found] == ["new", "absent"]
    assert scores(canvas) == {11: 1}


def test_a_comment_that_is_missing_is_added_alone(canvas, platform, tmp_path):
    """If the score is there without its comment, the comment is sent alone."""
    canvas.grade(11, 20)
    outcome = send(platform, tmp_path, entries(s11=20))
    assert [change.verdict for change in outcome.found] == ["comment"]
    assert outcome.confirmed == ("s11",)
    assert comments(canvas) == {11: 1}
    body = next(r.body.decode() for r in canvas.requests if r.method == "POST")
    assert "posted_grade" not in body


@pytest.mark.parametrize("polls", [0, 1, 3])
def test_job_is_waited_for(canvas, platform, tmp_path, polls):
    """A job that ends at once, soon or later: scores are read back after its end."""
    canvas.polls = polls
    assert send(platform, tmp_path, entries(s11=20)).confirmed == ("s11",)
    assert canvas.count("GET", "/progress/") == polls


def test_job_that_fails_in_part(canvas, platform, tmp_path):
    """A job that refuses one student writes the others; the refused one is named."""
    canvas.refused = {12}
    outcome = send(platform, tmp_path, entries(s11=20, s12=10))
    assert outcome.confirmed == ("s11",)
    assert "submissions/12: refused with status 404" in outcome.failed["s12"]
    assert canvas.count("POST", JOB) == 2


def test_job_that_breaks_off_at_one_student(canvas, platform, tmp_path):
    """Those behind a student whom Canvas does not grade get score and comment once; its words are told."""
    canvas.ungraded = {12: "Cannot grade in a closed grading period"}
    outcome = send(platform, tmp_path, entries(s11=20, s12=10, s13=7, s14=3))
    assert outcome.confirmed == ("s11", "s13", "s14")
    assert scores(canvas) == {11: 20, 13: 7, 14: 3}
    assert comments(canvas) == {11: 1, 13: 1, 14: 1}
    assert outcome.failed.keys() == {"s12"}
    assert "Cannot grade in a closed grading period" in outcome.failed["s12"]
    again = send(platform, tmp_path, entries(s11=20, s12=10, s13=7, s14=3))
    assert [change.verdict for change in again.found] == ["same", "new", "same", "same"]


def test_students_of_a_closed_grading_period(canvas, platform, tmp_path):
    """A comparison alone names those whom Canvas would not grade, and they are not sent."""
    canvas.assignment["in_closed_grading_period"] = True
    canvas.closed = {12}
    found = send(platform, tmp_path, entries(s11=20, s12=10), overwrite=True).found
    assert [change.verdict for change in found] == ["new", "held"]
    assert found[1].there.held == (
        "is kept: the grading period Autumn is closed; an administrator can reopen it"
    )
    assert scores(canvas) == {11: 20}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("published", False, "is not published, and Canvas grades none of it"),
        ("anonymize_students", True, "graded anonymously.* upload after its grades are posted"),
    ],
)
def test_an_assignment_that_takes_no_scores_now(canvas, platform, key, value, said):
    """Unpublished or anonymous: an error before anything is compared."""
    canvas.assignment[key] = value
    with pytest.raises(PlatformError, match=said):
        platform.about()


def test_scores_that_are_held_back(canvas, platform):
    """Moderation and manual posting are said before anything is sent."""
    canvas.assignment |= {"moderated_grading": True, "post_manually": True, "published": True}
    assert platform.about().warnings == (
        "the assignment is moderated: Canvas refuses scores until its grades are released",
        "students see neither score nor comment before you post the grades in Canvas",
    )


def test_what_was_not_written_is_reported(canvas, platform, tmp_path):
    """Reading back finds that a job says completed although it wrote nothing."""
    canvas.ignored = {11}
    outcome = send(platform, tmp_path, entries(s11=20))
    assert outcome.confirmed == ()
    assert "another score" in outcome.failed["s11"]


def test_job_that_never_ends(canvas, platform, tmp_path, monkeypatch):
    """A job that does not end is given up and not sent again, which might write a comment twice."""
    monkeypatch.setattr("grader.lms.upload.canvas._JOB_SECONDS", 0.01)
    canvas.polls = 10_000
    with pytest.raises(
        PlatformError, match=r"GET progress/1: the job has not ended .*goes on where it stopped"
    ):
        send(platform, tmp_path, entries(s11=20))
    assert canvas.count("POST", JOB) == 1


@pytest.mark.parametrize(
    "answer", [fake_server.BUSY, fake_server.BUSY_SECONDS, fake_server.THROTTLED], ids=["429", "after", "403"]
)
def test_throttled(canvas, platform, tmp_path, answer):
    """A busy Canvas, new or old, is asked again; nothing is written twice."""
    canvas.faults = [
        Fault("GET", "submissions", answer, times=2),
        Fault("POST", JOB, answer, times=3),
        Fault("GET", "progress", answer),
    ]
    assert send(platform, tmp_path, entries(s11=20)).confirmed == ("s11",)
    assert comments(canvas) == {11: 1}


def test_throttled_for_good(canvas, platform, tmp_path):
    """After the last try one sentence names the request; nothing was written, and it can be run again."""
    canvas.faults = [Fault("POST", JOB, fake_server.BUSY, times=99)]
    with pytest.raises(
        PlatformError, match=r"POST courses/7/assignments/501/submissions/update_grades: .*too busy"
    ):
        send(platform, tmp_path, entries(s11=20))
    assert canvas.count("POST", JOB) == QUICK.attempts
    canvas.faults = []
    assert send(platform, tmp_path, entries(s11=20)).confirmed == ("s11",)


@pytest.mark.slow
@pytest.mark.parametrize("acted", [True, False])
@pytest.mark.parametrize("kind", ["cut", "late", "502"])
def test_no_answer_to_a_job(canvas, platform, tmp_path, acted, kind):
    """After a cut connection, a late answer or a broken gateway, score and comment are there exactly once."""
    canvas.polls = 0
    fault = Fault(
        "POST",
        JOB,
        fake_server.DOWN if kind == "502" else None,
        cut=kind == "cut",
        seconds=1.5 if kind == "late" else 0,
        act=acted,
    )
    canvas.faults = [fault]
    outcome = send(platform, tmp_path, entries(s11=20, s12=3))
    assert outcome.confirmed == ("s11", "s12")
    assert scores(canvas) == {11: 20, 12: 3}
    assert comments(canvas) == {11: 1, 12: 1}
    assert canvas.count("POST", JOB) == (1 if acted else 2)


def test_no_answer_ever(canvas, platform, tmp_path):
    """When no job is ever answered the students are named, and the next run goes on."""
    canvas.faults = [Fault("POST", JOB, cut=True, times=99)]
    outcome = send(platform, tmp_path, entries(s11=20))
    assert dict(outcome.failed) == {"s11": "no answer came; run it again, it goes on where it stopped"}
    assert canvas.count("POST", JOB) == upload.ROUNDS
    canvas.faults = []
    assert send(platform, tmp_path, entries(s11=20)).confirmed == ("s11",)
    assert comments(canvas) == {11: 1}


def test_no_answer_to_reading(canvas, platform, tmp_path):
    """Reading is repeated after any fault, and given up with the request's name."""
    canvas.faults = [
        Fault("GET", "submissions", cut=True, times=2),
        Fault("GET", "submissions", fake_server.DOWN),
    ]
    assert send(platform, tmp_path, entries(s11=20)).confirmed == ("s11",)
    canvas.faults = [Fault("GET", "submissions", cut=True, times=99)]
    with pytest.raises(
        PlatformError,
        match=r"GET courses/7/assignments/501/submissions: no answer from 127.0.0.1:\d+ \(.*\) after 4 tries",
    ):
        send(platform, tmp_path, entries(s11=20))


@pytest.mark.parametrize("heard", [True, False])
def test_crash_in_the_middle(canvas, platform, tmp_path, monkeypatch, heard):
    """The process dies while a job is under way: the next run writes what is missing and nothing twice."""
    canvas.polls = 0
    original = type(platform).write

    def dying_write(self, changes):
        if heard:
            original(self, changes)
        raise CrashError

    monkeypatch.setattr(type(platform), "write", dying_write)
    with pytest.raises(CrashError):
        send(platform, tmp_path, entries(s11=20, s12=5))
    monkeypatch.setattr(type(platform), "write", original)
    outcome = send(platform, tmp_path, entries(s11=20, s12=5))
    assert [change.verdict for change in outcome.found] == ["same" if heard else "new"] * 2
    assert scores(canvas) == {11: 20, 12: 5}
    assert comments(canvas) == {11: 1, 12: 1}
    changed = send(platform, tmp_path, entries(s11=19, s12=5))
    assert [change.verdict for change in changed.found] == ["change", "same"]


def test_many_scores_in_chunks(canvas, platform, tmp_path, monkeypatch):
    """A job takes a bounded number of students; a fault in one chunk does not touch the others."""
    monkeypatch.setattr(CanvasTarget, "chunk", 2)
    canvas.faults = [Fault("POST", "grade_data%5B13%5D", cut=True)]
    outcome = send(platform, tmp_path, entries(s11=1, s12=2, s13=3, s14=4, s15=5))
    assert outcome.confirmed == ("s11", "s12", "s13", "s14", "s15")
    assert comments(canvas) == dict.fromkeys(range(11, 16), 1)
    assert canvas.count("POST", JOB) == 4


def test_expired_token(canvas):
    """A token that Canvas does not take: one sentence with the variable's name, never the token."""
    settings = Canvas(url=canvas.url, course_id=7, assignment_id=501, token_env="MY_CANVAS")  # noqa: S106
    platform = CanvasTarget(settings, "expired-secret", QUICK)
    with pytest.raises(
        PlatformError, match=r"GET courses/7/assignments/501: .*token in \$MY_CANVAS \(401\)"
    ) as caught:
        platform.about()
    assert "expired-secret" not in str(caught.value)
    platform.close()


def test_wrong_course(canvas):
    """A wrong course id: the request is named, and the keys to look at."""
    platform = CanvasTarget(Canvas(url=canvas.url, course_id=8, assignment_id=501), fake_canvas.TOKEN, QUICK)
    with pytest.raises(
        PlatformError,
        match=r"GET courses/8/assignments/501: refused with status 404: .*; compare url, course_id",
    ):
        platform.about()
    platform.close()


def test_nobody_listens():
    """An address where nothing answers is given up after the tries."""
    settings = Canvas(url="http://127.0.0.1:1", course_id=7, assignment_id=501)
    platform = CanvasTarget(settings, "x", QUICK)
    with pytest.raises(PlatformError, match=r"no answer from 127.0.0.1:1 \(ConnectError\) after 4 tries"):
        platform.about()
    platform.close()


def test_assignment_that_takes_no_points(canvas, platform):
    """A complete/incomplete assignment would turn points into something else."""
    canvas.assignment["grading_type"] = "pass_fail"
    with pytest.raises(PlatformError, match="graded as 'pass_fail' and takes no points"):
        platform.about()


def test_group_assignment(canvas, platform):
    """A warning says that a group shares one score."""
    canvas.assignment["group_category_id"] = 3
    assert platform.about().warnings == ("Canvas gives every member of a group the score that was sent last",)


def test_group_assignment_with_scores_of_their_own(canvas, platform):
    """A group assignment with members graded one by one needs no warning."""
    canvas.assignment |= {"group_category_id": 3, "grade_group_students_individually": True}
    assert platform.about().warnings == ()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (fake_server.Answer(None), "answered null instead of an object"),
        (fake_server.Answer([]), "answered a list instead of an object"),
        (fake_server.Answer("x"), "answered a text instead of an object"),
        (fake_server.Answer({}), "the answer has no points_possible"),
        (fake_server.Answer({"id": 501}), "the answer has no points_possible"),
        (fake_server.Answer({"points_possible": "x"}), "points_possible is a text instead of a number"),
        (
            fake_server.Answer({"points_possible": float("nan")}),
            "points_possible is of a size that points do",
        ),
        (fake_server.PAGE, "answered text/html instead of JSON; compare url, course_id and assignment_id"),
        (
            fake_server.Answer(b"<p>no</p>", 401, {"Content-Type": "text/html"}),
            r".*token in \$CANVAS_TOKEN \(401\)",
        ),
        (
            fake_server.Answer(b"not authorized", 403),
            r"refused with status 403: not authorized; may the token",
        ),
        (fake_server.Answer({"errors": "bad"}, 400), "refused with status 400: .*bad"),
    ],
)
def test_no_assignment_there(canvas, platform, answer, message):
    """A page, a refusal or another JSON than Canvas documents is one sentence, and is not asked for again."""
    canvas.faults = [Fault("GET", "501", answer)]
    with pytest.raises(PlatformError, match=f"Canvas: GET courses/7/assignments/501: {message}"):
        platform.about()
    assert canvas.count("GET", "501") == 1


FINE = {"user_id": 11, "score": 5, "submission_comments": []}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, ": answered null instead of a list"),
        ({}, ": answered an object instead of a list"),
        ([None], ": the list holds null instead of an object"),
        ([{"id": 1}], ": an entry has no user_id, which says who it is about"),
        ([{"user_id": 11, "submission_comments": []}], ": the answer has no score; may the token see it"),
        ([{**FINE, "score": "x"}], ": score is a text instead of a number"),
        ([{**FINE, "entered_score": [5]}], ": entered_score is a list instead of a number"),
        ([{**FINE, "points_deducted": "1"}], ": points_deducted is a text instead of a number"),
        (
            [{**FINE, "submission_comments": None}],
            r" \(submission_comments\): answered null instead of a list",
        ),
        ([{**FINE, "submission_comments": [None]}], r" \(submission_comments\): the list holds null"),
    ],
)
def test_scores_of_another_shape(canvas, platform, tmp_path, answer, message):
    """A list that cannot be understood is not one without scores: an error, and nothing is sent."""
    canvas.grade(11, 5)
    canvas.faults = [Fault("GET", "submissions", fake_server.Answer(answer), times=99)]
    with pytest.raises(PlatformError, match=f"Canvas: GET courses/7/assignments/501/submissions{message}"):
        send(platform, tmp_path, entries(s11=20))
    assert scores(canvas) == {11: 5}


@pytest.mark.parametrize("answer", [None, [], {}, {"id": None}, {"id": "../x"}])
def test_job_of_another_shape(canvas, platform, tmp_path, answer):
    """An answer that names no job cannot be waited for; the next run reads what came of it."""
    canvas.polls = 0
    canvas.faults = [Fault("POST", JOB, fake_server.Answer(answer), act=True)]
    with pytest.raises(PlatformError, match=r"Canvas: POST courses/7/assignments/501/submissions"):
        send(platform, tmp_path, entries(s11=20))
    canvas.faults = []
    assert [change.verdict for change in send(platform, tmp_path, entries(s11=20)).found] == ["same"]


def test_job_that_turns_into_something_else(canvas, platform, tmp_path):
    """A job's progress that is not an object is an error that names the request."""
    canvas.faults = [Fault("GET", "progress", fake_server.Answer(None))]
    with pytest.raises(PlatformError, match="Canvas: GET progress/1: answered null instead of an object"):
        send(platform, tmp_path, entries(s11=20))


def test_json_that_python_does_not_read(canvas, platform):
    """JSON too deep or with a number too long for Python is an error like any page."""
    for body in (b"[" * 100_000, b"1" * 10_000):
        canvas.faults = [Fault("GET", "501", fake_server.Answer(body))]
        with pytest.raises(PlatformError, match="instead of JSON"):
            platform.about()


@pytest.mark.parametrize(
    "there", ["http://127.0.0.2:9/api", "http://[", "//127.0.0.2/api", "ftp://127.0.0.1/api"]
)
def test_scores_that_go_on_elsewhere(canvas, platform, there):
    """A list that goes on at another server is refused: the token would go there."""
    answer = fake_server.Answer([], headers={"Link": f'<{there}>; rel="next"'})
    canvas.faults = [Fault("GET", "submissions", answer)]
    with pytest.raises(PlatformError, match=r"goes on at another server than 127\.0\.0\.1:\d+"):
        platform.read(["11"])


def test_list_without_end(canvas, platform, monkeypatch):
    """A list without an end is an error: a student not listed yet may have a score."""
    monkeypatch.setattr("grader.lms.upload.http._PAGES", 3)
    link = f'<{canvas.url}/api/v1/courses/7/assignments/501/submissions>; rel="next"'
    canvas.faults = [Fault("GET", "submissions", fake_server.Answer([], headers={"Link": link}), times=99)]
    with pytest.raises(PlatformError, match="the list has more than 3 pages"):
        platform.read(["11"])


def test_assignment_without_a_maximum(canvas, platform):
    """An assignment may have no maximum; then it is not compared with ours."""
    canvas.assignment["points_possible"] = None
    assert platform.about().maximum is None


def test_what_canvas_takes_off_by_itself(canvas, platform, tmp_path):
    """Under Canvas's own late policy the score before its deduction counts, and the student is listed."""
    send(platform, tmp_path, entries(s11=18, s12=10))
    canvas.students[11]["off"] = 2.0
    outcome = send(platform, tmp_path, entries(s11=18, s12=10))
    assert [change.verdict for change in outcome.found] == ["same", "same"]
    assert [change.there.taken_off for change in outcome.left] == [2, 0]


def test_no_token_in_what_is_kept(platform, tmp_path):
    """The journal has ids, points and digests: no token, no comment; only its owner can read it."""
    send(platform, tmp_path, entries(s11=20))
    text = (tmp_path / "uploads.jsonl").read_text()
    assert fake_canvas.TOKEN not in text
    assert "Well done" not in text
    assert (tmp_path / "uploads.jsonl").stat().st_mode & 0o077 == 0
