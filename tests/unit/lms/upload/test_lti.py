"""Uploads over LTI 1.3, against a server on loopback that checks every token, time and content type."""

import json
from decimal import Decimal

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from helpers import fake_lti, fake_server, small_class, uploads
from helpers.fake_server import Answer, Fault
from helpers.uploads import QUICK, entries

from grader.course.platforms import Lti
from grader.lms.payload import Payload
from grader.lms.upload.lti import LtiTarget
from grader.lms.upload.target import Entry, PlatformError
from grader.roster.roster import Person


@pytest.fixture(scope="module")
def keys():
    """A private and a public key as PEM text, made for this run."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return pem.decode(), public.decode()


@pytest.fixture
def server(keys):
    """A platform that knows five users."""
    with fake_lti.FakeLti(keys[1], "3", "4", "5", "6", "7") as server:
        yield server


def connect(server, key, **more):
    """A connection to it."""
    fields = {
        "token_url": f"{server.url}/mod/lti/token.php",
        "line_item": server.line_item,
        "client_id": fake_lti.CLIENT,
        **more,
    }
    return LtiTarget(Lti(**fields), key, 20, QUICK)


@pytest.fixture
def platform(server, keys):
    """The usual connection."""
    platform = connect(server, keys[0])
    yield platform
    platform.close()


def send(platform, tmp_path, wanted, *, overwrite=False, now=1_790_000_000):
    """One upload at a fixed time."""
    return uploads.send(platform, tmp_path, wanted, overwrite=overwrite, now=now)


def scores(server):
    """Every score that the platform holds."""
    return {user: one["score"] for user, one in server.results.items()}


def test_a_platform_that_rounds(server, platform, tmp_path):
    """A rounded score is not confirmed, but ours to replace; one that is quite another is somebody's."""
    server.overridden = {"3": 13.0, "4": 9.0}
    outcome = send(platform, tmp_path, entries(s3="13.37", s4="13.37"))
    assert outcome.confirmed == ()
    assert outcome.failed == {
        "s3": "was accepted as 13.37, and the platform shows 13: it rounds scores",
        "s4": "was accepted, and the platform shows another score or no comment",
    }
    server.overridden = {}
    later = send(platform, tmp_path, entries(s3=15, s4=15))
    assert [change.verdict for change in later.found] == ["change", "conflict"]
    assert later.confirmed == ("s3",)
    assert scores(server) == {"3": 15, "4": 9}


def posted(server):
    """Every score that was posted, as it came in."""
    return [json.loads(r.body) for r in server.requests if r.path.endswith("/scores")]


def test_scores_arrive_with_one_token(server, platform, tmp_path):
    """Each score is posted once, with one token for all; the second run posts nothing."""
    outcome = send(platform, tmp_path, entries(u3=20, u4=14.5, u5=0))
    assert outcome.confirmed == ("u3", "u4", "u5")
    assert scores(server) == {"3": 20.0, "4": 14.5, "5": 0.0}
    assert server.comments == {
        "3": ["Well done, u3 <3."],
        "4": ["Well done, u4 <3."],
        "5": ["Well done, u5 <3."],
    }
    assert server.count("POST", "/token.php") == 1
    again = send(platform, tmp_path, entries(u3=20, u4=14.5, u5=0))
    assert [change.verdict for change in again.found] == ["same"] * 3
    assert len(posted(server)) == 3


def test_what_is_posted(server, platform, tmp_path):
    """A score has the fields of the standard, a time with its zone, and Canvas's own field."""
    send(platform, tmp_path, entries(u4=14.5, u3=20))
    assert posted(server)[0] == {
        "userId": "4",
        "scoreGiven": 14.5,
        "scoreMaximum": 20,
        "comment": "Well done, u4 <3.",
        "timestamp": "2026-09-21T14:13:20.000+00:00",
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
        "https://canvas.instructure.com/lti/submission": {"new_submission": False},
    }
    assert repr(posted(server)[1]["scoreGiven"]) == "20"


