"""Child against a scripted process that sends valid, malformed, late and forged replies."""

import ctypes
import os
import signal
import time
from contextlib import nullcontext

import pytest
from helpers.scripted_child import Stage, scripted

from grader.sandbox.child import Request, SandboxError, StoppedError
from grader.sandbox.inside import wire

CALL = {"verb": "call", "module": "reservation", "name": "f", "arguments": [[1, 2], 5], "keywords": []}


def ask(child, **limits):
    """Send a call with limits that a valid reply never reaches."""
    return child.ask(Request(CALL), **{"cpu": 2.0, "wall": 20.0, **limits})


def answered(*replies):
    """Make a play that answers each request with the next of these functions of the request."""

    def play(stage: Stage) -> None:
        for reply in replies:
            stage.say(reply(stage.request()))
        stage.request()

    return play


def value(request, content=300, **more):
    """Make a valid reply with the value ``content``, and no aside."""
    return {"kind": "value", "value": content, **more, "n": request["n"]}


def assert_stopped(play, reason, **limits):
    """Assert that the first request to such a child stops it for this reason."""
    with scripted(play) as child:
        with pytest.raises(StoppedError, match=f"^{reason}$"):
            ask(child, **limits)
        assert child.close() is child.close()


def test_valid_replies_become_verdicts_and_asides():
    """Two calls give two verdicts; the second has an aside, without its unknown key."""
    second = {"n": "", "kind": "raised", "classes": ["ValueError", "Exception", "BaseException"]}
    play = answered(
        value,
        lambda request: {
            **second,
            "n": request["n"],
            "aside": {"type": "ValueError", "text": "no", "nonsense": 1},
        },
    )
    with scripted(play) as child:
        assert ask(child).verdict == {"kind": "value", "value": 300}
        reply = ask(child)
    assert reply.verdict == {"kind": "raised", "classes": ["ValueError", "Exception", "BaseException"]}
    assert reply.aside == {"type": "ValueError", "text": "no"}


def test_files_are_sent_before_requests():
    """Names and bytes arrive whole, also when they are larger than a socket's buffer."""
    large = b"x" * 3_000_000

    def play(stage):
        files = stage.files()
        request = stage.request()
        stage.say(value(request, [[name, len(data)] for name, data in files.items()]))

    with scripted(play) as child:
        child.send_files({"reservation.py": b"print()", "helper.py": large})
        assert ask(child).verdict["value"] == [["reservation.py", 7], ["helper.py", 3_000_000]]


def test_each_request_has_its_own_nonce():
    """Two equal calls carry different nonces of 16 hexadecimal digits."""
    with scripted(answered(*[lambda r: value(r, r["n"])] * 2)) as child:
        numbers = {ask(child).verdict["value"] for _ in range(2)}
    assert len(numbers) == 2
    assert all(len(number) == 16 for number in numbers)


def test_wrong_nonce_stops_the_child():
    """A reply with the nonce of another request is a protocol stop."""
    assert_stopped(answered(lambda _: value({"n": "0" * 16})), "protocol")


@pytest.mark.parametrize("number", [None, 0, True, [], {}, ["x"] * 100])
def test_nonce_of_another_type_stops_the_child(number):
    """A nonce that is not text is a protocol stop."""
    assert_stopped(answered(lambda _: value({"n": number})), "protocol")


def test_reply_before_the_request_stops_the_child():
    """A reply that is sent with ``ready`` or before the request is a protocol stop."""
    early = wire.dumps(value({"n": "0" * 16}))
    ready = wire.dumps({"kind": "ready"})
    for greet, later in ((ready + early, b""), (ready, early)):

        def play(stage, later=later):
            stage.raw(later)
            stage.request()
            time.sleep(9)

        with scripted(play, greet=greet) as child:
            time.sleep(0.1)
            with pytest.raises(StoppedError, match="protocol"):
                ask(child)


def test_second_reply_to_one_request_stops_the_child():
    """Of two replies to one request the first counts; the second does not answer the next request."""

    def play(stage):
        request = stage.request()
        stage.say(value(request, 1), value(request, 2))
        stage.request()
        time.sleep(9)

    with scripted(play) as child:
        assert ask(child).verdict["value"] == 1
        with pytest.raises(StoppedError, match="protocol"):
            ask(child)


def test_late_reply_is_a_time_stop():
    """After the wall limit the child is ended, so that no later request reads its reply."""

    def play(stage):
        request = stage.request()
        time.sleep(6)
        stage.say(value(request))
        time.sleep(9)

    begun = time.monotonic()
    assert_stopped(play, "time", wall=0.3)
    assert 0.3 <= time.monotonic() - begun < 6


