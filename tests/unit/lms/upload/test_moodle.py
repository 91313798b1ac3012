"""Uploads to Moodle, against a server on loopback that answers ``null`` whether it wrote or not."""

from decimal import Decimal

import pytest
from helpers import fake_moodle, fake_server, small_class
from helpers.fake_server import Fault
from helpers.uploads import QUICK, entries, send

from grader.course.platforms import Moodle
from grader.lms.payload import Payload
from grader.lms.upload.moodle import MoodleTarget
from grader.lms.upload.target import Entry, PlatformError, PlatformScore
from grader.roster.roster import Person

SAVE = "mod_assign_save_grades"
USERS = {
    101: {"idnumber": "00017", "username": "ada", "email": "ada@example.edu"},
    102: {"idnumber": "", "username": "akim1", "email": "Alex1@example.edu"},
    103: {"idnumber": "", "username": "00019", "email": "alex2@example.edu"},
    104: {"idnumber": "", "username": "twin1", "email": "twin@example.edu"},
    105: {"idnumber": "", "username": "twin2", "email": "twin@example.edu"},
    106: {"username": "noaddress"},
}


@pytest.fixture
def moodle():
    """Moodle with six enrolled users."""
    with fake_moodle.FakeMoodle(dict(USERS)) as server:
        yield server


@pytest.fixture
def platform(moodle):
    """A connection to it."""
    settings = Moodle(url=moodle.url, course_id=3, assignment_id=44)
    platform = MoodleTarget(settings, fake_moodle.TOKEN, QUICK)
    yield platform
    platform.close()


def scores(moodle):
    """Every score that Moodle holds."""
    return {user: one["grade"] for user, one in moodle.grades.items()}


def test_scores_and_comments_arrive(moodle, platform, tmp_path):
    """One call writes everyone, comments as escaped HTML; the second run writes nothing."""
    outcome = send(platform, tmp_path, entries(u101=20, u102=14.5, u103=0))
    assert outcome.confirmed == ("u101", "u102", "u103")
    assert scores(moodle) == {101: 20.0, 102: 14.5, 103: 0.0}
    assert moodle.comments[102] == "<p>Well done, u102 &lt;3.</p>"
    assert moodle.count("POST", SAVE) == 1
    again = send(platform, tmp_path, entries(u101=20, u102=14.5, u103=0))
    assert [change.verdict for change in again.found] == ["same"] * 3
    assert moodle.count("POST", SAVE) == 1


def test_what_the_assignment_is_worth(moodle, platform):
    """The assignment is found by the number in its address, not by its id in the web service."""
    assert platform.about().maximum == 20
    assert platform.about().warnings == ()
    assert platform.place == f"moodle {moodle.url} 3 44"


def test_null_without_a_score_written(moodle, platform, tmp_path):
    """Reading back finds that Moodle wrote nothing although it answered null."""
    moodle.ignored = {101}
    outcome = send(platform, tmp_path, entries(u101=20, u102=5))
    assert outcome.confirmed == ("u102",)
    assert "another score" in outcome.failed["u101"]
    assert moodle.count("POST", SAVE) == 1


def test_people_are_looked_up_among_the_enrolled(platform):
    """People are found by id number, by user name, or by an address that only one has."""
    people = [
        Person("00017"),
        Person("00018", email="alex1@example.edu"),
        Person("00019"),
        Person("1", email="twin@example.edu"),
        Person("2", email="stranger@example.edu"),
        Person("3"),
    ]
    sent = [Payload(person, small_class.final(person.id)) for person in people]
    found, kept = platform.key.sort(sent)
    assert {key: one.person.id for key, one in found.items()} == {
        "101": "00017",
        "102": "00018",
        "103": "00019",
    }
    assert {(one.student, one.lost) for one in kept} == {("1", True), ("2", True), ("3", True)}
    assert kept[0].why == (
        "has no account on Moodle; compare id and address with those who are enrolled in the course there"
    )


def test_two_people_with_one_account(platform):
    """If two people on the roster fit one account, neither is sent."""
    people = [Person("00017"), Person("9", email="ada@example.edu")]
    found, kept = platform.key.sort([Payload(person, small_class.final(person.id)) for person in people])
    assert found == {}
    assert {one.why for one in kept} == {"account on Moodle 101 belongs to 00017, 9"}


