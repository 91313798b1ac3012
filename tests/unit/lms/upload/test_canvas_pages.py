"""Feedback pages attached on Canvas: once, in one comment with its text, whatever goes wrong in between."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from helpers import fake_canvas, fake_server
from helpers.fake_server import Answer, Fault
from helpers.uploads import QUICK, CrashError

from grader.lms.upload import plan as upload
from grader.lms.upload.canvas import CanvasTarget
from grader.lms.upload.http import Client, PlatformError
from grader.lms.upload.journal import Journal
from grader.lms.upload.target import Entry

JOB, ANNOUNCE, STORE, CONFIRM = "update_grades", "comments/files", "/storage", "create_success"
PAGE = "<p>für s11 \N{GRINNING FACE}</p>\n".encode()


@pytest.fixture
def canvas():
    """Canvas with three students."""
    with fake_canvas.FakeCanvas(11, 12, 13) as server:
        yield server


@pytest.fixture
def platform(canvas):
    """A connection to it."""
    with fake_canvas.connected(canvas, QUICK) as platform:
        yield platform


def entry(number, points=20, page=PAGE):
    """What should be on Canvas for one student."""
    return Entry(f"s{number}", str(number), Decimal(points), "Well done.", page)


@pytest.fixture
def send(platform, tmp_path):
    """Uploads one after the other, each with the same journal read anew."""
    return lambda *wanted: upload.Upload(platform, Journal(tmp_path), overwrite=False).send(wanted)


def verdicts(outcome):
    """What was to be done for each student at first."""
    return [change.verdict for change in outcome.found]


def attached(canvas):
    """For each student with comments, the pages of each comment."""
    return {
        number: [[canvas.files.stored[file].body for file in files] for files in one["attached"]]
        for number, one in canvas.students.items()
        if one["comments"]
    }


def posted(canvas, path):
    """The bodies of the requests that wrote to that path."""
    return [r.body.decode() for r in canvas.requests if r.method == "POST" and r.path.endswith(path)]


@pytest.mark.parametrize("storage", ["redirect", "created", "plain"])
def test_attached_once(canvas, send, storage):
    """Score first, then one comment with text and page; a second run attaches and uploads nothing."""
    canvas.files.storage = storage
    outcome = send(entry(11), entry(12, 3, b"<p>other</p>"))
    assert (outcome.confirmed, dict(outcome.failed)) == (("s11", "s12"), {})
    assert attached(canvas) == {11: [[PAGE]], 12: [[b"<p>other</p>"]]}
    assert canvas.students[11]["comments"][0].startswith("Well done.\n[ref ")
    first, second = posted(canvas, JOB)
    assert "posted_grade" in first
    assert "text_comment" not in first
    assert "posted_grade" not in second
    assert canvas.count("POST", ANNOUNCE) == canvas.count("POST", STORE) == 2
    assert canvas.count("GET", CONFIRM) == (0 if storage == "plain" else 2)
    assert verdicts(send(entry(11), entry(12, 3, b"<p>other</p>"))) == ["same"] * 2
    assert canvas.count("POST", "") == 6
    assert {len(files) for files in attached(canvas).values()} == {1}


def test_a_second_run_writes_nothing_into_the_journal(send, tmp_path):
    """Seeing the same score again adds no step."""
    send(entry(11))
    before = (tmp_path / "uploads.jsonl").read_bytes()
    send(entry(11))
    assert (tmp_path / "uploads.jsonl").read_bytes() == before
    states = [json.loads(line)["state"] for line in before.splitlines()]
    assert states == ["sending", "sent", "seen"] * 2


def test_a_new_page_comes_with_a_comment_of_its_own(canvas, send):
    """The same score with another page is one more comment; the score is not touched."""
    send(entry(11))
    outcome = send(entry(11, page=b"<p>clearer</p>"))
    assert verdicts(outcome) == ["comment"]
    assert attached(canvas) == {11: [[PAGE], [b"<p>clearer</p>"]]}
    assert sum("posted_grade" in body for body in posted(canvas, JOB)) == 1


def test_a_new_score_comes_with_its_page(canvas, send):
    """After a regrade the new score is there, and one more comment with its page."""
    send(entry(11, 8))
    outcome = send(entry(11, 9))
    assert (verdicts(outcome), outcome.confirmed) == (["change"], ("s11",))
    assert canvas.students[11]["score"] == 9
    assert attached(canvas) == {11: [[PAGE], [PAGE]]}


def test_nothing_is_attached_where_the_score_is_kept(canvas, send):
    """Somebody else's score and an excused student get no page."""
    canvas.grade(11, 4)
    canvas.students[12]["excused"] = True
    assert verdicts(send(entry(11), entry(12))) == ["conflict", "excused"]
    assert canvas.count("POST", "") == 0


