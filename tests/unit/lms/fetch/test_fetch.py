"""What is fetched from Canvas and Moodle, against servers on loopback, and how grade reads it."""

from datetime import UTC, datetime

import pytest
from helpers import fake_canvas, fake_moodle, fake_server
from helpers.fake_server import Fault
from helpers.intake_class import ONE, TWO, exercise
from helpers.uploads import QUICK

from grader.base.errors import UsageError
from grader.course.platforms import Canvas, Moodle
from grader.intake.collect import collect
from grader.lms.fetch.canvas import CanvasSource
from grader.lms.fetch.inbox import fetch
from grader.lms.fetch.moodle import MoodleSource
from grader.lms.upload.target import PlatformError
from grader.roster.roster import Person, Roster, load_roster

BOTH = {"hands_on.py": ONE, "reservation.py": TWO}
PEOPLE = {
    11: {"name": "Ada Lovelace", "sis_user_id": "00017", "email": "ada@example.edu"},
    12: {"name": "Alex Kim", "sis_user_id": None, "email": "alex@example.edu"},
    13: {"name": "Grace Hopper", "sis_user_id": "00019", "email": "grace@example.edu"},
}


@pytest.fixture
def canvas():
    """Canvas with three students, of whom one handed in twice and one nothing."""
    with fake_canvas.FakeCanvas(*PEOPLE) as server:
        server.people = PEOPLE
        server.handed_in = {
            11: [
                {"at": "2026-11-19T10:00:00Z", "files": {"reservation.py": ONE}},
                {"at": "2026-11-20T10:00:00Z", "files": BOTH},
            ],
            12: [{"at": "2026-11-21T10:00:00Z", "files": {"../my lab.py": TWO, "reservation.py": TWO}}],
        }
        server.due = {12: "2026-11-22T22:59:00Z"}
        yield server


@pytest.fixture
def source(canvas):
    """A connection to it."""
    source = CanvasSource(Canvas(url=canvas.url, course_id=7, assignment_id=501), fake_canvas.TOKEN, QUICK)
    yield source
    source.close()


def handed_in(folder):
    """What grade reads there: each attempt's student, number, time and files."""
    roster = load_roster([folder / "roster.csv"])
    found = collect([folder], exercise(), roster, attempts="best")
    assert found.unmatched == ()
    return [(s.student, s.attempt, s.submitted_at, sorted(s.files)) for s in found.submissions]


def test_a_name_that_canvas_numbered(canvas, source, tmp_path):
    """A file handed in again keeps the student's own name, unless two of one attempt have it."""
    numbered = {"my lab-1.py": "my lab.py", "reservation-2.py": "reservation.py", "a-1.py": "x.py"}
    canvas.handed_in[12][0] |= {"files": dict.fromkeys(numbered, TWO), "originals": numbered}
    twins = {"x-1.py": "x.py", "x-2.py": "x.py"}
    canvas.handed_in[11][1] |= {"files": dict.fromkeys(twins, TWO), "originals": twins}
    fetch(source, tmp_path / "in", None, every=False)
    assert sorted(path.name for path in (tmp_path / "in" / "12").rglob("*.py")) == [
        "a-1.py",
        "my lab.py",
        "reservation.py",
    ]
    assert sorted(path.name for path in (tmp_path / "in" / "11").rglob("*.py")) == ["x-1.py", "x-2.py"]


def test_the_latest_attempts_of_canvas(source, tmp_path):
    """Files, times, ids, addresses and own due dates arrive, and the token goes to Canvas alone."""
    done = fetch(source, tmp_path / "in/lab", None, every=False)
    assert (done.hand_ins, done.new, done.known, done.failed) == (2, 4, 0, [])
    roster = load_roster([tmp_path / "in/lab/roster.csv"])
    assert [(p.id, p.canvas_id, p.email, p.extension) for p in roster.people] == [
        ("00017", "11", "ada@example.edu", ""),
        ("00019", "13", "grace@example.edu", ""),
        ("12", "12", "alex@example.edu", "2026-11-22T22:59:00Z"),
    ]
    assert handed_in(tmp_path / "in/lab") == [
        ("00017", 2, datetime(2026, 11, 20, 10, tzinfo=UTC), ["hands_on.py", "reservation.py"]),
        ("12", 1, datetime(2026, 11, 21, 10, tzinfo=UTC), ["reservation.py"]),
    ]
    assert (tmp_path / "in/lab/.gitignore").read_text() == "*\n"


def test_only_what_is_new(canvas, source, tmp_path):
    """A second call reads no file again; a later attempt is read and is the one that counts."""
    fetch(source, tmp_path / "lab", None, every=False)
    reads = canvas.count("GET", "/inst-fs/")
    canvas.handed_in[12].append({"at": "2026-11-22T10:00:00Z", "files": {"hands_on.py": ONE}})
    done = fetch(source, tmp_path / "lab", None, every=False)
    assert (done.new, done.known) == (1, 2)
    assert canvas.count("GET", "/inst-fs/") == reads + 1
    assert handed_in(tmp_path / "lab")[1][1] == 2