def test_strangers_are_never_sent(moodle, platform, tmp_path):
    """A student who is not enrolled is not sent: Moodle would store the grade."""
    outcome = send(platform, tmp_path, entries(u999=20))
    assert [change.verdict for change in outcome.found] == ["absent"]
    assert moodle.count("POST", SAVE) == 0


def test_reading(moodle, platform):
    """-1 is no score, the latest attempt counts, and the time of the last change is kept."""
    moodle.grade(101, -1)
    moodle.grade(102, 12.5, attempt=2)
    assert platform.read(["101", "102", "103", "999"]) == {
        "101": PlatformScore(None, touched="1001"),
        "102": PlatformScore(Decimal("12.5"), touched="1002", attempt=2),
        "103": PlatformScore(),
    }


def test_others_scores_are_kept(moodle, platform, tmp_path):
    """A score that somebody else gave, or changed since, is kept, unless overwriting."""
    moodle.grade(101, 3)
    send(platform, tmp_path, entries(u102=8))
    moodle.grade(102, 9.5)
    outcome = send(platform, tmp_path, entries(u101=20, u102=8))
    assert [change.verdict for change in outcome.found] == ["conflict", "conflict"]
    send(platform, tmp_path, entries(u101=20, u102=8), overwrite=True)
    assert scores(moodle) == {101: 20, 102: 8}


def test_a_new_comment_with_the_same_score(moodle, platform, tmp_path):
    """Moodle shows no comments: a new one of ours is sent, a teacher's is not touched."""
    send(platform, tmp_path, entries(u101=20))
    moodle.grade(102, 5)
    moodle.comments[102] = "by hand"
    new = [Entry("u101", "101", Decimal(20), "Better words."), Entry("u102", "102", Decimal(5), "Ours.")]
    outcome = send(platform, tmp_path, new)
    assert [change.verdict for change in outcome.found] == ["comment", "same"]
    assert moodle.comments == {101: "<p>Better words.</p>", 102: "by hand"}


def test_no_comments_wanted(moodle, platform, tmp_path):
    """Without a comment the comment field is not sent at all."""
    moodle.comments[101] = "by hand"
    send(platform, tmp_path, [Entry("u101", "101", Decimal(20), "")])
    assert moodle.comments == {101: "by hand"}
    assert moodle.count("POST", "assignfeedbackcomments") == 0


def test_one_refusal_does_not_stop_the_others(moodle, platform, tmp_path):
    """If Moodle refuses a call, scores are sent one by one, and only the refused one is named."""
    moodle.refused = {102}
    outcome = send(platform, tmp_path, entries(u101=20, u102=5, u103=7))
    assert outcome.confirmed == ("u101", "u103")
    assert dict(outcome.failed) == {"u102": "Moodle: mod_assign_save_grades: Grade is locked (nopermission)."}


@pytest.mark.slow
@pytest.mark.parametrize("acted", [True, False])
@pytest.mark.parametrize("kind", ["cut", "late", "502"])
def test_no_answer(moodle, platform, tmp_path, acted, kind):
    """After a cut, a late answer or a broken gateway the score is there in the end."""
    fault = Fault(
        "POST",
        SAVE,
        fake_server.DOWN if kind == "502" else None,
        cut=kind == "cut",
        seconds=1.5 if kind == "late" else 0,
        act=acted,
    )
    moodle.faults = [fault]
    assert send(platform, tmp_path, entries(u101=20)).confirmed == ("u101",)
    assert moodle.count("POST", SAVE) == (1 if acted else 2)


def test_busy(moodle, platform, tmp_path):
    """429 is waited for, in reading and in writing."""
    moodle.faults = [
        Fault("POST", "assign_get_grades", fake_server.BUSY, times=2),
        Fault("POST", SAVE, fake_server.BUSY_SECONDS, times=2),
        Fault("POST", "enrolled", fake_server.DOWN),
    ]
    assert send(platform, tmp_path, entries(u101=20)).confirmed == ("u101",)