def test_a_comment_that_was_removed_stays_removed(canvas, send):
    """A comment that somebody deleted is not sent again: the journal says that it was seen."""
    send(entry(11))
    canvas.students[11] |= {"comments": [], "attached": []}
    assert verdicts(send(entry(11))) == ["same"]
    assert attached(canvas) == {}


@pytest.mark.parametrize("step", [ANNOUNCE, STORE, CONFIRM])
@pytest.mark.parametrize("answer", [fake_server.BUSY, fake_server.BUSY_SECONDS, fake_server.THROTTLED])
def test_throttled(canvas, send, step, answer):
    """A busy Canvas is asked again at each step of the upload, and the page is attached once."""
    canvas.faults = [Fault("GET" if step == CONFIRM else "POST", step, answer, times=2)]
    assert send(entry(11)).confirmed == ("s11",)
    assert attached(canvas) == {11: [[PAGE]]}


@pytest.mark.parametrize("acted", [True, False])
@pytest.mark.parametrize("step", [ANNOUNCE, STORE, CONFIRM, "file_ids"])
@pytest.mark.parametrize("kind", ["cut", "502"])
def test_no_answer(canvas, send, step, acted, kind):
    """After a cut or a broken gateway at any step there is one comment with one page."""
    canvas.polls = 0
    answer = fake_server.DOWN if kind == "502" else None
    canvas.faults = [Fault("GET" if step == CONFIRM else "POST", step, answer, cut=kind == "cut", act=acted)]
    outcome = send(entry(11))
    assert (outcome.confirmed, dict(outcome.failed)) == (("s11",), {})
    assert attached(canvas) == {11: [[PAGE]]}


def test_no_answer_to_one_page(canvas, send):
    """A step of an upload is safe to repeat at once: the pages uploaded before it are not sent again."""
    canvas.faults = [Fault("POST", "submissions/12/comments/files", cut=True)]
    assert send(entry(11), entry(12)).confirmed == ("s11", "s12")
    assert canvas.count("POST", "submissions/11/comments/files") == 1
    assert canvas.count("POST", "submissions/12/comments/files") == 2