def test_scores_comes_before_the_query(server, platform, tmp_path):
    """The service's name goes on the path; the query of the line item's address stays at the end."""
    send(platform, tmp_path, entries(u3=20))
    paths = {(r.path, tuple(r.query)) for r in server.requests if "lineitem" in r.path}
    assert paths == {
        (f"{fake_lti.LINE_ITEM}/scores", (("type_id", "1"),)),
        (f"{fake_lti.LINE_ITEM}/results", (("type_id", "1"),)),
    }


def test_times_grow_although_the_clock_stands(server, platform, tmp_path):
    """A second score within the same second goes with a later time, so that the platform takes it."""
    send(platform, tmp_path, entries(u3=20))
    outcome = send(platform, tmp_path, entries(u3=19))
    assert outcome.confirmed == ("u3",)
    assert [body["timestamp"][11:19] for body in posted(server)] == ["14:13:20", "14:13:21"]


def test_times_grow_although_the_clock_went_back(server, platform, tmp_path):
    """After the clock was put back a new score still has a later time."""
    send(platform, tmp_path, entries(u3=20))
    assert send(platform, tmp_path, entries(u3=19), now=1_780_000_000).confirmed == ("u3",)
    assert scores(server) == {"3": 19}


def test_conflict_is_moved_past(server, platform, tmp_path):
    """After a conflict (409) the time is moved on by a second a try."""
    server.results["3"] = {"score": None, "stamp": 1_790_000_001}
    assert send(platform, tmp_path, entries(u3=20)).confirmed == ("u3",)
    assert [body["timestamp"][11:19] for body in posted(server)] == ["14:13:20", "14:13:21", "14:13:22"]


def test_a_newer_score_is_kept(server, platform, tmp_path):
    """A score with a far later time on the platform is kept, and the student is named."""
    server.results["3"] = {"score": None, "stamp": 1_990_000_000}
    outcome = send(platform, tmp_path, entries(u3=20, u4=5))
    assert dict(outcome.failed) == {"u3": "has a newer score on the platform (409)"}
    assert outcome.confirmed == ("u4",)


def test_others_scores_are_kept(server, platform, tmp_path):
    """A score that we did not send, or that was removed, is kept, unless overwriting."""
    server.results["3"] = {"score": 9.5, "stamp": 1}
    send(platform, tmp_path, entries(u4=5))
    server.results["4"]["score"] = None
    outcome = send(platform, tmp_path, entries(u3=20, u4=5))
    assert [change.verdict for change in outcome.found] == ["conflict", "conflict"]
    send(platform, tmp_path, entries(u3=20, u4=5), overwrite=True)
    assert scores(server) == {"3": 20, "4": 5}


def test_an_override_by_hand_is_told(server, platform, tmp_path):
    """The platform takes the score and keeps showing the one that a person set: that is said."""
    send(platform, tmp_path, entries(s3=8))
    server.overridden = {"3": 8.0}
    outcome = send(platform, tmp_path, entries(s3=12))
    assert outcome.confirmed == ()
    assert dict(outcome.failed) == {
        "s3": "was accepted, and the platform still shows 8: a score that was set there by hand replaces "
        "ours; remove it there"
    }


def test_someone_the_platform_does_not_know(server, platform, tmp_path):
    """One refusal names the student and does not stop the others."""
    outcome = send(platform, tmp_path, entries(u99=20, u3=5))
    assert dict(outcome.failed) == {"u99": "was refused by the platform (404)"}
    assert outcome.confirmed == ("u3",)
    assert scores(server) == {"3": 5}


def test_people_by_lti_id(platform):
    """A student without an LTI id is not sent."""
    people = [Person("1", lti_id="3"), Person("2")]
    found, kept = platform.key.sort([Payload(person, small_class.final(person.id)) for person in people])
    assert list(found) == ["3"]
    assert [(one.student, one.why, one.lost) for one in kept] == [
        ("2", "has no lti_id; add it to the roster", True)
    ]