def test_reply_byte_by_byte_does_not_extend_the_limit():
    """A reply that arrives byte by byte is stopped at the same wall limit."""

    def play(stage):
        body = wire.dumps(value(stage.request()))
        for byte in body:
            stage.raw(bytes([byte]))
            time.sleep(0.2)

    begun = time.monotonic()
    assert_stopped(play, "time", wall=0.4)
    assert time.monotonic() - begun < 6


def test_reply_that_is_not_complete_is_a_time_stop():
    """All of a frame has to arrive within the limit."""

    def play(stage):
        stage.raw(wire.dumps(value(stage.request()))[:-1])
        time.sleep(9)

    assert_stopped(play, "time", wall=0.3)


@pytest.mark.slow
def test_reply_in_many_parts_is_a_protocol_stop(monkeypatch):
    """Of at most five parts a sixth is refused: each wakes the trusted side up. Five parts are a reply."""
    monkeypatch.setattr("grader.sandbox.child._MOST_PARTS", 5)
    for parts, reason in ((5, ""), (6, "protocol")):

        def play(stage, parts=parts):
            frame = wire.dumps(value(stage.request()))
            for number in range(parts):
                stage.raw(frame[number : number + 1] if number < parts - 1 else frame[number:])
                time.sleep(0.1)
            stage.request()

        expected = pytest.raises(StoppedError, match=reason) if reason else nullcontext()
        with scripted(play) as child, expected:
            assert ask(child, wall=9.0).verdict["value"] == 300


def test_equal_bytes_are_checked_once():
    """A reply whose bytes before the nonce were checked is known; one more key, or a wrong nonce, is not."""
    request = Request(CALL)
    turns = [value, value, lambda r: value(r, more=1), lambda _: value({"n": "0" * 16})]
    with scripted(answered(*turns)) as child:
        first, second, third = (child.ask(request, cpu=2, wall=2) for _ in range(3))
        assert first is second
        assert third is not first
        assert third == first
        with pytest.raises(StoppedError, match="protocol"):
            child.ask(request, cpu=2, wall=2)


def test_known_replies_are_few_and_short():
    """Of one request 32 replies of 400 bytes at most are kept."""
    request = Request(CALL)
    answers = [*range(40), "x" * 400]
    with scripted(answered(*(lambda r, one=one: value(r, one) for one in answers))) as child:
        assert [child.ask(request, cpu=2, wall=2).verdict["value"] for _ in answers] == answers
    assert len(request.known) == 32
    assert max(map(len, request.known)) < 400


def test_files_that_are_not_read_are_a_time_stop():
    """Sending files to a child that reads nothing ends at the wall limit."""
    with scripted(lambda _: time.sleep(30)) as child:
        child._wall_end = time.monotonic() + 0.3
        with pytest.raises(StoppedError, match="time"):
            child.send_files({"reservation.py": b"x" * 3_000_000})


def test_cpu_limit_counts_cpu_time_alone():
    """With 0.2 CPU seconds allowed, a busy loop is stopped, and sleeping for 0.5 s is not."""

    def busy(stage):
        stage.request()
        while True:
            pass

    assert_stopped(busy, "time", cpu=0.2, wall=20)

    def idle(stage):
        request = stage.request()
        time.sleep(0.5)
        stage.say(value(request))
        stage.request()

    with scripted(idle) as child:
        before = child.cpu_seconds()
        assert ask(child, cpu=0.2, wall=20).verdict["value"] == 300
        assert child.cpu_seconds() - before < 0.2


def test_cpu_seconds_after_the_end():
    """After its end, ``cpu_seconds`` is what the child used in its life."""

    def play(stage):
        stage.request()
        begun = time.process_time()
        while time.process_time() - begun < 0.2:
            pass

    with scripted(play) as child:
        with pytest.raises(StoppedError, match="ended"):
            ask(child)
        assert 0.2 <= child.cpu_seconds() < 0.4


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (lambda: os._exit(0), "ended"),
        (lambda: os._exit(7), "ended"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "memory"),
        (lambda: ctypes.string_at(0), "crashed"),
        (lambda: os.kill(os.getpid(), signal.SIGSYS), "crashed"),
    ],
)
def test_end_of_the_process_gives_the_reason(end, reason):
    """An exit is ``ended``, a SIGKILL by the kernel ``memory``, another signal ``crashed``."""

    def play(stage):
        stage.request()
        end()

    assert_stopped(play, reason)