def test_all_attempts_of_canvas(source, tmp_path):
    """Where the best attempt counts, all of them are brought."""
    done = fetch(source, tmp_path / "lab", None, every=True)
    assert done.hand_ins == 3
    assert [row[:2] for row in handed_in(tmp_path / "lab")] == [("00017", 1), ("00017", 2), ("12", 1)]


def test_it_goes_on_after_it_was_broken_off(canvas, source, tmp_path):
    """What came before a failure is kept; the next call reads the rest."""
    canvas.faults = [Fault("GET", "/inst-fs/12010", fake_server.DOWN, times=99)]
    with pytest.raises(PlatformError):
        fetch(source, tmp_path / "lab", None, every=False)
    canvas.faults = []
    done = fetch(source, tmp_path / "lab", None, every=False)
    assert (done.new, done.known) == (2, 2)


def test_people_keep_their_ids(source, tmp_path):
    """Somebody whom the course knows keeps the id, whatever Canvas has as SIS id."""
    fetch(source, tmp_path / "lab", Roster((Person("ada", canvas_id="11"),)), every=False)
    assert [p.id for p in load_roster([tmp_path / "lab/roster.csv"]).people] == ["00019", "12", "ada"]


def test_entries_that_come_twice(canvas, source, tmp_path, monkeypatch):
    """Somebody who is on two pages, since the list grew in between, counts once."""
    users, page = canvas._users, canvas._page
    monkeypatch.setattr(canvas, "_users", lambda request: fake_server.Answer(users(request).body * 2))

    def twice(request):
        answer = page(request)
        return fake_server.Answer(answer.body * 2, headers=answer.headers)

    monkeypatch.setattr(canvas, "_page", twice)
    fetched = fetch(source, tmp_path / "in", None, every=False)
    assert (fetched.new, fetched.known, fetched.hand_ins) == (4, 0, 2)
    assert [one[0] for one in handed_in(tmp_path / "in")] == ["00017", "12"]


def test_two_people_with_one_id(canvas, source, tmp_path):
    """Two accounts with one id are told by name, before a file is read."""
    canvas.people = {**PEOPLE, 12: {**PEOPLE[12], "sis_user_id": "00017"}}
    with pytest.raises(UsageError, match="'Ada Lovelace' and 'Alex Kim' both have the id '00017'; give one"):
        fetch(source, tmp_path / "in", None, every=False)
    assert canvas.count("GET", "/files/") == 0


def test_a_file_that_is_gone(canvas, source, tmp_path):
    """It is named, and the others are brought."""
    canvas.faults = [Fault("GET", "/files/12010", fake_server.Answer(b"gone", 404))]
    done = fetch(source, tmp_path / "lab", None, every=False)
    assert done.new == 3
    assert len(done.failed) == 1
    assert done.failed[0].startswith("12: ../my lab.py: Canvas: GET file 12010: refused with status 404")


def test_a_file_on_an_unprotected_server_is_not_read(canvas, source, tmp_path):
    """A redirect leads to https alone, and never with the token."""
    elsewhere = fake_server.Answer(b"", 302, {"Location": "http://files.example.net/x"})
    canvas.faults = [Fault("GET", "/files/12010", elsewhere)]
    done = fetch(source, tmp_path / "lab", None, every=False)
    assert "leads to no file on a protected server" in done.failed[0]


@pytest.mark.parametrize(
    ("name", "found"),
    [("n" * 300 + ".py", "n" * 197 + ".py"), ("..", "_"), ("a\n/b.py", "a__b.py"), (".x.py", "_x.py")],
)
def test_names_that_no_file_may_have(canvas, source, tmp_path, name, found):
    """A file gets a plain name in its own folder; what is too long keeps its ending."""
    canvas.handed_in = {11: [{"at": "2026-11-19T10:00:00Z", "files": {name: ONE}}]}
    assert fetch(source, tmp_path / "lab", None, every=False).new == 1
    assert [path.name for path in (tmp_path / "lab/11").glob("*/*")] == [found]


def test_files_of_one_name(canvas, source, tmp_path):
    """Each gets a folder of its own, also where another file has that folder's name."""
    files = {"2": b"0", "a.py": b"1", "A.py": b"2", "3": b"3", "a.PY": b"4"}
    canvas.handed_in = {11: [{"at": "2026-11-19T10:00:00Z", "files": files}]}
    done = fetch(source, tmp_path / "lab", None, every=False)
    assert (done.new, done.failed) == (5, [])
    found = [path for path in (tmp_path / "lab/11").rglob("*") if path.is_file()]
    assert sorted(path.read_bytes() for path in found) == [b"0", b"1", b"2", b"3", b"4"]
    assert fetch(source, tmp_path / "lab", None, every=False).known == 5


