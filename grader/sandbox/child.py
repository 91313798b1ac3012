"""Talk to one submission's process: send requests, check replies, enforce limits, note refused calls."""

import array
import errno
import fcntl
import hashlib
import os
import secrets
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from grader.base.errors import GraderError
from grader.base.flags import TRIED_PROCESSES
from grader.sandbox.inside import syscalls, wire
from grader.sandbox.reply import canonical, check_verdict, clean_aside

Stop = Literal["time", "memory", "ended", "crashed", "protocol"]

_READY_SECONDS = 10.0
# A process that ends closes its channel a moment before its exit status can be read.
_ENDING_SECONDS = 1.0
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTIFICATION, _RESPONSE = struct.Struct("QIIiIQ6Q"), struct.Struct("QqiI")
# Each notification wakes the trusted side up; after so many, refusals are no longer looked at.
_MOST_SEEN = 200
# Honest code starts a program now and then, to clear the screen.
_MANY_STARTS = 100
# A sender that drips bytes wakes the trusted side up for each; an honest frame comes in a dozen parts.
_MOST_PARTS = 1_000
# Digits of a nonce; so many are drawn at a time.
_NONCE, _DRAWN = 16, 64
# Replies that many submissions give are short: so many of each request, of so many bytes, are kept checked.
_MOST_KNOWN, _LONGEST_KNOWN = 32, 400
_LONGEST_KEY = 64


class SandboxError(GraderError):
    """The sandbox itself failed. This is a fault of the grader and costs no points."""


class StoppedError(GraderError):
    """The submission's process was stopped or ended by itself; ``reason`` says how."""

    def __init__(self, reason: Stop) -> None:
        super().__init__(reason)
        self.reason: Stop = reason


class Request(dict[str, Any]):
    """A request as it is sent again and again: encoded once, with the checked replies that it got.

    ``known`` maps a reply's frame, without the nonce at its end, to what checking it gave.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.known: dict[bytes, Reply] = {}
        try:
            # Without the nonce, and what closes it.
            self._body = wire.dumps({**fields, "n": "0" * _NONCE})[4 : -_NONCE - 2]
        except wire.WireError:
            size = f"{wire.MAX_FRAME >> 10} KiB"
            raise SandboxError(f"a test calls {self['name']} with more than {size} of arguments") from None

    def frame(self, nonce: bytes) -> bytes:
        """Return the request as one frame."""
        return b'%s%s%s"}' % ((len(self._body) + _NONCE + 2).to_bytes(4, "big"), self._body, nonce)


@dataclass(frozen=True)
class Reply:
    """A checked answer: tests see ``verdict`` alone; ``aside`` is for feedback on visible tests."""

    verdict: dict[str, Any]
    aside: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def key(self) -> bytes:
        """The verdict in bytes that are equal for equal verdicts; a long one's digest."""
        key = canonical(self.verdict)
        return key if len(key) <= _LONGEST_KEY else hashlib.sha256(key).digest()


@dataclass(frozen=True)
class End:
    """How a process ended: its exit code or minus the signal's number, and its CPU seconds in all.

    ``killed``: it did not end by itself in the time that it was given. ``peak_kib`` is the most memory that
    it held, in KiB.
    """

    status: int
    cpu_seconds: float
    killed: bool
    peak_kib: int = 0


class Refusals:
    """Reads which system calls the jail refused to one child: seccomp's user notifications.

    The kernel stops a refused call and shows it on a descriptor that the trusted side alone holds, so that a
    submission cannot hide it. ``flags`` inform the instructor; they never change a score.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.flags: set[str] = set()
        self._seen = 0
        self._starts = 0
        self._flag_of = syscalls.flags_by_number()
        self._starting = syscalls.numbers_of(syscalls.STARTING)

    def take(self) -> None:
        """Read one notification and answer it with EPERM; after too many, stop listening."""
        notice = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self.descriptor, _RECEIVE, notice)
            identifier, _pid, _flags, number, *_rest = _NOTIFICATION.unpack(notice)
            if flag := self._flag_of.get(number):
                self.flags.add(flag)
            self._starts += number in self._starting
            if self._starts > _MANY_STARTS:
                self.flags.add(TRIED_PROCESSES)
            fcntl.ioctl(self.descriptor, _SEND, _RESPONSE.pack(identifier, 0, -errno.EPERM, 0))
        except OSError:
            # The child ended meanwhile.
            self._seen = _MOST_SEEN
        self._seen += 1
        if self._seen > _MOST_SEEN:
            self.close()

    def close(self) -> None:
        """Stop listening; further refused calls fail without being seen."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