def test_token_that_is_not_taken(moodle):
    """An expired token: one sentence names the call and the variable, never the token."""
    platform = MoodleTarget(Moodle(url=moodle.url, course_id=3, assignment_id=44), "expired-secret", QUICK)
    with pytest.raises(
        PlatformError, match=r"mod_assign_get_assignments: .*\$MOODLE_TOKEN \(invalidtoken\)"
    ) as caught:
        platform.about()
    assert "expired-secret" not in str(caught.value)
    platform.close()


@pytest.mark.parametrize(("course", "assignment"), [(4, 44), (3, 9), (3, 46)])
def test_wrong_numbers(moodle, course, assignment):
    """A wrong course or assignment, or its inner number, is named with the keys to look at."""
    settings = Moodle(url=moodle.url, course_id=course, assignment_id=assignment)
    platform = MoodleTarget(settings, fake_moodle.TOKEN, QUICK)
    with pytest.raises(
        PlatformError, match=rf"course {course} has no assignment {assignment} for this token"
    ):
        platform.about()
    platform.close()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (fake_server.PAGE, "answered text/html instead of JSON"),
        (
            fake_server.Answer(b"", 303, {"Location": "/login/index.php"}),
            "leads to another address \\(status 303\\); is url in course.toml right",
        ),
        (fake_server.Answer(b"gone", 404), "refused with status 404: gone; is url"),
    ],
)
def test_no_moodle_there(moodle, platform, answer, message):
    """A login page, a redirect or a 404 is an error that says to look at url."""
    moodle.faults = [Fault("POST", "get_assignments", answer)]
    with pytest.raises(PlatformError, match=message):
        platform.about()


@pytest.mark.parametrize("maximum", [-5, "good"])
def test_scale_of_words(moodle, platform, maximum):
    """An assignment that is graded by a scale of words takes no points."""
    moodle.maximum = maximum
    with pytest.raises(PlatformError, match="graded by a scale and takes no points"):
        platform.about()


def test_teams(moodle, platform):
    """Team assignments are said before anything is sent."""
    moodle.more = {"teamsubmission": 1}
    assert platform.about().warnings == (
        "the assignment is for teams: Moodle may give a score to the whole team",
    )


@pytest.mark.parametrize("answer", [{"courses": None}, {"courses": [3]}, [], None])
def test_odd_answers_are_no_assignment(moodle, platform, answer):
    """JSON in another form than Moodle documents is an error."""
    moodle.faults = [Fault("POST", "get_assignments", fake_server.Answer(answer))]
    with pytest.raises(PlatformError, match=r"^Moodle: mod_assign_get_assignments"):
        platform.about()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "answered null instead of a list"),
        ({}, "answered an object instead of a list"),
        ([None], "the list holds null instead of an object"),
        ([{"email": "ada@example.edu"}], "an entry has no id, which says who it is about"),
    ],
)
def test_enrolled_of_another_shape(moodle, platform, answer, message):
    """A list of people that cannot be understood is an error that names the call."""
    moodle.faults = [Fault("POST", "enrolled_users", fake_server.Answer(answer))]
    with pytest.raises(PlatformError, match=f"Moodle: core_enrol_get_enrolled_users: {message}"):
        platform.read(["101"])


def graded(**more):
    """Moodle's answer with one score, of user 101."""
    row = {"userid": 101, "grade": "5.00000", "attemptnumber": 0, "timemodified": 1, **more}
    return {"assignments": [{"assignmentid": 9, "grades": [row]}]}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, ": answered null instead of an object"),
        ([], ": answered a list instead of an object"),
        ({}, r" \(assignments\): answered null instead of a list"),
        ({"assignments": [None]}, r" \(assignments\): the list holds null instead of an object"),
        ({"assignments": [{"grades": None}]}, r" \(grades\): answered null instead of a list"),
        (graded(userid=None), ": an entry has no userid, which says who it is about"),
        (graded(grade="5,5"), ": the grade of user 101 is no number"),
        (graded(grade=[5]), ": the grade of user 101 is no number"),
        (graded(grade="1e999999999"), ": the grade of user 101 is no number"),
        (graded(attemptnumber="x"), ": attemptnumber is a text instead of a number"),
    ],
)
def test_scores_of_another_shape(moodle, platform, tmp_path, answer, message):
    """A list that cannot be understood is not one without scores: an error, and nothing is sent."""
    moodle.grade(101, 5)
    moodle.faults = [Fault("POST", "assign_get_grades", fake_server.Answer(answer), times=99)]
    with pytest.raises(PlatformError, match=f"Moodle: mod_assign_get_grades{message}"):
        send(platform, tmp_path, entries(u101=20))
    assert scores(moodle) == {101: 5}


