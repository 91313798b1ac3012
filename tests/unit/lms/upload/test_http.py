"""Requests to a platform: patience, failures that all platforms share, where the token goes, JSON's shape."""

import contextlib
import gzip
import json
import socket
import threading
import time
from contextlib import contextmanager
from decimal import Decimal
from http.client import HTTPConnection, RemoteDisconnected
from types import SimpleNamespace

import httpx
import pytest
from helpers.fake_server import Answer, FakeServer, Fault

from grader.lms.upload.http import Client, JsonObject, Patience
from grader.lms.upload.target import PlatformError, RefusedError, UnsureError

RENEW = "renew it."
QUICK = Patience(attempts=3, first=0.002, most=0.01, silence=0.5)


class Echo(FakeServer):
    """Answers every request with its path."""

    def handle(self, request):
        """Say the path."""
        return Answer({"path": request.path})


@pytest.fixture
def server():
    """A server that can go wrong."""
    with Echo() as server:
        yield server


@pytest.fixture
def client(server):
    """A client with a token for that server."""
    client = Client(server.url, QUICK, hint="look here.", token_hint=RENEW, bearer=lambda: "secret")
    yield client
    client.close()


def tokens(server):
    """The tokens that came with each request."""
    return [request.headers.get("authorization") for request in server.requests]


# --- patience ---


def busy(after=None):
    """The answer of a platform that asks to come again."""
    return httpx.Response(429, headers={} if after is None else {"Retry-After": after.encode("latin-1")})


@pytest.fixture
def clock(monkeypatch):
    """A clock that only waits move on; the seconds of each wait, and those that each try may take."""
    clock = SimpleNamespace(now=0.0, waits=[], given=[])

    def sleep(seconds):
        clock.waits.append(seconds)
        clock.now += seconds

    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(time, "sleep", sleep)
    return clock


def ask(clock, monkeypatch, patience, *answers, method="GET"):
    """Send one request, which finds these answers and errors, the last of them again and again."""
    left = list(answers)

    def answered(_, request, *, stream):
        assert stream
        clock.given.append(request.extensions["timeout"]["read"])
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, httpx.Response):
            return answer
        raise answer

    monkeypatch.setattr(httpx.Client, "send", answered)
    return Client("http://host", patience, hint="").ask(f"{method} x", method, "http://host/x")


def test_waits_grow_and_are_bounded(clock, monkeypatch):
    """Waits double up to the limit; a wait that the platform asks for replaces ours, within the limit."""
    cut, date = httpx.ReadError("cut"), busy("Wed, 21 Oct 2026 07:28:00 GMT")
    answers = [
        busy(),
        cut,
        date,
        busy("3"),
        busy("99"),
        busy("0"),
        busy("-1"),
        busy("\u00b2"),
        httpx.Response(200),
    ]
    patience = Patience(attempts=9, first=1, most=5)
    assert ask(clock, monkeypatch, patience, *answers).status_code == 200
    assert clock.waits == [1, 2, 4, 3, 5, 0, 5, 5]


