"""A worker: one process, one collected pytest session, one zygote; a Run for each submission it is sent.

Started as ``python -m grader.suite.worker SOCKET``. For each submission the worker asks the jailed child
what the tests ask, walking the memory of earlier runs; where that ends, it forks: the fork runs the tests
and asks through the worker, which alone holds the child. The fork never sees what a submission printed or
said in an exception.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.course.model import Limits
from grader.sandbox.child import SandboxError
from grader.sandbox.host import Zygote
from grader.sandbox.tiers import Tier
from grader.suite.channel import receive, send
from grader.suite.fork import Fork, ForkError
from grader.suite.memory import Memory, Node
from grader.suite.plugin import FailurePlugin, visible_first
from grader.suite.run import Exchange, answer_digests
from grader.suite.session import Session
from grader.suite.standin import StandIn, SubmissionProxy

VISIBLE = "visible/"


class Worker:
    """Serves runs on a socket from inside the collected session's loop."""

    def __init__(self, channel: socket.socket, setup: Mapping[str, Any]) -> None:
        self.channel = channel
        self.files: Mapping[str, list[str]] = setup["files"]
        self.limits = msgspec.convert(setup["limits"], Limits)
        self.tier = Tier(setup["tier"])
        self.private: str = setup["private"]
        self.memory = Memory()
        self.zygote: Zygote | None = None
        self.proxy = SubmissionProxy()
        self.uncollected: list[pytest.CollectReport] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of pytest's own loop."""
        if session.testsfailed:
            first = self.uncollected[0]
            send(self.channel, {"refused": f"{first.nodeid}: {str(first.longrepr)[-1500:]}"})
            return True
        session.items = visible_first(session.items, VISIBLE)
        # Names of the reporter's letters and progress would cost more than the tests.
        session.config.pluginmanager.unregister(name="terminalreporter")
        send(self.channel, {"tests": [item.nodeid for item in session.items]})
        gc.collect()
        gc.freeze()
        while (job := receive(self.channel)) is not None:
            send(self.channel, self.run(session, job))
        if self.zygote:
            self.zygote.close()
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(
        self, module_path: Path, parent: pytest.Collector
    ) -> pytest.Module | None:
        """Give a file of private tests, which lies outside pytest's root, a node id: ``private/NAME/...``."""
        if not self.private or not module_path.is_relative_to(self.private):
            return None
        place = module_path.relative_to(self.private).as_posix()
        module: pytest.Module = pytest.Module.from_parent(parent, path=module_path, nodeid=f"private/{place}")
        return module

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what could not be collected."""
        if report.failed:
            self.uncollected.append(report)

    def run(self, session: pytest.Session, job: Mapping[str, str]) -> dict[str, Any]:
        """One submission's Run, as plain data; ``fault`` when the grader itself failed."""
        files = {name: base64.b64decode(data) for name, data in job.items()}
        try:
            self.zygote = self.zygote or Zygote(self.tier, self.limits)
            talk = Session(self.zygote, self.limits, files, tuple(self.files))
            try:
                talk.load()
                report = self.report_for(session, talk)
            finally:
                talk.close()
        except (SandboxError, ForkError, OSError) as error:
            if self.zygote:
                self.zygote.close()
            self.zygote = None
            return {"fault": f"{type(error).__name__}: {error}"}
        return {
            "report": json.loads(report),
            "exchanges": [msgspec.to_builtins(exchange) for exchange in visible_exchanges(talk.exchanges)],
            "answers": answer_digests(talk.exchanges),
            "flags": sorted(talk.flags),
            "cpu_seconds": talk.cpu_spent,
        }

    def report_for(self, session: pytest.Session, talk: Session) -> bytes:
        """The report: remembered, or from a fork that runs the tests."""
        node, verdicts = self.memory.root, []
        while node.request is not None:
            request = json.loads(node.request)
            verdicts.append(self.answer(talk, request))
            node = self.memory.step(node, canonical(verdicts[-1]))
        if node.report is None:
            node = self.run_in_fork(session, talk, verdicts)
        if node.report is None:
            raise ForkError("the tests ended without a report")
        return node.report

    def run_in_fork(self, session: pytest.Session, talk: Session, verdicts: list[dict[str, Any]]) -> Node:
        """Run the tests in a fork: first with the verdicts already given, then live."""
        node, known = self.memory.root, iter(verdicts)
        with Fork(session, self.proxy) as fork:
            while (request := fork.request()) is not None:
                node.request = canonical(request)
                given = next(known, None)
                verdict = self.answer(talk, request) if given is None else given
                fork.reply(verdict)
                node = self.memory.step(node, canonical(verdict))
            if fork.report is not None:
                self.memory.finish(node, fork.report)
        return node

    @staticmethod
    def answer(talk: Session, request: dict[str, Any]) -> dict[str, Any]:
        """The submission's verdict on a test's request."""
        test = request["test"]
        plain = {key: value for key, value in request.items() if key != "test"}
        return talk.answer(test, plain, hidden=not test.startswith(VISIBLE))


def visible_exchanges(exchanges: list[Exchange]) -> list[Exchange]:
    """The exchanges that feedback may tell: imports and visible tests."""
    return [exchange for exchange in exchanges if not exchange.test or exchange.test.startswith(VISIBLE)]


def canonical(message: Any) -> bytes:
    """The same bytes for the same message."""
    return json.dumps(message, sort_keys=True, separators=(",", ":")).encode()


def arguments(tests: list[str], root: str) -> list[str]:
    """Pytest's command line: nothing from the machine's settings, only the plugins that grading needs."""
    left_out = ("cacheprovider", "doctest", "junitxml", "pastebin", "stepwise", "logging", "faulthandler",
                "unraisableexception", "threadexception", "warnings", "nose", "debugging", "setuponly",
                "setupplan", "recwarn")  # fmt: skip
    options = ["-c", os.devnull, "--rootdir", root, "--noconftest", "--import-mode=importlib", "--capture=no"]
    options += [option for name in left_out for option in ("-p", f"no:{name}")]
    options += ["-p", "pytest_jsonreport.plugin", "--json-report", "--json-report-file=none", "--tb=line"]
    return [
        *options,
        "--json-report-omit",
        "log",
        "streams",
        "keywords",
        "collectors",
        "warnings",
        "--",
        *tests,
    ]


def main(descriptor: int) -> None:
    """Serve on an inherited socket until it is closed."""
    sys.dont_write_bytecode = True
    with socket.socket(fileno=descriptor) as channel:
        setup = receive(channel)
        worker = Worker(channel, setup)
        for name, functions in worker.files.items():
            module = name.removesuffix(".py")
            sys.modules[module] = StandIn(module, tuple(functions), worker.proxy)
        pytest.main(arguments(setup["tests"], setup["root"]), plugins=[worker, FailurePlugin(worker.proxy)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
