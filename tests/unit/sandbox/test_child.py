"""The trusted side of the channel, driven by a child that says whatever hurts."""

from __future__ import annotations

import ctypes
import os
import signal
import time

import pytest
from helpers.scripted_child import Stage, scripted

from grader.sandbox.child import SandboxError, StoppedError
from grader.sandbox.inside import frames

CALL = {"verb": "call", "module": "reservation", "name": "f", "arguments": [[1, 2], 5], "keywords": []}


def ask(child, **limits):
    """Ask for a call, with limits that no right answer needs."""
    return child.ask(CALL, **{"cpu": 2.0, "wall": 2.0, **limits})


def answered(*replies):
    """A play that answers each request with the next of these functions of the request."""

    def play(stage: Stage) -> None:
        for reply in replies:
            stage.say(*reply(stage.request()))
        stage.request()

    return play


def value(request, content=300, **more):
    """A right reply that returns ``content``, and its aside."""
    return {"n": request["n"], "kind": "value", "value": content, **more}, {}


def assert_stopped(play, reason, **limits):
    """One question to such a child stops it, for this reason."""
    with scripted(play) as child:
        with pytest.raises(StoppedError) as stopped:
            ask(child, **limits)
        assert stopped.value.reason == reason
        assert child.close() is child.close()


def test_an_honest_conversation():
    """Two calls, two answers; what was said beside them comes along, cleaned."""
    second = {"n": "", "kind": "raised", "classes": ["ValueError", "Exception", "BaseException"]}
    play = answered(
        value,
        lambda request: ({**second, "n": request["n"]}, {"type": "ValueError", "text": "no", "nonsense": 1}),
    )
    with scripted(play) as child:
        assert ask(child).verdict == {"kind": "value", "value": 300}
        reply = ask(child)
    assert reply.verdict == {"kind": "raised", "classes": ["ValueError", "Exception", "BaseException"]}
    assert reply.aside == {"type": "ValueError", "text": "no"}


def test_files_go_over_the_channel_first():
    """Names and bytes arrive whole, larger than any socket's buffer."""
    large = b"x" * 3_000_000

    def play(stage):
        files = stage.files()
        request = stage.request()
        stage.say(*value(request, [[name, len(data)] for name, data in files.items()]))

    with scripted(play) as child:
        child.send_files({"reservation.py": b"print()", "helper.py": large})
        assert ask(child).verdict["value"] == [["reservation.py", 7], ["helper.py", 3_000_000]]


def test_each_request_has_a_number_of_its_own():
    """Two requests for the same call carry different numbers, 16 hexadecimal digits long."""
    with scripted(answered(*[lambda r: value(r, r["n"])] * 2)) as child:
        numbers = {ask(child).verdict["value"] for _ in range(2)}
    assert len(numbers) == 2
    assert all(len(number) == 16 for number in numbers)


def test_a_wrong_number():
    """A reply to another request stops the child."""
    assert_stopped(answered(lambda _: value({"n": "0" * 16})), "protocol")


@pytest.mark.parametrize("number", [None, 0, True, [], {}, ["x"] * 100])
def test_a_number_of_another_kind(number):
    """So does one that is no text at all."""
    assert_stopped(answered(lambda _: value({"n": number})), "protocol")


def test_an_early_reply():
    """A reply written before there was a request answers none, be it with the very first words or later."""
    early = b"".join(map(frames.dumps, value({"n": "0" * 16})))
    ready = frames.dumps({"kind": "ready"})
    for greet, later in ((ready + early, b""), (ready, early)):

        def play(stage, later=later):
            stage.raw(later)
            stage.request()
            time.sleep(9)

        with scripted(play, greet=greet) as child:
            time.sleep(0.1)
            with pytest.raises(StoppedError) as stopped:
                ask(child)
            assert stopped.value.reason == "protocol"


def test_a_reply_kept_for_the_next_request():
    """Two replies to one request: the first counts, the second is none to the next request."""

    def play(stage):
        request = stage.request()
        stage.say(*value(request, 1), *value(request, 2))
        stage.request()
        time.sleep(9)

    with scripted(play) as child:
        assert ask(child).verdict["value"] == 1
        with pytest.raises(StoppedError) as stopped:
            ask(child)
        assert stopped.value.reason == "protocol"


def test_a_late_reply():
    """An answer after the limit is none, and the child is gone: nothing of it reaches a later question."""

    def play(stage):
        request = stage.request()
        time.sleep(6)
        stage.say(*value(request))
        time.sleep(9)

    begun = time.monotonic()
    assert_stopped(play, "time", wall=0.3)
    assert 0.3 <= time.monotonic() - begun < 6


def test_dripping():
    """A reply that comes byte by byte, each in good time, does not stretch the limit."""

    def play(stage):
        body = frames.dumps(value(stage.request())[0])
        for byte in body:
            stage.raw(bytes([byte]))
            time.sleep(0.2)

    begun = time.monotonic()
    assert_stopped(play, "time", wall=0.4)
    assert time.monotonic() - begun < 6


def test_no_aside():
    """A reply alone is half an answer."""

    def play(stage):
        stage.say(value(stage.request())[0])
        time.sleep(9)

    assert_stopped(play, "time", wall=0.3)


def test_it_does_not_listen():
    """Files that nobody takes: the wait for room ends with the time, and nobody waits for it twice."""
    with scripted(lambda _: time.sleep(30)) as child:
        child._wall_end = time.monotonic() + 0.3
        with pytest.raises(StoppedError) as stopped:
            child.send_files({"reservation.py": b"x" * 3_000_000})
        assert stopped.value.reason == "time"