def test_platform_in_its_own_points(server, platform, tmp_path):
    """A platform that keeps 100 points converts by the maximum that is sent along; reading converts back."""
    server.maximum = 100.0
    assert send(platform, tmp_path, entries(u3=14.5)).confirmed == ("u3",)
    assert scores(server) == {"3": 72.5}
    assert platform.about().maximum == 20


def test_a_new_comment_with_the_same_score(server, platform, tmp_path):
    """Comments are not shown: a new one is sent with its score, an old one never again."""
    send(platform, tmp_path, entries(u3=20))
    outcome = send(platform, tmp_path, [Entry("u3", "3", Decimal(20), "Better words.")])
    assert [change.verdict for change in outcome.found] == ["comment"]
    assert server.comments["3"] == ["Well done, u3 <3.", "Better words."]
    assert outcome.confirmed == ("u3",)


@pytest.mark.slow
@pytest.mark.parametrize("acted", [True, False])
@pytest.mark.parametrize("kind", ["cut", "late", "502"])
def test_no_answer_to_a_score(server, platform, tmp_path, acted, kind):
    """After a cut, a late answer or a broken gateway there is one score and one comment."""
    fault = Fault(
        "POST",
        "/scores",
        fake_server.DOWN if kind == "502" else None,
        cut=kind == "cut",
        seconds=1.5 if kind == "late" else 0,
        act=acted,
    )
    server.faults = [fault]
    assert send(platform, tmp_path, entries(u3=20, u4=5)).confirmed == ("u3", "u4")
    assert server.comments == {"3": ["Well done, u3 <3."], "4": ["Well done, u4 <3."]}


@pytest.mark.slow
def test_silence_is_met_once(server, platform, tmp_path, monkeypatch):
    """After a score without any answer the platform is read first: a silent one ends the upload at once."""
    monkeypatch.setattr("grader.lms.upload.plan._SILENT_SECONDS", 0.5)
    server.faults = [
        Fault("POST", "/scores", seconds=1.5, times=9),
        Fault("GET", "/results", act=True),  # the first reading is answered
        Fault("GET", "/results", seconds=1.5, times=9),
    ]
    with pytest.raises(
        PlatformError, match=r"GET .*/results: no answer from 127\.0\.0\.1:\d+ \(ReadTimeout\)"
    ):
        send(platform, tmp_path, entries(u3=20, u4=5, u5=0))
    assert server.count("POST", "/scores") == 1


def test_busy(server, platform, tmp_path):
    """Throttles of either kind are waited for, at the token, the results and the scores."""
    server.faults = [
        Fault("POST", "/token.php", fake_server.BUSY, times=2),
        Fault("GET", "/results", fake_server.THROTTLED, times=2),
        Fault("POST", "/scores", fake_server.BUSY_SECONDS, times=2),
        Fault("POST", "/token.php", fake_server.DOWN),
    ]
    assert send(platform, tmp_path, entries(u3=20)).confirmed == ("u3",)


def test_token_that_expires_in_between(server, platform, tmp_path):
    """A token that the platform no longer takes is fetched anew, once, and the score arrives once."""
    platform.read(["3"])
    server.expire_tokens()
    assert send(platform, tmp_path, entries(u3=20)).confirmed == ("u3",)
    assert server.count("POST", "/token.php") == 2
    assert len(posted(server)) == 1


@pytest.mark.parametrize(("lifetime", "fetched"), [(3600, 1), (None, 1), (10**400, 1), (0, 3)])
def test_token_is_kept_until_it_expires(server, platform, tmp_path, lifetime, fetched):
    """One token serves until it expires; without a stated lifetime, an hour."""
    server.lifetime = lifetime
    send(platform, tmp_path, entries(u3=20))
    assert server.count("POST", "/token.php") == fetched