def test_sigkill_after_the_cpu_limit_is_a_time_stop():
    """A SIGKILL after the allowed CPU time comes from the kernel's own CPU limit."""

    def play(stage):
        stage.request()
        os.setpriority(os.PRIO_PROCESS, 0, 5)
        begun = time.process_time()
        while time.process_time() - begun < 0.05:
            pass
        os.kill(os.getpid(), signal.SIGKILL)

    with scripted(play) as child:
        child.cpu_seconds()
        with pytest.raises(StoppedError, match="time"):
            ask(child, cpu=0.05, wall=20)


@pytest.mark.slow
def test_closed_channel_of_a_living_process():
    """The process is killed after one second; this is a protocol stop."""

    def play(stage):
        stage.request()
        stage.channel.close()
        time.sleep(30)

    begun = time.monotonic()
    assert_stopped(play, "protocol")
    assert 1 <= time.monotonic() - begun < 15


def test_request_after_the_end():
    """A request to a child that has ended gives its reason, and so does a second one."""
    with scripted(lambda _: None) as child:
        time.sleep(0.2)
        for _ in range(2):
            with pytest.raises(StoppedError, match="ended"):
                ask(child)


def test_end_without_reading_the_request():
    """A child that ends without reading the request has ``ended``."""
    assert_stopped(lambda _: time.sleep(0.2), "ended")


@pytest.mark.parametrize(
    ("length", "body"),
    [
        (0xFFFFFFFF, b"x" * 100),
        ((1 << 18) + 1, b""),
        (0, b""),
        (2, b"[]"),
        (2, b"\xff\xfe"),
        (7, b"{'a':1}"),
        (100_000, b"[" * 100_000),
        (150_000, b'{"n":' * 30_000),
        (200_006, b'{"n":"' + b"x" * 200_000),
        (200_000, b"9" * 200_000),
    ],
    ids=[
        "over the limit",
        "just over",
        "empty",
        "list",
        "no ASCII",
        "no JSON",
        "deep",
        "deep objects",
        "cut",
        "huge",
    ],
)
def test_malformed_frames_stop_the_child(length, body):
    """A length over the limit, an empty body, another type, no JSON, deep, cut or huge: a stop at once."""

    def play(stage):
        stage.request()
        stage.raw(length.to_bytes(4, "big") + body)
        time.sleep(9)

    begun = time.monotonic()
    assert_stopped(play, "protocol")
    assert time.monotonic() - begun < 6


@pytest.mark.parametrize(
    "aside",
    [b"[]", b"x", b'{"text":' + b"[" * 900 + b"]" * 900, b'{"printed":' + b"9" * 5000 + b"}"],
)
def test_malformed_aside_stops_the_child(aside):
    """An aside that is not a message is a protocol stop, even beside a valid reply."""

    def play(stage):
        end = b',"aside":' + aside + b"}"
        stage.say(wire.dumps(value(stage.request()))[4:-1] + end)
        time.sleep(9)

    assert_stopped(play, "protocol")


def test_a_deep_aside():
    """An aside of 500 nested lists is read; the malformed text in it is left out."""

    def play(stage):
        deep = b',"aside":{"text":' + b"[" * 500 + b"]" * 500 + b"}}"
        stage.say(wire.dumps(value(stage.request()))[4:-1] + deep)
        stage.request()

    with scripted(play) as child:
        assert ask(child).aside == {}


def test_request_that_is_too_large_is_a_fault_of_the_test():
    """Arguments of more than 256 KiB are a SandboxError, never a stop; the child serves the next request."""
    with scripted(answered(value)) as child:
        with pytest.raises(SandboxError, match="a test calls f with more than 256 KiB of arguments"):
            Request({**CALL, "arguments": ["x" * (1 << 18)]})
        assert ask(child).verdict["value"] == 300


def test_child_that_cannot_enter_its_jail():
    """A reported fault and an early end are both a SandboxError, not a stop of the submission."""
    report = wire.dumps({"kind": "fault", "text": "OSError: no Landlock"})
    with pytest.raises(SandboxError, match="no Landlock"), scripted(lambda _: None, greet=report):
        pass
    with pytest.raises(SandboxError, match="it ended"), scripted(lambda _: None, greet=b""):
        pass
    malformed = b"\x00\x00\x00\x02[]"
    with pytest.raises(SandboxError, match="object"), scripted(lambda _: None, greet=malformed):
        pass


@pytest.mark.slow
def test_child_that_does_not_start_in_time(monkeypatch):
    """Without a first message in time it is a SandboxError."""
    monkeypatch.setattr("grader.sandbox.child._READY_SECONDS", 0.2)
    with pytest.raises(SandboxError, match="in time"), scripted(lambda _: time.sleep(9), greet=b""):
        pass


def test_no_flags_without_a_jail():
    """Without a descriptor that shows refused calls there are no flags."""
    with scripted(answered(value)) as child:
        ask(child)
        assert child.flags == frozenset()
