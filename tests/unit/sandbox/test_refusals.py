"""What the kernel shows of refused calls becomes flags for the instructor."""

from __future__ import annotations

import errno
import os

import pytest
from helpers import jail

from grader.sandbox import child as child_module
from grader.sandbox.child import Refusals
from grader.sandbox.inside import syscalls

SOURCE = """
import ctypes, os, socket, subprocess, threading

def attempt(text):
    try:
        eval(text)
    except (OSError, RuntimeError) as error:
        return type(error).__name__
    return ""
"""


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("socket.socket()", "tried-network"),
        ("socket.socket(socket.AF_UNIX)", "tried-network"),
        ("socket.socketpair()", "tried-network"),
        ("os.fork()", "tried-processes"),
        ("subprocess.run(['true'])", "tried-processes"),
        ("threading.Thread(target=int).start()", "tried-processes"),
        ("os.kill(os.getppid(), 0)", "tried-processes"),
        ("ctypes.CDLL(None).ptrace(0, 0, 0, 0)", "tried-processes"),
        ("open('/etc/passwd')", "tried-files"),
        ("open(b'/etc/passwd')", "tried-files"),
        ("open('notes.txt')", "tried-files"),
        ("os.listdir('/')", "tried-files"),
        ("os.listdir()", "tried-files"),
        ("next(os.scandir('/tmp'), None)", "tried-files"),
        ("open('/tmp/x', 'w')", "tried-files"),
        ("os.remove('/tmp/x')", "tried-files"),
        ("os.mkdir('/tmp/x')", "tried-files"),
        ("open(os.__file__)", ""),
        ("os.listdir(os.path.dirname(os.__file__))", ""),
        ("open(0)", ""),
        ("open('/submission/reservation.py')", ""),
        ("os.stat('/etc')", ""),
        ("print('x')", ""),
    ],
)
def test_what_is_seen(talk, text, flag):
    """Reaching for the network, for processes, for files that are not Python's: each by its flag, at once."""
    talk.answer("visible/T::t", jail.call("attempt", text), hidden=False)
    child = talk._child
    assert child.flags == ({flag} if flag else set())


@pytest.fixture
def talk():
    """A session with a child that tries what it is told to try."""
    with jail.session(SOURCE) as session:
        yield session


def test_an_attempt_is_seen_when_the_program_ends_at_once(talk):
    """There is no last word to wait for."""
    talk.answer(
        "visible/T::t", jail.call("attempt", "(attempt('open(\"/etc/passwd\")'), os._exit(0))"), hidden=False
    )
    assert talk.flags == {"tried-files", "ended-process"}


def test_a_flood_of_attempts(talk):
    """The first ones are seen; then nobody listens any more, the calls are refused, and the answer comes."""
    text = "[attempt('socket.socket()') for _ in range(1_000)]"
    verdict = talk.answer("visible/T::t", jail.call("attempt", text), hidden=False)
    assert verdict == {"kind": "value", "value": ""}
    assert talk._child._refusals.descriptor == -1
    assert talk._child.flags == {"tried-network"}


class Kernel:
    """Stands in for the descriptor: shows these calls' numbers, one each time, and keeps the answers."""

    def __init__(self, *numbers):
        self.numbers = [*numbers]
        self.answers = []

    def ioctl(self, _descriptor, request, data):
        """Show one, or take the answer."""
        if request == child_module._RECEIVE:
            if not self.numbers:
                raise OSError(errno.ENOENT, "gone")
            data[:] = child_module._NOTIFICATION.pack(77, 5, 0, self.numbers.pop(0), 0, 0, *[0] * 6)
        else:
            self.answers.append(child_module._RESPONSE.unpack(data))


def watched(monkeypatch, *numbers):
    """Refusals over a descriptor that shows these."""
    kernel = Kernel(*numbers)
    monkeypatch.setattr(child_module.fcntl, "ioctl", kernel.ioctl)
    return Refusals(os.open("/dev/null", os.O_RDONLY)), kernel


def test_each_is_refused(monkeypatch):
    """The answer is EPERM, to the same call, whether it tells anything or not."""
    column = syscalls._ARCHITECTURES[os.uname().machine][0]
    seen, kernel = watched(monkeypatch, (41, 198)[column], 9_999)
    seen.take()
    seen.take()
    assert kernel.answers == [(77, 0, -errno.EPERM, 0)] * 2
    assert seen.flags == {"tried-network"}
    seen.close()


def test_a_child_that_ended_meanwhile(monkeypatch):
    """Its call is gone: nobody listens any more, and closing again does nothing."""
    seen, _ = watched(monkeypatch)
    seen.take()
    assert seen.descriptor == -1
    seen.close()


def test_how_many_are_seen(monkeypatch):
    """200 are; the one after them is answered and is the last."""
    seen, kernel = watched(monkeypatch, *[9_999] * 300)
    for _ in range(200):
        seen.take()
    assert seen.descriptor >= 0
    seen.take()
    assert seen.descriptor == -1
    assert len(kernel.answers) == 201