def test_busy_and_idle_time_are_told_apart():
    """0.2 s of the child's own computing is too much where 0.2 is allowed; sleeping for 0.5 s is not."""

    def busy(stage):
        stage.request()
        while True:
            pass

    assert_stopped(busy, "time", cpu=0.2, wall=20)

    def idle(stage):
        request = stage.request()
        time.sleep(0.5)
        stage.say(*value(request))
        stage.request()

    with scripted(idle) as child:
        before = child.cpu_seconds()
        assert ask(child, cpu=0.2, wall=20).verdict["value"] == 300
        assert child.cpu_seconds() - before < 0.2


def test_the_clock_of_one_that_is_gone():
    """After its end a child's clock stands at what it used in its life."""

    def play(stage):
        stage.request()
        begun = time.process_time()
        while time.process_time() - begun < 0.2:
            pass

    with scripted(play) as child:
        with pytest.raises(StoppedError) as stopped:
            ask(child)
        assert stopped.value.reason == "ended"
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
def test_how_it_ended(end, reason):
    """An exit, the kernel's out-of-memory kill, a crash: each is told by the exit status."""

    def play(stage):
        stage.request()
        end()

    assert_stopped(play, reason)


def test_killed_for_its_time():
    """A SIGKILL after all of its CPU time is the kernel's own limit on that."""

    def play(stage):
        stage.request()
        os.setpriority(os.PRIO_PROCESS, 0, 5)
        begun = time.process_time()
        while time.process_time() - begun < 0.05:
            pass
        os.kill(os.getpid(), signal.SIGKILL)

    with scripted(play) as child:
        child.cpu_seconds()
        with pytest.raises(StoppedError) as stopped:
            ask(child, cpu=0.05, wall=20)
        assert stopped.value.reason == "time"


def test_it_closes_the_channel_and_lives_on():
    """That is no end: it is killed after a second, as one that tampers with the channel."""

    def play(stage):
        stage.request()
        stage.channel.close()
        time.sleep(30)

    begun = time.monotonic()
    assert_stopped(play, "protocol")
    assert 1 <= time.monotonic() - begun < 15


def test_it_ends_before_it_is_asked():
    """Writing to a child that is gone says how it ended, and asking again says the same."""
    with scripted(lambda _: None) as child:
        time.sleep(0.2)
        for _ in range(2):
            with pytest.raises(StoppedError) as stopped:
                ask(child)
            assert stopped.value.reason == "ended"


def test_it_ends_without_reading():
    """A question that nobody read, and then an end: told like any other."""
    assert_stopped(lambda _: time.sleep(0.2), "ended")


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff" + b"x" * 100,
        b"\x00\x04\x00\x01",
        b"\x00\x00\x00\x00",
        b"\x00\x00\x00\x02[]",
        b"\x00\x00\x00\x02\xff\xfe",
        b"\x00\x00\x00\x07{'a':1}",
    ],
)
def test_frames_that_are_none(data):
    """Lengths over the limit, nothing, a list, no ASCII, no JSON: the child is stopped at once."""

    def play(stage):
        stage.request()
        stage.raw(data)
        time.sleep(9)

    begun = time.monotonic()
    assert_stopped(play, "protocol")
    assert time.monotonic() - begun < 6


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"n":' * 30_000, b'{"n":"' + b"x" * 200_000, b"9" * 200_000]
)
def test_giant_and_deep_frames(body):
    """A frame as large as one may be, nested or cut off or one number: refused at once."""

    def play(stage):
        stage.request()
        stage.say(body)
        time.sleep(9)

    begun = time.monotonic()
    assert_stopped(play, "protocol")
    assert time.monotonic() - begun < 6


@pytest.mark.parametrize(
    "aside",
    [b"[]", b"x", b'{"text":' + b"[" * 900 + b"]" * 900, b'{"printed":' + b"9" * 5000 + b"}"],
)
def test_an_aside_that_is_no_message(aside):
    """What is said beside a right reply has to be a message, too."""

    def play(stage):
        stage.say(value(stage.request())[0], aside)
        time.sleep(9)

    assert_stopped(play, "protocol")


def test_a_deep_aside():
    """One that can just be read is read, and nothing of its depth goes on."""

    def play(stage):
        stage.say(value(stage.request())[0], b'{"text":' + b"[" * 500 + b"]" * 500 + b"}")
        stage.request()

    with scripted(play) as child:
        assert ask(child).aside == {}


def test_a_child_that_could_not_start():
    """Its report is a fault of the sandbox, never of a submission; so is its silence."""
    report = frames.dumps({"kind": "fault", "text": "OSError: no Landlock"})
    with pytest.raises(SandboxError, match="no Landlock"), scripted(lambda _: None, greet=report):
        pass
    with pytest.raises(SandboxError, match="it ended"), scripted(lambda _: None, greet=b""):
        pass


def test_a_child_that_never_starts(monkeypatch):
    """One that says nothing at all is waited for, but not for ever."""
    monkeypatch.setattr("grader.sandbox.child._READY_SECONDS", 0.2)
    with pytest.raises(SandboxError, match="in time"), scripted(lambda _: time.sleep(9), greet=b""):
        pass


def test_no_flags_without_a_jail():
    """A child whose refusals nobody shows has none."""
    with scripted(answered(value)) as child:
        ask(child)
        assert child.flags == frozenset()