def test_token_that_is_never_taken(server, platform):
    """A platform that refuses a new token ends the run after one more try."""
    server.faults = [Fault("GET", "/results", Answer(b"", 401), times=99)]
    with pytest.raises(PlatformError, match=r"does not take its own token \(401\)"):
        platform.read(["3"])
    assert server.count("GET", "/results") == 2


@pytest.mark.parametrize("more", [{"client_id": "somebody-else"}, {"token_url": ""}])
def test_registration_that_does_not_fit(server, keys, more):
    """A wrong client id: the keys to compare are named."""
    more = {key: value or f"{server.url}/mod/lti/token.php?x=1" for key, value in more.items()}
    platform = connect(server, keys[0], **more)
    with pytest.raises(
        PlatformError, match=r"no token \(400\); compare client_id, token_url and the key in \$LTI_"
    ):
        platform.read(["3"])
    platform.close()


def test_a_platform_whose_clock_is_behind(server, platform):
    """A platform's clock may be 50 seconds behind; with five minutes the clock is named."""
    server.behind = 50
    platform.read(["3"])
    server.behind = 300
    server.expire_tokens()
    with pytest.raises(PlatformError, match=r"no token \(400\).*, and this computer's clock with the time"):
        platform.read(["3"])


AGS = "https://purl.imsglobal.org/spec/lti-ags/scope"
NRPS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"


@pytest.mark.parametrize(
    ("granted", "missing"),
    [
        (f"{AGS}/score {AGS}/result.readonly", None),
        (f"{AGS}/result.readonly,{AGS}/score,{NRPS}", None),
        ("read write", None),
        (f"{AGS}/score", "result.readonly"),
        (f"{AGS}/result.readonly", "score"),
        (NRPS, "score and result.readonly"),
    ],
)
def test_rights_that_are_not_granted(server, platform, granted, missing):
    """A token without one of the two rights is refused before scores are read, and the right is named."""
    server.granted = granted
    if missing is None:
        assert platform.read(["3"])["3"].points is None
        return
    with pytest.raises(PlatformError, match=f"does not grant the tool {missing}; allow it"):
        platform.read(["3"])
    assert server.count("GET", "/results") == 0


def test_a_token_that_is_refused_for_its_rights(server, platform):
    """``invalid_scope`` is about rights, not about keys."""
    server.faults = [Fault("POST", "/token", Answer({"error": "invalid_scope"}, 400))]
    with pytest.raises(PlatformError, match=r"does not grant the tool score and result\.readonly; allow it"):
        platform.read(["3"])


def test_key_that_is_not_a_key(server):
    """A private key that is not PEM text is an error that names its variable, not its value."""
    platform = connect(server, "not-a-key-but-secret")
    with pytest.raises(PlatformError, match=r"\$LTI_PRIVATE_KEY does not hold an RSA private key") as caught:
        platform.read(["3"])
    assert "not-a-key" not in str(caught.value)
    platform.close()


def test_key_id_goes_along(server, keys):
    """key_id is sent in the head of the assertion."""
    platform = connect(server, keys[0], key_id="k1")
    platform.read(["3"])
    form = server.requests[0].form
    head = fake_lti.jwt.get_unverified_header(form["client_assertion"])
    assert (head["kid"], head["alg"]) == ("k1", "RS256")
    platform.close()


def test_no_comment_wanted(server, platform, tmp_path):
    """Without a comment the score is sent alone."""
    send(platform, tmp_path, [Entry("u3", "3", Decimal(20), "")])
    assert "comment" not in posted(server)[0]
    assert platform.about().warnings == ()