def test_harmful_requests_are_not_repeated(clock, monkeypatch):
    """A request that must not be repeated is tried once when no answer comes."""
    for answer in (httpx.ReadError("cut"), httpx.Response(502)):
        clock.given.clear()
        with pytest.raises(UnsureError):
            ask(clock, monkeypatch, QUICK, answer, method="POST")
        assert len(clock.given) == 1
    with pytest.raises(PlatformError, match=r"GET x: no answer from host \(ReadError\) after 3 tries"):
        ask(clock, monkeypatch, QUICK, httpx.ReadError("cut"))


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_silent_host_is_given_up_in_time(method):
    """A host that never answers is named and given up after the limit, all tries included."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        client = Client(f"http://{host}", QUICK, hint="")
        start = time.monotonic()
        with pytest.raises(
            PlatformError, match=rf"^X: GET it: no answer from {host} \(ReadTimeout\) after 1 try"
        ):
            client.ask("X: GET it", method, f"http://{host}/it", harmless=True)
        assert 0.5 <= time.monotonic() - start < 5
        client.close()


def test_waits_count_as_silence(clock, monkeypatch):
    """The next try is left out where the wait before it would pass the limit: 1, 2 and 4 of 10 seconds."""
    with pytest.raises(PlatformError, match=r"no answer from host \(ConnectError\) after 4 tries"):
        ask(clock, monkeypatch, Patience(first=1, silence=10), httpx.ConnectError("no"))
    assert clock.given == [10, 9, 7, 3]


def test_an_answer_ends_the_silence(clock, monkeypatch):
    """A platform that says it is busy may take longer than the limit for silence."""
    answers = [busy("60"), httpx.ReadError("cut"), busy("60"), httpx.Response(502), httpx.Response(200)]
    ask(clock, monkeypatch, Patience(silence=10), *answers)
    assert clock.now == 60 + 2 + 60 + 8
    assert clock.given[-1] == 10


# --- answers that are too slow or too large ---


@contextmanager
def pouring(pieces, head=b"", seconds=0.0):
    """A server that sends a head and then piece after piece, waiting in between; its address."""
    stop = threading.Event()

    def pour(listener):
        with contextlib.suppress(OSError), listener.accept()[0] as connection:
            connection.recv(1 << 16)
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + head + b"\r\n")
            for piece in pieces:
                connection.sendall(piece)
                if stop.wait(seconds):
                    break

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=pour, args=(listener,))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        stop.set()
        thread.join()


@pytest.mark.parametrize(("method", "error"), [("GET", PlatformError), ("POST", UnsureError)])
def test_an_answer_that_drips(method, error):
    """A byte every 50 ms is given up after half a second, as silence; otherwise it would take 50 seconds."""
    start = time.monotonic()
    with pouring([b" "] * 1000, seconds=0.05) as url:
        client = Client(url, QUICK, hint="")
        with pytest.raises(error, match="ReadTimeout"):
            client.ask("X: it", method, url)
        client.close()
    assert 0.5 <= time.monotonic() - start < 5


@pytest.mark.slow
def test_a_slow_answer_that_goes_on():
    """An answer of 100 kB that takes twice the limit for silence arrives: 1 MB needs 60 s at the slowest."""
    with pouring([b"x" * 5000] * 20, seconds=0.05) as url:
        client = Client(url, QUICK, hint="")
        assert len(client.ask("X: it", "GET", url).content) == 100_000
        client.close()


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_that_is_too_large(monkeypatch, packed):
    """An answer is read up to the limit, unpacked; ten thousand times a thousand blanks are too much."""
    monkeypatch.setattr("grader.lms.upload.http.MAX_BYTES", 3 << 20)
    head, pieces = (
        (b"Content-Encoding: gzip\r\n", [gzip.compress(b" " * 10_000_000)])
        if packed
        else (b"", [b" " * 1000] * 10_000)
    )
    with pouring(pieces, head) as url:
        client = Client(url, QUICK, hint="")
        with pytest.raises(RefusedError, match=r"^X: it: the answer has more than 3 MiB\.$"):
            client.ask("X: it", "GET", url)
        client.close()


def test_a_packed_answer(server, client):
    """An answer that is packed is read as what it holds."""
    answer = Answer(gzip.compress(b'{"a": 1}'), headers={"Content-Encoding": "gzip"})
    server.faults = [Fault("GET", "/it", answer)]
    assert client.json("X", client.ask("X", "GET", f"{server.url}/it")) == {"a": 1}


@pytest.mark.parametrize("charset", ["hex", "base64", "idna", "no-such", "utf-16"])
def test_a_charset_that_is_none(server, client, charset):
    """Words of a refusal are read as UTF-8, whatever charset it names."""
    words = "Gesperrt für alle".encode()
    server.faults = [
        Fault("GET", "/it", Answer(words, 403, {"Content-Type": f"text/plain; charset={charset}"}))
    ]
    with pytest.raises(RefusedError, match="refused with status 403: Gesperrt für alle; may the token"):
        client.ask("X", "GET", f"{server.url}/it")


# --- where the token goes ---


def test_the_token_goes_to_its_own_server(server, client):
    """The token is sent to its own server, however the address is spelled, unless a request is anonymous."""
    client.ask("X: GET a", "GET", f"{server.url}/a")
    client.ask("X: GET b", "GET", f"{server.url}/b".replace("http://", "HTTP://"))
    client.ask("X: GET c", "GET", f"{server.url}/c", anonymous=True)
    assert tokens(server) == ["Bearer secret", "Bearer secret", None]


def test_another_server_gets_no_token(client):
    """A request to any other host or port goes without it."""
    with Echo() as other:
        client.ask("X: GET a", "GET", f"{other.url}/a")
        client.ask("X: GET b", "GET", f"{other.url}/b".replace("127.0.0.1", "localhost"))
        assert tokens(other) == [None, None]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(server, client, status):
    """Neither the token nor a form goes where a redirect leads, even at the same server."""
    with Echo() as other:
        for there in (other.url, server.url):
            server.faults = [Fault("POST", "/a", Answer(b"", status, {"Location": f"{there}/b"}))]
            with pytest.raises(
                PlatformError, match=rf"leads to another address \(status {status}\); look here"
            ):
                client.ask("X: POST a", "POST", f"{server.url}/a", data={"token": "secret"})
        assert other.requests == []
    assert len(server.requests) == 2


def test_pages_at_the_same_server(server, client):
    """A link to the next page may be relative; it gets the token, too."""
    server.faults = [Fault("GET", "/list", Answer([1], headers={"Link": '</more?page=2>; rel="next"'}))]
    assert list(client.pages("X: GET list", f"{server.url}/list")) == [[1], {"path": "/more"}]
    assert tokens(server) == ["Bearer secret"] * 2


# --- failures that all platforms share ---


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer({"message": "no"}, 400), r'refused with status 400: \{"message": "no"\}\.$'),
        (Answer(b"<p>no</p>", 400), r"refused with status 400\.$"),
        (Answer(b"a\x1b[2J\n b", 409), r"refused with status 409: a\\x1b\[2J b\.$"),
        (Answer(b"", 403), r"refused with status 403; may the token do that\?$"),
        (Answer(b"", 404), r"refused with status 404; look here\.$"),
        (Answer(b"", 401), r"X: GET it: renew it\.$"),
        (Answer(b"", 503), r"no answer from 127\.0\.0\.1:\d+ \(status 503\) after 3 tries"),
        (Answer(b"", 429), r"127\.0\.0\.1:\d+ is still too busy after 3 tries"),
    ],
)
def test_statuses(server, client, answer, message):
    """Each status has one sentence with the platform's own words, unless they are a page."""
    server.faults = [Fault("GET", "/it", answer, times=9)]
    with pytest.raises(PlatformError, match=message):
        client.ask("X: GET it", "GET", f"{server.url}/it")