class Child:
    """A jailed process that serves one submission until it is closed.

    ``end(patience)`` is called once: it waits ``patience`` seconds for the process to end, then kills it.
    ``printed`` is the number of characters that are kept of the text printed during one request.
    """

    def __init__(self, channel: socket.socket, end: Callable[[float], End], printed: int) -> None:
        self._channel = channel
        self._end: Callable[[float], End] | None = end
        self._ended = End(0, 0.0, killed=True)
        self._printed = printed
        self._buffer = bytearray()
        self._parts = self._pid = 0
        self._nonces: list[bytes] = []
        self._refusals: Refusals | None = None
        self._poll = select.poll()
        self._poll.register(channel, select.POLLIN)
        self._patience = 0.0
        self._wall_end = time.monotonic() + _READY_SECONDS
        self._cpu_end = _READY_SECONDS
        # The child in its jail says so, with its process id and the descriptor that shows refusals.
        channel.settimeout(_READY_SECONDS)
        room = socket.CMSG_SPACE(struct.calcsize("3i")) + socket.CMSG_SPACE(4)
        try:
            self._buffer += (received := channel.recvmsg(1 << 12, room))[0]
        except TimeoutError:
            raise SandboxError("a child did not start in time") from None
        for level, kind, content in received[1]:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                self._pid = struct.unpack("3i", content)[0]
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                self._refusals = Refusals(array.array("i", content)[0])
                self._poll.register(self._refusals.descriptor, select.POLLIN)
        try:
            message = wire.loads(wire.next_body(self._buffer, self._end_early)) if self._buffer else {}
        except wire.WireError as error:
            raise SandboxError(f"a child could not enter its jail: {error}") from None
        if message.get("kind") != "ready" or not self._pid:
            raise SandboxError(f"a child could not enter its jail: {message.get('text', 'it ended')}")
        channel.setblocking(False)  # noqa: FBT003 - the socket's own signature

    @property
    def flags(self) -> frozenset[str]:
        """Flags for the calls that the jail refused so far."""
        return frozenset(self._refusals.flags if self._refusals else ())

    def cpu_seconds(self) -> float:
        """Return the CPU seconds that the child has used so far; after its end, those of its whole life."""
        if self._end is None:
            return self._ended.cpu_seconds
        try:
            return time.clock_gettime((~self._pid << 3) | 2)
        except OSError:
            return self._cpu_end

    def send_files(self, files: Mapping[str, bytes]) -> None:
        """Send the submission's files."""
        head = wire.dumps({"files": [[name, len(data)] for name, data in files.items()]})
        self._write(head + b"".join(files.values()))

    def ask(self, request: Request, *, cpu: float, wall: float) -> Reply:
        """Send one request; wait for the reply at most ``cpu`` CPU seconds of the child and ``wall`` seconds.

        Raises StoppedError if no valid reply came within the limits; the child was ended.
        """
        if not self._nonces:
            drawn = secrets.token_hex(_NONCE // 2 * _DRAWN).encode()
            self._nonces = [drawn[start : start + _NONCE] for start in range(0, len(drawn), _NONCE)]
        nonce = self._nonces.pop()
        self._wall_end = time.monotonic() + wall
        self._cpu_end = self.cpu_seconds() + cpu
        # The child has one thread, so its CPU clock cannot reach the limit sooner than that.
        self._patience = min(cpu, wall) * 1000 + 1
        self._parts = 0
        try:
            self._write(request.frame(nonce))
            if not self._buffer:
                self._read_more()
            # A frame whose bytes before the nonce at its end were checked before is known: what JSON says
            # there does not depend on the nonce's digits.
            end = b',"n":"%s"}' % nonce
            frame = bytes(self._buffer[: _LONGEST_KNOWN + 1])
            start = frame[: -len(end)] if len(frame) <= _LONGEST_KNOWN and frame.endswith(end) else b""
            if known := request.known.get(start):
                self._buffer.clear()
                return known
            body = wire.next_body(self._buffer, self._read_more)
            message = wire.loads(body)
            verdict = check_verdict(message, nonce.decode(), request)
            reply = Reply(verdict, clean_aside(message.get("aside", {}), self._printed))
            if start and len(frame) == 4 + len(body) and len(request.known) < _MOST_KNOWN:
                request.known[start] = reply
            return reply
        except wire.WireError:
            self.close()
            raise StoppedError("protocol") from None
        except StoppedError:
            self.close()
            raise

    def close(self, *, patience: float = 0.0) -> End:
        """Wait ``patience`` seconds for the process to end, then kill it; closing again returns the same."""
        if self._end is not None:
            end, self._end = self._end, None
            self._channel.close()
            if self._refusals:
                self._refusals.close()
            self._ended = end(patience)
        return self._ended

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self._channel.send(view) :]
            except BlockingIOError:
                self._poll.modify(self._channel, select.POLLOUT)
                self._wait(self._left())
                self._poll.modify(self._channel, select.POLLIN)
            except OSError:
                raise self._why_ended() from None

    def _read_more(self) -> None:
        """Wait for bytes of the child and add them to the buffer."""
        self._wait(self._left() if self._parts else self._patience)
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise wire.WireError("a reply in too many parts")
        try:
            part = self._channel.recv(1 << 17)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            raise self._why_ended()
        self._buffer += part

    def _left(self) -> float:
        """Return for how many milliseconds the child may still run."""
        left = min(self._wall_end - time.monotonic(), self._cpu_end - self.cpu_seconds())
        if left <= 0:
            raise StoppedError("time")
        return left * 1000 + 1

    def _wait(self, patience: float) -> None:
        """Wait until the channel is ready; meanwhile answer refused calls and watch both clocks."""
        refusals = self._refusals
        while True:
            ready = [descriptor for descriptor, _ in self._poll.poll(patience)]
            if refusals and refusals.descriptor in ready:
                listening = refusals.descriptor
                ready.remove(listening)
                refusals.take()
                if refusals.descriptor < 0:
                    self._poll.unregister(listening)
            if ready:
                return
            patience = self._left()

    @staticmethod
    def _end_early() -> None:
        raise wire.WireError("its first message is cut")

    def _why_ended(self) -> StoppedError:
        """Tell from the exit status why the channel was closed."""
        end = self.close(patience=_ENDING_SECONDS)
        if end.killed:
            # It closed its channel without ending.
            return StoppedError("protocol")
        if end.status >= 0:
            return StoppedError("ended")
        if end.status == -signal.SIGKILL:
            return StoppedError("time" if end.cpu_seconds >= self._cpu_end else "memory")
        return StoppedError("crashed")