def test_files_that_are_not_taken(canvas, source, tmp_path, monkeypatch):
    """A file that is too large is not asked for; one that came cut off is not kept, and read again."""
    canvas.handed_in = {
        11: [{"at": "2026-11-19T10:00:00Z", "files": {"big.py": b"x" * 100, "cut.py": b"y" * 10}}]
    }
    monkeypatch.setattr("grader.lms.fetch.inbox.MAX_BYTES", 99)
    canvas.faults = [Fault("GET", "/inst-fs/11011", fake_server.Answer(b"yy"))]
    done = fetch(source, tmp_path / "lab", None, every=False)
    assert done.failed == [
        "00017: big.py has 0 MiB and is not fetched",
        "00017: cut.py did not arrive whole; fetch again",
    ]
    assert fetch(source, tmp_path / "lab", None, every=False).new == 1
    assert [path.name for path in (tmp_path / "lab/11").glob("*/*")] == ["cut.py"]


def test_text_and_strangers(canvas, source, tmp_path):
    """Text that was typed into Canvas is a file; hand-ins of people who left the course are counted."""
    canvas.handed_in = {
        11: [{"at": "2026-11-19T10:00:00Z", "body": "<p>my code</p>"}],
        13: [{"at": "2026-11-19T10:00:00.5+01:00", "files": {"reservation.py": TWO}}],
    }
    canvas.people = {11: PEOPLE[11]}
    done = fetch(source, tmp_path / "lab", None, every=False)
    assert (done.hand_ins, done.new) == (1, 1)
    assert [path.read_bytes() for path in (tmp_path / "lab/11").glob("*/*")] == [b"<p>my code</p>"]
    left = "not fetched: 1 hand-in of people who are no students of the course now"
    assert list(source.notes(charged=False)) == [left]


@pytest.mark.parametrize("text", ["2026-11-19T10:00:00", "2026-13-19T10:00:00Z", "yesterday"])
def test_a_time_that_is_none(canvas, source, tmp_path, text):
    """A time without its offset, or none at all, could make a hand-in late: it ends the call."""
    canvas.handed_in = {11: [{"at": text, "files": {"reservation.py": TWO}}]}
    with pytest.raises(PlatformError, match="submitted_at is no time"):
        fetch(source, tmp_path / "lab", None, every=False)


def test_anonymous_on_canvas(canvas, source, tmp_path):
    """Where Canvas does not tell who is who, nothing is fetched."""
    canvas.assignment["anonymize_students"] = True
    with pytest.raises(PlatformError, match="graded anonymously"):
        fetch(source, tmp_path / "lab", None, every=False)


def test_a_late_policy_that_may_not_be_read(canvas, source):
    """Only a course without a late policy is silent; a refusal is said."""
    canvas.faults = [Fault("GET", "/late_policy", fake_server.Answer(b"no", 403))]
    with pytest.raises(PlatformError, match="late_policy: refused with status 403"):
        list(source.notes(charged=True))


def test_an_index_that_is_damaged(source, tmp_path):
    """It is written anew, and no file is read again."""
    fetch(source, tmp_path / "lab", None, every=False)
    (tmp_path / "lab/fetched.json").write_text("{")
    done = fetch(source, tmp_path / "lab", None, every=False)
    assert (done.hand_ins, done.new, done.known) == (2, 0, 4)
    assert len(handed_in(tmp_path / "lab")) == 2