@pytest.mark.parametrize("grade", [None, "", "-1.00000"])
def test_ways_to_say_no_score(moodle, platform, grade):
    """Null, an empty text and a negative number mean that nobody graded yet."""
    moodle.faults = [
        Fault("POST", "assign_get_grades", fake_server.Answer(graded(grade=grade, attemptnumber=None)))
    ]
    assert platform.read(["101"])["101"] == PlatformScore(None, touched="1")


def test_json_that_python_does_not_read(moodle, platform):
    """JSON too deep for Python is an error like any page."""
    moodle.faults = [Fault("POST", "get_assignments", fake_server.Answer(b"[" * 100_000))]
    with pytest.raises(PlatformError, match="instead of JSON"):
        platform.about()


def test_a_team_has_scores_that_the_assignment_does_not_list(moodle, platform, tmp_path):
    """Members without a submission of their own: a score by hand is found in the gradebook and kept."""
    moodle.more = {"teamsubmission": 1}
    moodle.own, moodle.teams, moodle.groups = {101: 0}, {7: (0, 1)}, dict.fromkeys((101, 102, 103), 7)
    moodle.grade(102, 3)
    outcome = send(platform, tmp_path, entries(u101=20, u102=20, u103=20))
    assert [change.verdict for change in outcome.found] == ["new", "conflict", "new"]
    assert outcome.confirmed == ("u101", "u103")
    assert scores(moodle) == {101: 20, 102: 3, 103: 20}
    moodle.grade(103, 2)
    again = send(platform, tmp_path, entries(u101=19, u102=20, u103=19))
    assert [change.verdict for change in again.found] == ["change", "conflict", "conflict"]
    assert scores(moodle) == {101: 19, 102: 3, 103: 2}


def test_a_person_without_a_submission(moodle, platform, tmp_path):
    """Without a submission on Moodle the gradebook tells whether there is a score, here 3 by hand."""
    moodle.own = {}
    moodle.grade(101, 3)
    outcome = send(platform, tmp_path, entries(u101=20, u102=5))
    assert [change.verdict for change in outcome.found] == ["conflict", "new"]
    assert scores(moodle) == {101: 3, 102: 5}


def test_a_score_set_in_the_gradebook_stands(moodle, platform, tmp_path):
    """An overridden or locked score is named and kept, also when overwriting; no comment contradicts it."""
    moodle.overridden = {101: 12.0}
    moodle.locked = {102}
    outcome = send(platform, tmp_path, entries(u101=20, u102=5, u103=7), overwrite=True)
    assert [change.verdict for change in outcome.found] == ["held", "held", "new"]
    assert outcome.found[0].there.points == 12
    assert (outcome.confirmed, dict(outcome.failed)) == (("u103",), {})
    assert moodle.comments.keys() == {103}


def test_ids_that_are_written_as_text(moodle, platform, tmp_path, monkeypatch):
    """Ids as text are read like numbers: what was set in the gradebook stays kept."""
    ids = ("id", "cmid", "userid", "groupid", "assignmentid")

    def as_text(value):
        if isinstance(value, dict):
            return {key: str(one) if key in ids else as_text(one) for key, one in value.items()}
        return [as_text(one) for one in value] if isinstance(value, list) else value

    handle = moodle.handle
    monkeypatch.setattr(moodle, "handle", lambda request: fake_server.Answer(as_text(handle(request).body)))
    moodle.overridden = {101: 12.0}
    outcome = send(platform, tmp_path, entries(u101=20, u102=5), overwrite=True)
    assert [change.verdict for change in outcome.found] == ["held", "new"]
    assert scores(moodle) == {102: 5}