@pytest.mark.parametrize(
    ("path", "answer", "message"),
    [
        (
            "/results",
            fake_server.PAGE,
            "answered text/html instead of JSON; is line_item in course.toml right",
        ),
        ("/results", Answer({"not": "a list"}), "answered an object instead of a list"),
        ("/results", Answer(b"No handler", 404), "status 404: No handler; is line_item in course.toml right"),
        ("/results", Answer(b"", 302, {"Location": "https://x.example"}), r"another address \(status 302\)"),
        ("/token.php", fake_server.PAGE, "answered text/html instead of JSON"),
        ("/token.php", Answer({"token": "x"}), "answered without an access_token"),
        ("/token.php", Answer({"access_token": 5}), "answered without an access_token"),
        ("/token.php", Answer({"access_token": "caf\u00e9"}), "answered without an access_token"),
        ("/token.php", Answer(b"[" * 100_000), "answered text/plain instead of JSON"),
    ],
)
def test_no_results_there(server, platform, path, answer, message):
    """A page, an object or a redirect is an error, not a list of results, nor is it a token."""
    server.faults = [Fault("GET" if path == "/results" else "POST", path, answer)]
    with pytest.raises(PlatformError, match=message):
        platform.read(["3"])


def test_pages_of_results(server, platform):
    """All pages of results are read; a student who is not in them or has null has no score."""
    server.page = 2
    server.results = {user: {"score": float(user), "stamp": 1} for user in ("3", "4", "5", "6", "7")}
    server.results["6"]["score"] = None
    server.results["7"]["score"] = 7
    found = platform.read(["3", "5", "6", "7", "8"])
    assert {key: one.points for key, one in found.items()} == {
        "3": Decimal(3),
        "5": Decimal(5),
        "6": None,
        "7": Decimal(7),
        "8": None,
    }


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (None, "the list holds null instead of an object"),
        ("odd", "the list holds a text instead of an object"),
        ({"resultScore": 2}, "an entry has no userId"),
        ({"userId": "3", "resultScore": "2"}, "resultScore is a text instead of a number"),
        ({"userId": "3", "resultScore": True}, "resultScore is true or false instead of a number"),
        ({"userId": "3", "resultScore": float("inf")}, "resultScore is of a size that points do not have"),
        (
            {"userId": "3", "resultScore": 2, "resultMaximum": []},
            "resultMaximum is a list instead of a number",
        ),
    ],
)
def test_a_result_that_is_not_understood(server, platform, tmp_path, entry, message):
    """A result that cannot be understood does not count as no score: an error, and nothing is sent."""
    server.faults = [Fault("GET", "/results", Answer([entry]), times=99)]
    with pytest.raises(PlatformError, match=f"LTI: GET .*/results: {message}"):
        send(platform, tmp_path, entries(u3=20))
    assert posted(server) == []


def test_maximum_that_nothing_can_be_divided_by(server, platform):
    """A maximum close to zero is ignored, and the score is not converted."""
    for most in (0, 1e-9):
        result = {"userId": "3", "resultScore": 2, "resultMaximum": most}
        server.faults = [Fault("GET", "/results", Answer([result]))]
        assert platform.read(["3"])["3"].points == 2


def test_results_that_go_on_elsewhere(server, platform):
    """A list that goes on at another server is refused: the token would go there."""
    server.page = 1
    server.elsewhere = "http://127.0.0.2:9"
    server.results = {user: {"score": 1.0, "stamp": 1} for user in ("3", "4")}
    with pytest.raises(PlatformError, match=r"goes on at another server than 127\.0\.0\.1:\d+"):
        platform.read(["3"])


def test_list_without_end(server, platform, monkeypatch):
    """A list without an end is an error: a student not listed yet may have a score."""
    monkeypatch.setattr("grader.lms.upload.http._PAGES", 3)
    link = f'<{server.line_item}>; rel="next"'.replace("/lineitem?", "/lineitem/results?")
    server.faults = [Fault("GET", "/results", Answer([], headers={"Link": link}), times=99)]
    with pytest.raises(PlatformError, match="the list has more than 3 pages"):
        platform.read(["3"])
    assert server.count("GET", "/results") == 3


def test_nothing_secret_is_kept(platform, tmp_path, keys):
    """The journal holds no token and no key."""
    send(platform, tmp_path, entries(u3=20))
    text = (tmp_path / "uploads.jsonl").read_text()
    assert "lti-secret" not in text
    assert keys[0].splitlines()[1] not in text
