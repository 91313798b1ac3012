"""A child whose replies a test scripts byte by byte."""

import faulthandler
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from grader.sandbox.child import Child, End
from grader.sandbox.inside import wire

Play = Callable[["Stage"], None]


class Stage:
    """The scripted end of the channel."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel

    def request(self) -> dict[str, Any]:
        """Read the next request."""
        return wire.loads(self._exactly(int.from_bytes(self._exactly(4), "big")))

    def files(self) -> dict[str, bytes]:
        """Read the files, which come before the first request."""
        return {name: self._exactly(size) for name, size in self.request()["files"]}

    def say(self, *messages: dict[str, Any] | bytes) -> None:
        """Send frames; bytes are sent as a frame's body."""
        for message in messages:
            body = message if isinstance(message, bytes) else wire.dumps(message)[4:]
            self.raw(len(body).to_bytes(4, "big") + body)

    def raw(self, data: bytes) -> None:
        """Send bytes."""
        self.channel.sendall(data)

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.channel.recv(count - len(data))
            if not part:
                os._exit(0)
            data += part
        return data


@contextmanager
def scripted(play: Play, *, greet: bytes | None = None) -> Iterator[Child]:
    """Yield a Child; ``play`` runs in a process at the other end of its channel."""
    mine, theirs = socket.socketpair()
    mine.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    pid = os.fork()
    if pid == 0:
        mine.close()
        faulthandler.disable()  # a play may crash on purpose; nobody has to read about it
        try:
            theirs.sendall(wire.dumps({"kind": "ready"}) if greet is None else greet)
            play(Stage(theirs))
        finally:
            os._exit(0)
    theirs.close()

    def end(patience: float) -> End:
        last = time.monotonic() + patience
        while not (ended := os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
            if time.monotonic() >= last:
                break
            time.sleep(0.005)
        os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        cpu_seconds = usage.ru_utime + usage.ru_stime
        return End(os.waitstatus_to_exitcode(status), cpu_seconds, killed=not ended)

    try:
        child = Child(mine, end, printed=100)
    except BaseException:
        mine.close()
        end(1)
        raise
    try:
        yield child
    finally:
        child.close()