def test_throttled_for_good(canvas, send):
    """A storage that stays busy ends the run; all scores are there, and the next run goes on."""
    canvas.faults = [Fault("POST", STORE, fake_server.BUSY, times=99)]
    with pytest.raises(PlatformError, match=r"POST /storage \(the file\): .*too busy after 4 tries"):
        send(entry(11), entry(12))
    assert [canvas.students[number]["score"] for number in (11, 12)] == [20, 20]
    assert attached(canvas) == {}
    canvas.faults = []
    outcome = send(entry(11), entry(12))
    assert verdicts(outcome) == ["comment"] * 2
    assert attached(canvas) == {11: [[PAGE]], 12: [[PAGE]]}


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (
            Fault("POST", "submissions/11/comments/files", Answer({"message": "no"}, 400)),
            "refused with status 400",
        ),
        (
            Fault("POST", "submissions/11/comments/files", Answer(b"no", 403)),
            "refused with status 403: no; may the token do that?",
        ),
        (
            Fault("POST", "submissions/11/comments/files", Answer({}, 404)),
            "refused with status 404: {}; compare url, course_id and assignment_id",
        ),
        (
            Fault("POST", "für s11", Answer(b"<Error/>", 403)),
            "POST /storage (the file): refused with status 403",
        ),
        (
            Fault("POST", "für s11", Answer(b"too large", 413)),
            "POST /storage (the file): refused with status 413",
        ),
        (
            Fault("POST", "für s11", Answer({"id": 7000, "size": 5})),
            "comments/files: the file did not arrive whole",
        ),
        (Fault("POST", "für s11", Answer({"size": 5}, 201)), "comments/files: the file did not arrive whole"),
        (Fault("POST", "für s11", Answer(b"thanks", 201)), "comments/files: the file did not arrive whole"),
        (
            Fault("GET", "files/7000/create_success", Answer({}, 400)),
            "create_success: refused with status 400",
        ),
    ],
)
def test_refused(canvas, send, fault, words):
    """If a page is refused, its score stays, the reason is given, and the other students get their pages."""
    canvas.faults = [replace(fault)]
    outcome = send(entry(11), entry(12, page=b"<p>s12</p>"))
    assert outcome.confirmed == ("s12",)
    assert outcome.failed["s11"].startswith("comment and feedback page were not sent: Canvas: ")
    assert words in outcome.failed["s11"]
    assert canvas.students[11]["score"] == 20
    assert attached(canvas) == {12: [[b"<p>s12</p>"]]}
    assert canvas.count(fault.method, fault.path) == 1
    again = send(entry(11), entry(12, page=b"<p>s12</p>"))
    assert (verdicts(again), again.confirmed) == (["comment", "same"], ("s11",))
    assert attached(canvas) == {11: [[PAGE]], 12: [[b"<p>s12</p>"]]}


def test_refused_for_everyone(canvas, send):
    """If no page is taken there is no second job, since nothing is left to send."""
    canvas.faults = [Fault("POST", ANNOUNCE, Answer(b"no", 403), times=2)]
    outcome = send(entry(11), entry(12))
    assert (outcome.confirmed, sorted(outcome.failed)) == ((), ["s11", "s12"])
    assert canvas.count("POST", JOB) == 1
    assert [canvas.students[number]["score"] for number in (11, 12)] == [20, 20]


def test_comment_that_came_without_its_page(canvas, send):
    """An attachment that Canvas leaves out is reported in each run, and the comment is not sent twice."""
    canvas.forgetful = True
    outcome = send(entry(11))
    assert dict(outcome.failed) == {
        "s11": "was accepted, and the platform shows the comment without the feedback page"
    }
    again = send(entry(11))
    assert (verdicts(again), again.confirmed) == (["missing-page"], ())
    assert attached(canvas) == {11: [[]]}


def test_score_that_did_not_stick_gets_no_page(canvas, send):
    """Without the score on Canvas nothing is attached."""
    canvas.ignored = {11}
    outcome = send(entry(11), entry(12))
    assert (outcome.confirmed, list(outcome.failed)) == (("s12",), ["s11"])
    assert list(attached(canvas)) == [12]
    assert canvas.count("POST", "submissions/11/comments/files") == 0


def dying(original, *, heard):
    """The same method, with the power going before or after it did its work."""
    is_request = original is Client.ask

    def method(*arguments, **options):
        if is_request and "files" not in options:  # only the request with the file dies
            return original(*arguments, **options)
        if heard:
            original(*arguments, **options)
        raise CrashError

    return method