def test_an_overridden_score_that_is_ours_too(moodle, platform, tmp_path):
    """If the gradebook holds our very score, all is well, and nothing is sent."""
    moodle.overridden = {101: 20.0}
    assert [c.verdict for c in send(platform, tmp_path, entries(u101=20)).found] == ["same"]
    assert moodle.count("POST", SAVE) == 0


def test_a_score_that_one_answer_alone_shows(moodle, platform, tmp_path):
    """A first attempt's score that only the gradebook shows is somebody's: it is kept."""
    moodle.grade(101, 3)
    moodle.own[101] = 0
    empty = {"assignments": [{"assignmentid": 9, "grades": []}], "warnings": []}
    moodle.faults = [Fault("POST", "get_grades", fake_server.Answer(empty), times=9)]
    outcome = send(platform, tmp_path, entries(u101=20, u102=5))
    assert [change.verdict for change in outcome.found] == ["conflict", "new"]
    assert scores(moodle) == {101: 3, 102: 5}


def test_a_reopened_attempt_is_new(moodle, platform, tmp_path):
    """A score for the new attempt is sent, although the gradebook still shows the earlier one's."""
    send(platform, tmp_path, entries(u101=8))
    moodle.own[101] = 1
    outcome = send(platform, tmp_path, entries(u101=8))
    assert [change.verdict for change in outcome.found] == ["new"]
    assert outcome.confirmed == ("u101",)
    assert moodle.grades[101] | {"time": 0} == {"grade": 8.0, "time": 0, "attempt": 1}
    del moodle.grades[101]
    assert [c.verdict for c in send(platform, tmp_path, entries(u101=8)).found] == ["conflict"]


def test_a_reopened_attempt_of_a_team(moodle, platform, tmp_path):
    """A team's new attempt is new for members whose scores only the gradebook shows."""
    moodle.more = {"teamsubmission": 1}
    moodle.own, moodle.teams, moodle.groups = {}, {7: (0, 1)}, {101: 7, 102: 7}
    send(platform, tmp_path, entries(u101=8, u102=8))
    moodle.teams = {7: (1, moodle.clock + 1)}
    moodle.clock += 5
    outcome = send(platform, tmp_path, entries(u101=8, u102=9))
    assert [change.verdict for change in outcome.found] == ["new", "new"]
    assert outcome.confirmed == ("u101", "u102")
    assert [c.verdict for c in send(platform, tmp_path, entries(u101=8, u102=9)).found] == ["same", "same"]


def test_marking_workflow(moodle, platform, tmp_path):
    """Each student's state goes back as it is; that grades wait for release is said."""
    moodle.more = {"markingworkflow": 1}
    moodle.states = {101: "inreview", 102: "released"}
    assert platform.about().warnings == (
        "marking workflow is on: grades wait for release in Moodle, each student's state stays",
    )
    assert send(platform, tmp_path, entries(u101=8, u102=9, u103=7)).confirmed == ("u101", "u102", "u103")
    assert moodle.states == {101: "inreview", 102: "released", 103: ""}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"markingworkflow": 1}, "it waits for release"),
        ({"blindmarking": 1}, "it is anonymous"),
        ({}, "it is hidden in the gradebook"),
    ],
)
def test_nobody_tells_whether_a_score_is_there(moodle, platform, tmp_path, more, why):
    """Neither a submission of their own nor a score in the gradebook: a person is refused by name."""
    moodle.own, moodle.more, moodle.states = {}, more, {101: "inmarking"}
    moodle.hidden = set() if more else {101}
    moodle.grade(101, 3)
    outcome = send(platform, tmp_path, entries(u101=20), overwrite=True)
    assert [(c.verdict, c.there.held) for c in outcome.found] == [
        ("held", f"is not sent: Moodle does not tell whether a score is there ({why}); give it there by hand")
    ]
    assert scores(moodle) == {101: 3}