@pytest.mark.parametrize("url", ["", "no-scheme.example", "ftp://host/", "http://" + "x" * 70])
def test_not_an_address(client, url):
    """An address that is not one is said at once."""
    with pytest.raises(PlatformError, match=r"^X: GET it: the address is not one; look here\.$"):
        client.ask("X: GET it", "GET", url)


# --- JSON's shape ---


@pytest.mark.parametrize(
    ("value", "found"),
    [(0, "0"), (18.5, "18.5"), (-1, "-1"), (1e-9, "1E-9"), (9_999_999_999, "9999999999")],
)
def test_numbers(value, found):
    """A number keeps its digits as they were written."""
    assert JsonObject({"score": value}, "GET it").decimal("score") == Decimal(found)


@pytest.mark.parametrize("value", ["5", "", [], {}, True, float("nan"), float("-inf"), 1e10, 10**400, 1e-200])
def test_not_a_number(value):
    """Texts, truth values and sizes that points do not have are errors, never None."""
    with pytest.raises(PlatformError, match=r"^GET it: score is .*[.]$"):
        JsonObject({"score": value}, "GET it").decimal("score")


def test_null_and_missing():
    """Null means no score; a missing key does so only where it is optional."""
    assert JsonObject({"score": None}, "GET it").decimal("score") is None
    assert JsonObject({}, "GET it").decimal("score", optional=True) is None
    with pytest.raises(PlatformError, match=r"^GET it: the answer has no score; may the token see it[?]$"):
        JsonObject({}, "GET it").decimal("score")


@pytest.mark.parametrize(("value", "found"), [(17, "17"), ("a7", "a7"), (0, "0")])
def test_ids(value, found):
    """An id is a whole number or a text."""
    assert JsonObject({"id": value}, "GET it").id("id") == found


@pytest.mark.parametrize("value", [None, "", 1.5, True, [], {}, "a\n", "x y", "é"])
def test_not_an_id(value):
    """Anything else is an error."""
    with pytest.raises(PlatformError, match=r"^GET it: an entry has no id, which says who it is about[.]$"):
        JsonObject({"id": value}, "GET it").id("id")


# --- the fake server ---


def test_the_fake_server_can_be_cut_off(server):
    """The cut in these tests is real: the client sees a connection that ends without an answer."""
    server.faults = [Fault("GET", "/x", cut=True)]
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=5)
    connection.request("GET", "/x")
    with pytest.raises(RemoteDisconnected):
        connection.getresponse()
    connection.request("GET", "/x")
    assert json.loads(connection.getresponse().read()) == {"path": "/x"}
    connection.close()
