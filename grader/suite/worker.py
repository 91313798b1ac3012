"""Serve as a worker: one process with one collected pytest session and one zygote; one Run per submission.

Started as ``python -m grader.suite.worker SOCKET``. For each submission the worker follows the memory of
earlier runs with the verdicts of the jailed child. Where the memory ends, it forks: the fork runs the tests
and sends its requests through the worker, which alone holds the child. The fork receives verdicts alone,
never what a submission printed or the text of an exception.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import signal
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
from grader.suite.notebook import Notebook
from grader.suite.plugin import FailurePlugin, visible_first
from grader.suite.run import Exchange, answer_digests, canonical
from grader.suite.session import Session
from grader.suite.standin import StandIn, SubmissionProxy

VISIBLE = "visible/"


class Worker:
    """The pytest plugin that serves submissions from inside the collected session's loop."""

    def __init__(self, channel: socket.socket, setup: Mapping[str, Any]) -> None:
        self.channel = channel
        self.files: Mapping[str, list[str]] = setup["files"]
        self.limits = msgspec.convert(setup["limits"], Limits)
        self.tier = Tier(setup["tier"])
        self.private: str = setup["private"]
        self.constants: Mapping[str, list[str]] = setup["constants"]
        self.tells_all: bool = setup["tells_all"]
        self.memory = Memory()
        self.zygote: Zygote | None = None
        self.proxy = SubmissionProxy()
        self.uncollected: list[pytest.CollectReport] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Replace pytest's loop: send the list of tests, then a run for each submission received."""
        if session.testsfailed:
            first = self.uncollected[0]
            send(self.channel, {"refused": f"{first.nodeid}: {str(first.longrepr)[-1500:]}"})
            return True
        session.items = visible_first(session.items, VISIBLE)
        # Reporting progress would take longer than the tests.
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
        """Keep the reports of files that could not be collected."""
        if report.failed:
            self.uncollected.append(report)

    def run(self, session: pytest.Session, job: Mapping[str, Any]) -> dict[str, Any]:
        """Run one submission; return the fields of its Run, or ``fault`` when the grader itself failed."""
        files = {name: base64.b64decode(data) for name, data in job["files"].items()}
        notebook = msgspec.convert(job["notebook"], Notebook) if job["notebook"] else None
        limits = self.limits.shared(job["share"])
        try:
            self.zygote = self.zygote or Zygote(self.tier, self.limits)
            conversation = Session(self.zygote, limits, files, tuple(self.files), notebook)
            try:
                conversation.load()
                report = self.report_for(session, conversation)
                conversation.read(self.constants)
            finally:
                conversation.close()
        except (SandboxError, ForkError, OSError) as error:
            if self.zygote:
                self.zygote.close()
            self.zygote = None
            return {"fault": f"{type(error).__name__}: {error}"}
        told = conversation.exchanges if self.tells_all else visible_exchanges(conversation.exchanges)
        return {
            "report": json.loads(report),
            "exchanges": [msgspec.to_builtins(exchange) for exchange in told],
            "answers": answer_digests(conversation.exchanges),
            "flags": sorted(conversation.flags),
            "cpu_seconds": conversation.cpu_spent,
        }

    def report_for(self, session: pytest.Session, conversation: Session) -> bytes:
        """Return the report: a remembered one, or that of a fork that runs the tests."""
        node, verdicts = self.memory.root, []
        while node.request is not None:
            request = json.loads(node.request)
            verdicts.append(self.answer(conversation, request))
            node = self.memory.step(node, canonical(verdicts[-1]))
        if node.report is None:
            node = self.run_in_fork(session, conversation, verdicts)
        if node.report is None:
            raise ForkError("the tests ended without a report")
        return node.report

    def run_in_fork(
        self, session: pytest.Session, conversation: Session, verdicts: list[dict[str, Any]]
    ) -> Node:
        """Run the tests in a fork, with the given verdicts, then with new ones; return the last node."""
        node, known = self.memory.root, iter(verdicts)
        with Fork(session, self.proxy) as fork:
            while (request := fork.request()) is not None:
                node.request = canonical(request)
                given = next(known, None)
                verdict = self.answer(conversation, request) if given is None else given
                fork.reply(verdict)
                node = self.memory.step(node, canonical(verdict))
            if fork.report is not None:
                self.memory.finish(node, fork.report)
        return node

    @staticmethod
    def answer(conversation: Session, request: dict[str, Any]) -> dict[str, Any]:
        """Return the submission's verdict on a test's request."""
        test = request["test"]
        plain = {key: value for key, value in request.items() if key != "test"}
        return conversation.answer(test, plain, hidden=not test.startswith(VISIBLE))


def visible_exchanges(exchanges: list[Exchange]) -> list[Exchange]:
    """Return the exchanges that feedback may use: those of imports and visible tests."""
    return [exchange for exchange in exchanges if not exchange.test or exchange.test.startswith(VISIBLE)]


def arguments(tests: list[str], root: str) -> list[str]:
    """Return pytest's arguments: no settings of the machine, only the plugins that grading needs."""
    left_out = ("cacheprovider", "doctest", "junitxml", "pastebin", "stepwise", "logging", "faulthandler",
                "unraisableexception", "threadexception", "warnings", "nose", "debugging", "setuponly",
                "setupplan", "recwarn")  # fmt: skip
    options = ["-c", os.devnull, "--rootdir", root, "--noconftest", "--import-mode=importlib", "--capture=no"]
    options += [option for name in left_out for option in ("-p", f"no:{name}")]
    options += ["-p", "pytest_jsonreport.plugin", "--json-report", "--json-report-file=none", "--tb=line"]
    options += ["--json-report-omit", "log", "streams", "keywords", "collectors", "warnings"]
    return [*options, "--", *tests]


def end_with_parent() -> None:
    """End this process within a second of the one that started it, also when that was killed.

    The kernel's own signal for that comes already when the thread ends that started this process. With this
    process its zygote and all children end.
    """
    parent = os.getppid()
    signal.signal(signal.SIGALRM, lambda *_: os.getppid() == parent or os._exit(1))
    signal.setitimer(signal.ITIMER_REAL, 1, 1)


def main(descriptor: int) -> None:
    """Serve on the inherited socket ``descriptor`` until it is closed."""
    sys.dont_write_bytecode = True
    end_with_parent()
    with socket.socket(fileno=descriptor) as channel:
        setup = receive(channel)
        worker = Worker(channel, setup)
        for name, functions in worker.files.items():
            module = name.removesuffix(".py")
            sys.modules[module] = StandIn(module, tuple(functions), worker.proxy)
        pytest.main(arguments(setup["tests"], setup["root"]), plugins=[worker, FailurePlugin(worker.proxy)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
