"""Talk to one submission's process: send requests, check replies, enforce limits, note refused calls."""

from __future__ import annotations

import array
import errno
import fcntl
import os
import secrets
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from grader.base.errors import GraderError
from grader.base.flags import TRIED_PROCESSES
from grader.sandbox.inside import frames, syscalls, wire
from grader.sandbox.reply import check_verdict, clean_aside

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


class SandboxError(GraderError):
    """The sandbox itself failed. This is a fault of the grader and costs no points."""


class StoppedError(GraderError):
    """The submission's process was stopped or ended by itself; ``reason`` says how."""

    def __init__(self, reason: Stop) -> None:
        super().__init__(reason)
        self.reason: Stop = reason


@dataclass(frozen=True)
class Reply:
    """A checked answer: tests see ``verdict`` alone; ``aside`` is for feedback on visible tests."""

    verdict: dict[str, Any]
    aside: dict[str, Any]


@dataclass(frozen=True)
class End:
    """How a process ended: its exit code or minus the signal's number, and its CPU seconds in all.

    ``killed``: it did not end by itself in the time that it was given.
    """

    status: int
    cpu_seconds: float
    killed: bool


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
        self.received = 0
        """Bytes that the child has sent so far."""
        self._refusals: Refusals | None = None
        self._pid = 0
        self._wall_end = time.monotonic() + _READY_SECONDS
        self._cpu_end = _READY_SECONDS
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        """Wait until the child is in its jail; take its process id and the descriptor that shows refusals."""
        self._channel.settimeout(_READY_SECONDS)
        room = socket.CMSG_SPACE(struct.calcsize("3i")) + socket.CMSG_SPACE(4)
        try:
            data, extra, _flags, _address = self._channel.recvmsg(1 << 12, room)
        except TimeoutError:
            raise SandboxError("a child did not start in time") from None
        for level, kind, content in extra:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                self._pid = struct.unpack("3i", content)[0]
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                self._refusals = Refusals(array.array("i", content)[0])
        self._buffer += data
        try:
            message = frames.receive(self._take) if data else {}
        except wire.WireError as error:
            raise SandboxError(f"a child could not enter its jail: {error}") from None
        if message.get("kind") != "ready" or not self._pid:
            raise SandboxError(f"a child could not enter its jail: {message.get('text', 'it ended')}")
        self._channel.setblocking(False)  # noqa: FBT003 - the socket's own signature
        self._clock = (~self._pid << 3) | 2

    @property
    def flags(self) -> frozenset[str]:
        """Flags for the calls that the jail refused so far."""
        return frozenset(self._refusals.flags if self._refusals else ())

    def cpu_seconds(self) -> float:
        """Return the CPU seconds that the child has used so far; after its end, those of its whole life."""
        if self._end is None:
            return self._ended.cpu_seconds
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return self._cpu_end

    def send_files(self, files: Mapping[str, bytes]) -> None:
        """Send the submission's files."""
        head = frames.dumps({"files": [[name, len(data)] for name, data in files.items()]})
        self._write(head + b"".join(files.values()))

    def ask(self, request: Mapping[str, Any], *, cpu: float, wall: float) -> Reply:
        """Send one request; wait for the reply at most ``cpu`` CPU seconds of the child and ``wall`` seconds.

        Raises:
            StoppedError: No valid reply came within the limits; the child was ended.
            SandboxError: The request is larger than a frame may be, which is a fault of the test.
        """
        nonce = secrets.token_hex(8)
        try:
            frame = frames.dumps({**request, "n": nonce})
        except wire.WireError:
            size = f"{frames.MAX_FRAME >> 10} KiB"
            raise SandboxError(f"a test calls {request['name']} with more than {size} of arguments") from None
        self._wall_end = time.monotonic() + wall
        self._cpu_end = self.cpu_seconds() + cpu
        try:
            self._write(frame)
            reply = frames.receive(self._read)
            aside = frames.receive(self._read)
            return Reply(check_verdict(reply, nonce, request), clean_aside(aside, self._printed))
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
                self._wait(select.POLLOUT)
            except OSError:
                raise self._why_ended() from None

    def _read(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._wait(select.POLLIN)
            try:
                part = self._channel.recv(1 << 16)
            except BlockingIOError:
                continue
            except OSError:
                part = b""
            if not part:
                raise self._why_ended()
            self._buffer += part
            self.received += len(part)
        return self._take(count)

    def _take(self, count: int) -> bytes:
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    def _wait(self, event: int) -> None:
        """Wait until the channel is ready; meanwhile answer refused calls and watch both clocks."""
        poll = select.poll()
        poll.register(self._channel, event)
        listening = self._refusals.descriptor if self._refusals else -1
        if listening >= 0:
            poll.register(listening, select.POLLIN)
        while True:
            wall_left = self._wall_end - time.monotonic()
            # The child has one thread, so its CPU clock cannot reach the limit sooner than that.
            cpu_left = self._cpu_end - self.cpu_seconds()
            if min(wall_left, cpu_left) <= 0:
                raise StoppedError("time")
            ready = dict(poll.poll(min(wall_left, cpu_left) * 1000 + 1))
            if self._refusals and ready.pop(listening, 0):
                self._refusals.take()
                if self._refusals.descriptor < 0:
                    poll.unregister(listening)
            if ready:
                return

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
