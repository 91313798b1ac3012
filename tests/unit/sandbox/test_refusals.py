"""Refused system calls, shown by the kernel, become flags for the instructor."""

import errno
import os

import pytest
from helpers import jail

from grader.sandbox import child as child_module
from grader.sandbox.child import Refusals
from grader.sandbox.inside import syscalls

SOURCE = """
import ctypes, doctest, glob, logging, os, pathlib, platform, socket, subprocess, tempfile, threading, uuid

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
        ("socket.socketpair()", ""),
        ("os.fork()", ""),
        ("os.system('cls')", ""),
        ("subprocess.run(['true'])", ""),
        ("threading.Thread(target=int).start()", ""),
        ("os.kill(os.getppid(), 0)", "tried-processes"),
        ("ctypes.CDLL(None).ptrace(0, 0, 0, 0)", "tried-processes"),
        ("open('/etc/passwd')", "tried-files"),
        ("open(b'/etc/passwd')", "tried-files"),
        ("open('../tests/hidden.py')", "tried-files"),
        ("open('/submission/../etc/passwd')", "tried-files"),
        ("pathlib.Path('/etc/passwd').read_text()", "tried-files"),
        ("os.listdir('/')", "tried-files"),
        ("glob.glob('/etc/*')", "tried-files"),
        ("next(os.scandir('/tmp'), None)", "tried-files"),
        ("open('/tmp/x', 'w')", "tried-files"),
        ("open('notes.txt')", ""),
        ("open('data/../notes.txt')", ""),
        ("os.listdir()", ""),
        ("os.listdir(os.path.dirname(__file__))", ""),
        ("glob.glob('*.py')", ""),
        ("os.remove('x')", ""),
        ("os.mkdir('x')", ""),
        ("logging.FileHandler('debug.log')", ""),
        ("tempfile.mkdtemp()", ""),
        ("platform.platform()", ""),
        ("uuid.uuid1()", ""),
        ("doctest.testmod()", ""),
        ("open(0)", ""),
        ("open('/dev/null')", ""),
        ("open('/submission/reservation.py')", ""),
        ("os.stat('/etc')", ""),
        ("print('x')", ""),
    ],
)
def test_flag_of_each_attempt(conversation, text, flag):
    """Network, other processes and explicit paths outside have a flag; what honest code asks for has none."""
    conversation.answer("visible/T::t", jail.call("attempt", text), hidden=False)
    child = conversation._child
    assert child.flags == ({flag} if flag else set())


@pytest.fixture(scope="module")
def zygote():
    """One parent of all children."""
    with jail.opened() as zygote:
        yield zygote


@pytest.fixture
def conversation(zygote):
    """A session with a child that evaluates what it is given."""
    with jail.session(SOURCE, zygote=zygote) as session:
        yield session


def test_flag_of_an_attempt_before_an_exit(conversation):
    """An attempt is flagged even if the process ends right after it."""
    conversation.answer(
        "visible/T::t", jail.call("attempt", "(attempt('open(\"/etc/passwd\")'), os._exit(0))"), hidden=False
    )
    assert conversation.flags == {"tried-files", "ended-process"}


def test_an_abort_is_a_crash_without_a_flag(conversation):
    """Python itself aborts after a fatal error, so that is no attempt on another process."""
    asked = conversation.answer("visible/T::t", jail.call("attempt", "os.abort()"), hidden=False)
    assert asked.verdict == {"kind": "stopped", "reason": "crashed"}
    assert conversation.flags == set()


def test_a_flood_of_attempts(conversation):
    """After 200 refused calls no more are looked at; they are still refused and the call returns."""
    text = "[attempt('socket.socket()') for _ in range(1_000)]"
    verdict = conversation.answer("visible/T::t", jail.call("attempt", text), hidden=False).verdict
    assert verdict == {"kind": "value", "value": ""}
    assert conversation._child._refusals.descriptor == -1
    assert conversation._child.flags == {"tried-network"}


class Kernel:
    """Replaces the kernel: shows these numbers of calls one by one, and keeps the answers."""

    def __init__(self, *numbers):
        self.numbers = [*numbers]
        self.answers = []

    def ioctl(self, _descriptor, request, data):
        """Show a call, or keep an answer."""
        if request == child_module._RECEIVE:
            if not self.numbers:
                raise OSError(errno.ENOENT, "gone")
            data[:] = child_module._NOTIFICATION.pack(77, 5, 0, self.numbers.pop(0), 0, 0, *[0] * 6)
        else:
            self.answers.append(child_module._RESPONSE.unpack(data))


def watched(monkeypatch, *numbers):
    """Make Refusals that reads these calls."""
    kernel = Kernel(*numbers)
    monkeypatch.setattr(child_module.fcntl, "ioctl", kernel.ioctl)
    return Refusals(os.open("/dev/null", os.O_RDONLY)), kernel


def test_each_call_is_answered_with_eperm(monkeypatch):
    """Each answer names its call and is EPERM, also for calls without a flag."""
    (socket,) = syscalls.numbers_of([(41, 198)])
    seen, kernel = watched(monkeypatch, socket, 9_999)
    seen.take()
    seen.take()
    assert kernel.answers == [(77, 0, -errno.EPERM, 0)] * 2
    assert seen.flags == {"tried-network"}
    seen.close()


def test_a_child_that_ended_meanwhile(monkeypatch):
    """When the kernel has no call to show, the descriptor is closed; closing again does nothing."""
    seen, _ = watched(monkeypatch)
    seen.take()
    assert seen.descriptor == -1
    seen.close()


def test_two_hundred_calls_are_looked_at(monkeypatch):
    """After the 201st call the descriptor is closed."""
    seen, kernel = watched(monkeypatch, *[9_999] * 300)
    for _ in range(200):
        seen.take()
    assert seen.descriptor >= 0
    seen.take()
    assert seen.descriptor == -1
    assert len(kernel.answers) == 201