@pytest.mark.parametrize("heard", [True, False])
@pytest.mark.parametrize(
    ("place", "original"),
    [
        ("canvas.CanvasTarget._store_page", CanvasTarget._store_page),
        ("http.Client.ask", Client.ask),
        ("canvas.CanvasTarget._run_job", CanvasTarget._run_job),
    ],
    ids=["page", "file", "comment"],
)
def test_crash_in_the_middle(canvas, send, place, original, heard):
    """The process dies around each step: the next run ends with one comment and one page for everyone."""
    at_comment = original is CanvasTarget._run_job
    if at_comment:
        canvas.grade(11, 20)
        canvas.grade(12, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"grader.lms.upload.{place}", dying(original, heard=heard))
        with pytest.raises(CrashError):
            send(entry(11), entry(12))
    outcome = send(entry(11), entry(12))
    assert verdicts(outcome) == ["same" if at_comment and heard else "comment"] * 2
    assert attached(canvas) == {11: [[PAGE]], 12: [[PAGE]]}
    assert [canvas.students[number]["score"] for number in (11, 12)] == [20, 20]


def test_a_dry_run_sees_the_page_that_is_due(canvas, platform, tmp_path):
    """A comparison says which pages are to be attached, and writes nothing."""
    canvas.grade(12, 20)
    wanted = [entry(11), entry(12), replace(entry(13), page=b"")]
    found = upload.Upload(platform, Journal(tmp_path), overwrite=False).compare(wanted)
    assert [(change.verdict, change.with_page) for change in found] == [
        ("new", True),
        ("comment", True),
        ("new", False),
    ]
    assert canvas.count("POST", "") == 0


def test_the_token_goes_to_canvas_alone(canvas, send):
    """A storage on another server gets the file without the token, also when it leads on to itself."""

    class Storage(fake_server.FakeServer):
        def handle(self, request):
            if request.method == "GET":
                canvas.files.stored[7000].done = True
                return Answer({"id": 7000, "size": len(PAGE)})
            canvas.files.stored[7000].body = PAGE
            return Answer(b"", 201, {"Location": "/done?secret=1"})

    with Storage() as storage:
        canvas.files.address = f"{storage.url}/bucket"
        assert send(entry(11)).confirmed == ("s11",)
        assert [(r.method, r.path) for r in storage.requests] == [("POST", "/bucket"), ("GET", "/done")]
        assert not any("authorization" in request.headers for request in storage.requests)


@pytest.mark.parametrize(
    ("path", "answer", "message"),
    [
        *(
            (ANNOUNCE, Answer(answer), "comments/files: the answer does not say where the file goes")
            for answer in ({}, {"upload_url": "http://x"}, {"upload_params": {}}, [], "no")
        ),
        ("/storage", Answer(b"", 201, {"Location": "http://["}), "the answer leads to no address"),
    ],
)
def test_no_address_for_the_file(canvas, send, path, answer, message):
    """An answer without an address and fields for the file, or one that leads nowhere, is an error."""
    canvas.faults = [Fault("POST", path, answer)]
    with pytest.raises(PlatformError, match=message):
        send(entry(11))


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("ftp://storage.example.edu/", "the file would go over the network unprotected"),
        ("http://[", "^Canvas: POST "),
        ("https://" + "x" * 70 + ".example", "^Canvas: POST "),
    ],
)
def test_storage_that_gets_no_file(canvas, send, address, message):
    """A file is sent only to a true address, over HTTPS or by the scheme of Canvas's own address."""
    canvas.files.address = address
    with pytest.raises(PlatformError, match=message):
        send(entry(11))


def test_expired_token_at_the_upload(canvas, send):
    """A token that expires in the middle ends the run with one sentence; the score is there."""
    expired = Answer({"errors": []}, 401, {"WWW-Authenticate": "Bearer"})
    canvas.faults = [Fault("POST", ANNOUNCE, expired)]
    with pytest.raises(
        PlatformError, match=r"comments/files: Canvas does not take the token in \$CANVAS_TOKEN"
    ):
        send(entry(11), entry(12))
    assert canvas.students[12]["score"] == 20


def test_the_page_is_no_part_of_what_is_kept(send, tmp_path):
    """The journal has digests, no page; nor does an entry show its page when it is printed."""
    send(entry(11))
    assert "<p>" not in (tmp_path / "uploads.jsonl").read_text()
    assert "<p>" not in repr(entry(11))