def test_another_assignments_folder(source, tmp_path):
    """A folder that holds something else is refused."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/mine.txt").write_text("x")
    with pytest.raises(UsageError, match="holds other files; name another folder with --to"):
        fetch(source, tmp_path / "lab", None, every=False)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/fetched.json").write_text('{"place": "canvas x 1 2"}')
    with pytest.raises(UsageError, match="holds what was fetched from canvas x 1 2"):
        fetch(source, tmp_path / "other", None, every=False)


def test_canvas_charges_lateness_too(canvas, source):
    """Its late policy is said where the kit charges."""
    assert list(source.notes(charged=True)) == []
    canvas.late_policy = {"late_submission_deduction_enabled": True}
    assert len(list(source.notes(charged=True))) == 1
    assert list(source.notes(charged=False)) == []


USERS = {
    101: {"idnumber": "00017", "username": "ada", "email": "ada@example.edu", "fullname": "Ada Lovelace"},
    102: {"idnumber": "", "username": "akim", "email": "alex@example.edu", "fullname": "Alex Kim"},
    103: {"idnumber": "00019", "username": "gh", "email": "grace@example.edu", "fullname": "Grace Hopper"},
}
LATE = 1795302000  # 2026-11-21 23:00 UTC


@pytest.fixture
def moodle():
    """Moodle with three people: two handed in together, one left a draft."""
    with fake_moodle.FakeMoodle(USERS) as server:
        server.own, server.drafts = {103: 0}, {103}
        server.groups, server.teams = {101: 7, 102: 7}, {7: (0, LATE)}
        server.files = {-7: BOTH, 103: BOTH}
        server.extensions = {102: LATE + 3600}
        yield server


def test_moodle_with_a_team(moodle, tmp_path):
    """A team's files are each member's; extensions and the time come along; a draft is left out and said."""
    settings = Moodle(url=moodle.url, course_id=3, assignment_id=44)
    source = MoodleSource(settings, fake_moodle.TOKEN, QUICK)
    done = fetch(source, tmp_path / "lab", None, every=False)
    notes = list(source.notes(charged=True))
    source.close()
    assert (done.hand_ins, done.new, done.failed) == (1, 2, [])
    assert notes == ["not fetched: 1 draft, not submitted for grading"]
    roster = load_roster([tmp_path / "lab/roster.csv"])
    assert [(p.id, p.name, p.group, p.extension) for p in roster.people] == [
        ("00017", "Ada Lovelace", "Team 7", ""),
        ("00019", "Grace Hopper", "", ""),
        ("akim", "Alex Kim", "Team 7", "2026-11-22T00:00:00+00:00"),
    ]
    came = datetime(2026, 11, 21, 23, tzinfo=UTC)
    assert handed_in(tmp_path / "lab") == [
        ("00017", 1, came, ["hands_on.py", "reservation.py"]),
        ("akim", 1, came, ["hands_on.py", "reservation.py"]),
    ]


@pytest.mark.parametrize("every", [True, False])
def test_all_attempts_of_moodle(moodle, tmp_path, every):
    """Where the best attempt counts, a person's and a team's earlier attempts come too, with their times."""
    moodle.own, moodle.drafts, moodle.times = {103: 1}, set(), {103: LATE}
    moodle.teams = {7: (1, LATE)}
    moodle.earlier = {
        103: [(LATE - 7200, {"reservation.py": TWO})],
        -7: [(LATE - 3600, {"hands_on.py": ONE})],
    }
    settings = Moodle(url=moodle.url, course_id=3, assignment_id=44)
    source = MoodleSource(settings, fake_moodle.TOKEN, QUICK)
    done = fetch(source, tmp_path / "lab", None, every=every)
    source.close()
    both = ["hands_on.py", "reservation.py"]
    hour = datetime(2026, 11, 21, 21, tzinfo=UTC), datetime(2026, 11, 21, 22, tzinfo=UTC)
    came = datetime(2026, 11, 21, 23, tzinfo=UTC)
    attempts = [
        ("00017", 1, hour[1], ["hands_on.py"]),
        ("00017", 2, came, both),
        ("00019", 1, hour[0], ["reservation.py"]),
        ("00019", 2, came, both),
        ("akim", 1, hour[1], ["hands_on.py"]),
        ("akim", 2, came, both),
    ]
    assert (done.hand_ins, done.new, done.failed) == ((4, 6, []) if every else (2, 4, []))
    assert handed_in(tmp_path / "lab") == [one for one in attempts if every or one[1] == 2]


def test_text_in_moodle_and_strangers(moodle, tmp_path):
    """Text that was typed into Moodle is a file; what people handed in who left is not fetched."""
    settings = Moodle(url=moodle.url, course_id=3, assignment_id=44)
    source = MoodleSource(settings, fake_moodle.TOKEN, QUICK)
    moodle.drafts, moodle.own = set(), {103: 0, 999: 0}
    fields = [{"name": "onlinetext", "text": "<p>my code</p>"}, {"name": "empty", "text": ""}]
    moodle._plugin = lambda *_: {"editorfields": fields}
    done = fetch(source, tmp_path / "lab", None, every=False)
    assert list(source.notes(charged=True)) == []
    source.close()
    assert (done.hand_ins, done.new) == (2, 2)
    assert {path.read_bytes() for path in (tmp_path / "lab").glob("*/*/*")} == {b"<p>my code</p>"}


def test_moodles_token_stays_with_moodle(moodle, tmp_path):
    """A file that is said to be on another server is not asked for."""
    settings = Moodle(url=moodle.url, course_id=3, assignment_id=44)
    source = MoodleSource(settings, fake_moodle.TOKEN, QUICK)
    file = {"filename": "x.py", "filesize": 1, "fileurl": "https://files.example.net/x.py"}
    moodle._plugin = lambda *_: {"fileareas": [{"files": [file]}]}
    done = fetch(source, tmp_path / "lab", None, every=False)
    source.close()
    assert done.failed == ["00017, akim: x.py: Moodle: a file: is said to be on another server."]
