"""Serve as a worker: one process with one collected pytest session and one zygote; one Run per submission.

Started as ``python -m grader.suite.worker SOCKET``. For each submission the worker follows, one test class
after the other, the memory of earlier runs with the verdicts of the jailed child. Where the memory ends, a
fork, one a submission, runs the tests of the class and sends its requests through the worker, which alone
holds the child. The fork receives verdicts alone, never printed text or the text of an exception.
"""

import atexit
import gc
import os
import signal
import socket
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.base.machine import on_one_cpu
from grader.sandbox.child import Reply, Request, SandboxError
from grader.sandbox.host import Zygote
from grader.sandbox.tiers import Tier
from grader.suite.channel import encode, receive, send
from grader.suite.fork import Fork, ForkError
from grader.suite.memory import Answers, Ending, Memory, class_run
from grader.suite.plugin import FailurePlugin, by_class, report_of, visible_first
from grader.suite.run import Exchange, Job, Setup, answer_digests
from grader.suite.session import Session
from grader.suite.standin import StandIn, SubmissionProxy

VISIBLE = "visible/"


class Worker:
    """The pytest plugin that serves submissions from inside the collected session's loop."""

    def __init__(self, channel: socket.socket, setup: Setup) -> None:
        self.channel, self.setup = channel, setup
        self.memory = Memory(VISIBLE)
        self.groups: Mapping[str, Sequence[pytest.Item]] = {}
        self.told: list[dict[str, Any]] = []
        self.fork: Fork | None = None
        self.in_tests = 0.0
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
        self.groups = by_class(session.items)
        for item in session.items:
            _ = item.location  # worked out once, and not in every fork
        # Reporting progress would take longer than the tests.
        session.config.pluginmanager.unregister(name="terminalreporter")
        send(self.channel, {"tests": [item.nodeid for item in session.items]})
        gc.collect()
        gc.freeze()
        while (job := receive(self.channel, Job)) is not None:
            with on_one_cpu():
                run = self.run(session, job)
            send(self.channel, run)
        if self.zygote:
            self.zygote.close()
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(
        self, module_path: Path, parent: pytest.Collector
    ) -> pytest.Module | None:
        """Give a file of private tests, which lies outside pytest's root, a node id: ``private/NAME/...``."""
        private = self.setup.private
        if not private or not module_path.is_relative_to(private):
            return None
        place = module_path.relative_to(private).as_posix()
        module: pytest.Module = pytest.Module.from_parent(parent, path=module_path, nodeid=f"private/{place}")
        return module

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep the reports of files that could not be collected."""
        if report.failed:
            self.uncollected.append(report)

    def run(self, session: pytest.Session, job: Job) -> bytes:
        """Run one submission; return its Run in JSON, or one with ``fault`` when the grader itself failed.

        The class runs of other workers come with the job; what was learned goes with the Run.
        """
        begun = time.process_time()
        limits, expected = self.setup.limits.shared(job.share), tuple(self.setup.files)
        self.told, self.in_tests = [], 0.0
        for told in job.told:
            self.memory.learn(told)
        try:
            self.zygote = self.zygote or Zygote(Tier(self.setup.tier), self.setup.limits)
            conversation = Session(self.zygote, limits, job.files, expected, job.notebook)
            try:
                conversation.load()
                seen = [group for group in self.groups if group.startswith(VISIBLE)]
                endings = [self.ending_for(session, conversation, group) for group in seen]
                # Before any hidden test: what is said of a constant must not depend on one.
                conversation.read(self.setup.constants)
                hidden = [group for group in self.groups if group not in seen]
                endings += [self.ending_for(session, conversation, group) for group in hidden]
            finally:
                conversation.close()
                self.end_fork()
        except (SandboxError, ForkError, OSError) as error:
            if self.zygote:
                self.zygote.close()
            self.zygote = None
            return encode({"fault": f"{type(error).__name__}: {error}"})
        outcomes = {test: outcome for ending in endings for test, outcome in ending.outcomes.items()}
        exchanges = conversation.exchanges
        constants = answer_digests(exchange for exchange in exchanges if not exchange.test)
        fields = {
            "exchanges": exchanges if self.setup.tells_all else _explaining(exchanges, outcomes),
            "answers": _joined((*(ending.answers for ending in endings), constants)),
            "seen": _joined((*(ending.seen for ending in endings), constants)),
            "flags": sorted(conversation.flags),
            "cpu_seconds": conversation.cpu_spent,
            "peak_kib": conversation.peak_kib,
            "told": self.told,
            "spent": {"tests": self.in_tests, "worker": time.process_time() - begun},
        }
        report = report_of(outcomes.values(), (ending.entries for ending in endings))
        return b'{"report": %s, %s' % (report, encode(fields)[1:])

    def ending_for(self, session: pytest.Session, conversation: Session, group: str) -> Ending:
        """Return how a test class ends: as remembered, or as a fork finds that runs its tests."""
        node, replies = self.memory.root(group), []
        while node.request is not None:
            replies.append(self.answer(conversation, node.test, node.request))
            node = self.memory.step(node, replies[-1])
        if node.ending is not None:
            return node.ending
        fork = self.fork = self.fork or Fork(session, self.groups, self.proxy)
        fork.start(group)
        node, asked = self.memory.root(group), list[Exchange]()
        while (fields := fork.request()) is not None:
            test, before = fields.pop("test"), node.request
            request = node.ask(test, fields)
            if request is not before:
                # Tests that draw numbers request something else now: what was answered before is no answer.
                del replies[len(asked) :]
            if len(asked) == len(replies):
                replies.append(self.answer(conversation, test, request))
            reply = replies[len(asked)]
            asked.append(Exchange(test, request, reply.verdict, {}))
            fork.reply(reply.verdict)
            node = self.memory.step(node, reply)
        if run := class_run(group, fork.entries, asked):
            self.told.append(run)
        if any("changed" in exchange.verdict for exchange in asked):
            # A list that several classes pass may have changed in the fork: the next class starts afresh.
            self.end_fork()
        return self.memory.finish(node, fork.entries, asked)

    def end_fork(self) -> None:
        """End the fork, if there is one, and count what it used."""
        if self.fork:
            self.fork.close()
            self.in_tests += self.fork.cpu_seconds
            self.fork = None

    @staticmethod
    def answer(conversation: Session, test: str, request: Request) -> Reply:
        """Return the submission's reply to a test's request."""
        return conversation.answer(test, request, hidden=not test.startswith(VISIBLE))


def _explaining(exchanges: Iterable[Exchange], outcomes: Mapping[str, str]) -> list[Exchange]:
    """Return the exchanges that feedback uses: of imports, and the latest of each failed visible test."""
    found: dict[str, Exchange] = {}
    for number, exchange in enumerate(exchanges):
        if not exchange.test:
            found[str(number)] = exchange
        elif exchange.test.startswith(VISIBLE) and outcomes.get(exchange.test) != "passed":
            found[exchange.test] = exchange
    return [*found.values()]


def _joined(parts: Iterable[Answers]) -> Answers:
    """Return the answers of several test classes by function."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for part in parts:
        for name, answers in part.items():
            found[name].update(answers)
    return found


def arguments(tests: Sequence[str], root: str) -> list[str]:
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
    gc.set_threshold(20_000)  # nearly all objects live until the end
    atexit.register(gc.freeze)
    end_with_parent()
    with socket.socket(fileno=descriptor) as channel:
        setup = receive(channel, Setup)
        worker = Worker(channel, setup)
        for name, functions in setup.files.items():
            module = name.removesuffix(".py")
            sys.modules[module] = StandIn(module, tuple(functions), worker.proxy)
        pytest.main(arguments(setup.tests, setup.root), plugins=[worker, FailurePlugin(worker.proxy)])


if __name__ == "__main__":
    main(int(sys.argv[1]))