@pytest.mark.parametrize("function", ["get_grades", "get_submissions", "get_user_flags"])
def test_a_token_that_may_not_read(moodle, platform, tmp_path, function):
    """A warning about rights is an error, before anything is written: the list would look empty."""
    moodle.no_rights = {f"mod_assign_{function}"}
    with pytest.raises(
        PlatformError, match=rf"mod_assign_{function}: No access rights in module context; may"
    ):
        send(platform, tmp_path, entries(u101=20))
    assert moodle.count("POST", SAVE) == 0


def feedback(**kinds):
    """The assignment's settings of feedback as Moodle lists them."""
    return [
        {"plugin": kind, "subtype": "assignfeedback", "name": "enabled", "value": str(int(on))}
        for kind, on in kinds.items()
    ]


def test_feedback_pages_are_files(moodle, platform, tmp_path):
    """Where the assignment has feedback files, the page goes through a draft area; the score goes first."""
    moodle.more = {"configs": feedback(comments=True, file=True)}
    assert platform.about().takes_pages
    wanted = [Entry("u101", "101", Decimal(20), "Well done.", b"<p>page</p>")]
    outcome = send(platform, tmp_path, wanted)
    assert (outcome.confirmed, dict(outcome.failed)) == (("u101",), {})
    assert moodle.pages == {101: b"<p>page</p>"}
    assert moodle.comments == {101: "<p>Well done.</p>"}
    again = send(platform, tmp_path, wanted)
    assert [change.verdict for change in again.found] == ["same"]
    assert len(moodle.stored) == 1


def test_a_page_that_moodle_does_not_take(moodle, platform, tmp_path):
    """The student is named, the score is there, and the comment waits for its page."""
    moodle.more = {"configs": feedback(comments=True, file=True)}
    moodle.uploads_allowed = False
    outcome = send(platform, tmp_path, [Entry("u101", "101", Decimal(20), "Well done.", b"<p>page</p>")])
    assert "Uploads are not allowed; may the token's service upload files?" in outcome.failed["u101"]
    assert scores(moodle) == {101: 20}
    assert moodle.comments == {}


def test_an_assignment_without_comments(moodle, platform, tmp_path):
    """Moodle would refuse a comment where comments are off: scores alone are sent, and that is said."""
    moodle.more = {"configs": feedback(comments=False, file=False)}
    assert not platform.about().takes_pages
    assert "feedback comments are off in the assignment: only scores are sent" in platform.about().warnings
    assert send(platform, tmp_path, entries(u101=20)).confirmed == ("u101",)
    assert moodle.comments == {}


def unread(text="Lab 1: your hand-in could not be read."):
    """What user 101 gets whose hand-in could not be read: a comment, and no score."""
    return [Entry("u101", "101", None, text)]


def test_a_comment_without_a_score(moodle, platform, tmp_path):
    """It arrives once, nobody has a score by it, and the score of a later hand-in is new."""
    first = send(platform, tmp_path, unread())
    assert (first.found[0].verdict, first.confirmed) == ("comment", ("u101",))
    assert moodle.comments == {101: "<p>Lab 1: your hand-in could not be read.</p>"}
    assert platform.read(["101"])["101"].points is None
    assert send(platform, tmp_path, unread()).found[0].verdict == "same"
    assert moodle.count("POST", SAVE) == 1
    later = send(platform, tmp_path, entries(u101=12))
    assert (later.found[0].verdict, scores(moodle)) == ("new", {101: 12.0})
    moodle.grade(101, -1)
    assert send(platform, tmp_path, entries(u101=12)).found[0].verdict == "conflict"


def test_no_comment_without_a_score_beside_a_score(moodle, platform, tmp_path):
    """A score that is there stays, and no comment contradicts it."""
    moodle.grade(101, 7)
    assert [change.verdict for change in send(platform, tmp_path, unread()).found] == ["scored"]
    assert moodle.count("POST", SAVE) == 0


def test_a_comment_without_a_score_and_no_answer(moodle, platform, tmp_path):
    """Moodle shows no comments: one that may not have arrived is sent again, and replaces itself."""
    moodle.faults = [Fault("POST", SAVE, cut=True)]
    assert send(platform, tmp_path, unread()).confirmed == ("u101",)
    assert moodle.comments == {101: "<p>Lab 1: your hand-in could not be read.</p>"}
    assert moodle.count("POST", SAVE) == 2
