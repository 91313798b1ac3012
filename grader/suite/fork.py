"""Fork the collected session: the fork runs some tests once and asks its parent for every reply."""

import os
import signal
import socket
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from grader.base.errors import GraderError
from grader.base.machine import limit_memory
from grader.suite.channel import receive, send
from grader.suite.plugin import run_tests
from grader.suite.standin import SubmissionProxy

# Trusted tests only compare: without a request for so many seconds, a fork is stuck. That is a grader fault.
_FORK_SECONDS = 60.0
# Bytes that a fork may take in addition to the worker's: a test may make a list as long as an answer says.
_FORK_MEMORY = 1 << 30


class ForkError(GraderError):
    """The process that runs the tests failed. This is a fault of the grader and costs no points."""


class Fork:
    """The parent's side of a fork that runs test classes, one after the other, for one submission.

    ``cpu_seconds`` is what the fork used, once it was closed.
    """

    def __init__(
        self, session: pytest.Session, groups: Mapping[str, Sequence[pytest.Item]], proxy: SubmissionProxy
    ) -> None:
        self.entries: list[dict[str, Any]] = []
        self.cpu_seconds = 0.0
        self._mine, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            self._mine.close()
            _serve(session, groups, proxy, theirs)
        theirs.close()

    def close(self) -> None:
        """End the fork."""
        self._mine.close()
        os.kill(self._pid, signal.SIGKILL)
        usage = os.wait4(self._pid, 0)[2]
        self.cpu_seconds = usage.ru_utime + usage.ru_stime

    def start(self, group: str) -> None:
        """Let it run a test class."""
        send(self._mine, group)

    def request(self) -> dict[str, Any] | None:
        """Return the tests' next request, or None when they have ended and ``entries`` has their report."""
        try:
            message: dict[str, Any] | None = receive(self._mine, seconds=_FORK_SECONDS)
        except TimeoutError:
            raise ForkError("the tests did not go on in time") from None
        if message is None:
            raise ForkError("the process that runs the tests ended without a report")
        if "entries" in message:
            self.entries = message["entries"]
            return None
        if "failed" in message:
            raise ForkError(message["failed"])
        return message

    def reply(self, verdict: dict[str, Any]) -> None:
        """Answer the request."""
        send(self._mine, verdict)


def _serve(
    session: pytest.Session,
    groups: Mapping[str, Sequence[pytest.Item]],
    proxy: SubmissionProxy,
    channel: socket.socket,
) -> None:
    """Run test classes and send their entries of the report. Runs in the fork and never returns."""
    try:
        limit_memory(_FORK_MEMORY)

        def ask(request: dict[str, Any]) -> dict[str, Any]:
            test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
            send(channel, {**request, "test": test})
            verdict: dict[str, Any] = receive(channel)
            return verdict

        proxy.ask = ask
        while (group := receive(channel)) is not None:
            send(channel, {"entries": run_tests(session, groups[group])})
    except BaseException:  # noqa: BLE001 - the parent reports it, whatever it is
        send(channel, {"failed": traceback.format_exc()[-2000:]})
    finally:
        os._exit(0)
