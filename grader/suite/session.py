"""Answer the tests' requests from one submission's child, which is replaced after a stop."""

import contextlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.base.flags import CELL_NOT_PYTHON, ENDED_PROCESS, RETURNED_IMPOSTOR, TAMPERED_CHANNEL
from grader.course.model import Limits
from grader.sandbox.child import Child, Reply, Request, StoppedError
from grader.sandbox.host import Zygote
from grader.sandbox.inside.wire import CELL
from grader.suite.notebook import Notebook
from grader.suite.run import Exchange

# A function that was too slow once gets this share of its limits, so many times (fewer if it never answered a
# call), and then nothing: one that hangs in every test must not use up the time of the others.
_SHARE_OF_SLOW, _MOST_REPEATS, _REPEATS_OF_SILENT = 0.1, 5, 2
# What exchanges may cost the process that checks them: so many CPU seconds, and so many more for each.
_CHECKING_SECONDS, _EXCHANGE_SECONDS = 0.05, 0.0005
_STOP_FLAGS: dict[str, str] = {"ended": ENDED_PROCESS, "protocol": TAMPERED_CHANNEL}


@dataclass
class Session:
    """Answers requests from a submission's child and keeps the exchanges.

    After a stop, no more calls of the same test class are sent, since its points are lost; the next class
    gets a new child. All children share one budget of CPU and wall seconds, and a second budget for what they
    cost this process.

    A ``notebook`` replaces the expected files that are missing. Its cells are run one by one, up to the last
    one that the test class needs. A class that needs fewer cells than were run gets a new child. The hidden
    tests get a new child too, since visible tests leave traces in a notebook.
    """

    zygote: Zygote
    limits: Limits
    files: Mapping[str, bytes]
    expected: tuple[str, ...]
    notebook: Notebook | None = None
    exchanges: list[Exchange] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    cpu_spent: float = 0.0
    peak_kib: int = 0
    wall_spent: float = 0.0
    checking: float = 0.0  # CPU seconds
    _child: Child | None = None
    _used: float = 0.0  # CPU seconds of the child when its clock was last read
    _loaded: set[str] = field(default_factory=set)
    _refused: dict[str, dict[str, Any]] = field(default_factory=dict)  # verdicts by module
    _stopped: dict[str, dict[str, Any]] = field(default_factory=dict)  # verdicts by test class (node id)
    _slow: Counter[str] = field(default_factory=Counter)  # how often each function was too slow
    _answered: set[str] = field(default_factory=set)  # functions that answered a call
    _waiting: set[str] = field(default_factory=set)  # functions stopped after hardly any CPU time
    _ran: int = 0
    _told: set[int] = field(default_factory=set)  # cells with a kept exchange
    _stuck: set[int] = field(default_factory=set)  # cells that ended their child and are not run again
    _unnamed: list[int] = field(default_factory=list)  # cells that missed a name in this child
    _in_hidden: bool = False

    def load(self) -> None:
        """Import every expected file before any test runs, so that feedback may show all of it."""
        for name in self.expected:
            module = name.removesuffix(".py")
            if name not in self.files and self.notebook:
                continue
            if name not in self.files:
                self._refused[module] = {"kind": "not-loaded", "reason": "absent"}
                continue
            request = Request({"verb": "load", "module": module})
            reply = self._ask(request, self.limits.import_cpu_seconds, self.limits.call_wall_seconds)
            if reply.verdict["kind"] == "loaded":
                self._loaded.add(module)
            else:
                reason = reply.verdict.get("reason", "raised")
                self._refused[module] = {"kind": "not-loaded", "reason": reason}
            self.exchanges.append(Exchange("", request, reply.verdict, reply.aside))

    def answer(self, test: str, request: Request, *, hidden: bool) -> Reply:
        """Return the reply to one request of a test (its node id)."""
        group = test.rpartition("::")[0]
        if known := self._refused.get(request["module"]) or self._stopped.get(group):
            reply = Reply(known)
        else:
            reply = self._reply(request, group, hidden=hidden)
            if reply.verdict["kind"] == "stopped":
                self._stopped[group] = reply.verdict
        self.exchanges.append(Exchange(test, request, reply.verdict, {} if hidden else reply.aside))
        return reply

    def _reply(self, request: Request, group: str, *, hidden: bool) -> Reply:
        """Run what has to run before a request, and ask; return the stop if something failed on the way."""
        module = request["module"]
        if self.notebook and f"{module}.py" not in self.files:
            return self._run_cells(self.notebook, group, hidden=hidden) or self._call(request)
        if module not in self._loaded:  # a new child
            load = Request({"verb": "load", "module": module})
            again = self._ask(load, self.limits.import_cpu_seconds, self.limits.call_wall_seconds)
            if again.verdict["kind"] != "loaded":
                return Reply({"kind": "stopped", "reason": again.verdict.get("reason", "ended")}, again.aside)
            self._loaded.add(module)
        return self._call(request)

    def read(self, constants: Mapping[str, Sequence[str]]) -> None:
        """Read constants once more after the visible tests, whether those read them or not, by file."""
        for name, constant in ((name, c) for name, some in constants.items() for c in some):
            module = name.removesuffix(".py")
            if module in self._refused:
                continue
            fields = {"verb": "constant", "module": module, "name": constant, "arguments": [], "keywords": []}
            request = Request(fields)
            reply = self._reply(request, "", hidden=self._in_hidden)
            self.exchanges.append(Exchange("", request, reply.verdict, {}))

    def _run_cells(self, notebook: Notebook, group: str, *, hidden: bool) -> Reply | None:
        """Run the cells that a test class wants; return a stop if the budget was used up."""
        stop = notebook.stops.get(group, len(notebook.cells))
        if self._child and ((notebook.stops and self._ran > stop) or hidden is not self._in_hidden):
            self._drop_child(self._child, "")
        self._in_hidden = hidden
        while True:
            number = self._ran
            if number >= stop:
                # At the end come cells that used a name of a later cell, which their student ran before.
                late = [] if notebook.stops else self._unnamed[number - stop : number - stop + 1]
                if not late:
                    return None
                number = late[0]
            self._ran += 1
            if stopped := self._run_cell(notebook, number, hidden=hidden):
                return stopped

    def _run_cell(self, notebook: Notebook, number: int, *, hidden: bool) -> Reply | None:
        """Run one cell unless it ended its child before; return a stop if the budget was used up."""
        cell = notebook.cells[number]
        if cell.kind == "tests" or number in self._stuck:
            return None
        request = {"verb": "cell", "file": f"{number}{CELL}", "name": cell.name, "above": cell.above}
        # Several endless cells must not use up the time of the others.
        share = 0.5 ** len(self._stuck)
        asked = Request({**request, "answers": notebook.answers})
        limits = self.limits.import_cpu_seconds * share, self.limits.call_wall_seconds * share
        reply = self._ask(asked, *limits, again=share < 1)
        if reply.verdict.get("reason") == "budget":
            return reply
        if reply.verdict["kind"] == "stopped":
            self._stuck.add(number)
        if "NameError" in reply.verdict.get("classes", ()) and number not in self._unnamed:
            self._unnamed.append(number)
        if not hidden and number not in self._told and cell.kind != "given":
            self._told.add(number)
            self.exchanges.append(Exchange("", request, reply.verdict, reply.aside))
            if "syntax" in reply.aside:
                self.flags.add(CELL_NOT_PYTHON)
        return None

    def _call(self, request: Request) -> Reply:
        """Read a constant or call a function; one that was too slow has less time, and at last none.

        One that computes keeps its wall seconds: on a busy machine it may need them for a tenth of its CPU
        seconds.
        """
        cpu, wall, name = self.limits.call_cpu_seconds, self.limits.call_wall_seconds, request["name"]
        if again := self._slow[name] > 0:
            cpu *= _SHARE_OF_SLOW
            wall *= _SHARE_OF_SLOW if name in self._waiting else 1
        if self._slow[name] > (_MOST_REPEATS if name in self._answered else _REPEATS_OF_SILENT):
            seconds = wall if name in self._waiting else cpu
            return Reply({"kind": "stopped", "reason": "time"}, {"seconds": seconds, "again": True})
        before = self.cpu_spent
        reply = self._ask(request, cpu, wall, again=again)
        if reply.verdict.get("reason") == "time":
            self._slow[name] += 1
            if self.cpu_spent - before < cpu * _SHARE_OF_SLOW:
                self._waiting.add(name)
        elif reply.verdict["kind"] != "stopped":
            self._answered.add(name)
        return reply

    def _ask(self, request: Request, cpu: float, wall: float, *, again: bool = False) -> Reply:
        """Ask the child, within so many seconds and the rest of the submission's budget.

        ``again`` is true of a function that was too slow before.
        """
        cpu_left = self.limits.submission_cpu_seconds - self.cpu_spent
        wall_left = self.limits.submission_wall_seconds - self.wall_spent
        if cpu_left <= 0 or wall_left <= 0:
            return Reply({"kind": "stopped", "reason": "budget"})
        if self.checking > _CHECKING_SECONDS + _EXCHANGE_SECONDS * len(self.exchanges):
            if self._child:
                self._drop_child(self._child, "protocol")
            return Reply({"kind": "stopped", "reason": "protocol"})
        started, begun = time.monotonic(), time.thread_time()
        child = self._child or self._spawn_child()
        try:
            reply = child.ask(request, cpu=min(cpu, cpu_left), wall=min(wall, wall_left))
        except StoppedError as stop:
            self._drop_child(child, stop.reason)
            shortened = stop.reason == "time" and (cpu_left < cpu or wall_left < wall)
            verdict = {"kind": "stopped", "reason": "budget" if shortened else stop.reason}
            waited = time.monotonic() - started >= wall
            return Reply(verdict, {"seconds": wall if waited else cpu} | ({"again": True} if again else {}))
        finally:
            used = child.cpu_seconds()
            self.cpu_spent += max(0.0, used - self._used)
            self._used = used
            self.wall_spent += time.monotonic() - started
            self.checking += time.thread_time() - begun
        if "classes" in reply.verdict or "impostor" in reply.aside:
            return self._classify(reply)
        return reply

    def _spawn_child(self) -> Child:
        self._child = self.zygote.spawn()
        self._used = self._child.cpu_seconds()
        self._loaded.clear()
        # If it ends while it receives its files, the first request tells how.
        with contextlib.suppress(StoppedError):
            cells = self.notebook.cells if self.notebook else ()
            sources = {f"{number}{CELL}": cell.source for number, cell in enumerate(cells)}
            self._child.send_files({**self.files, **sources})
        return self._child

    def _drop_child(self, child: Child, reason: str) -> None:
        self.flags |= child.flags
        if reason in _STOP_FLAGS:
            self.flags.add(_STOP_FLAGS[reason])
        self.peak_kib = max(self.peak_kib, child.close().peak_kib)
        self._child = None
        self._ran = 0
        self._unnamed.clear()
        self._loaded.clear()

    def _classify(self, reply: Reply) -> Reply:
        """Turn SystemExit and MemoryError into a stop; flag a value that poses as another type."""
        classes = reply.verdict.get("classes", ())
        if "SystemExit" in classes:
            self.flags.add(ENDED_PROCESS)
            return Reply({"kind": "stopped", "reason": "ended"}, reply.aside)
        if "MemoryError" in classes and self._child:
            self._drop_child(self._child, "memory")
            return Reply({"kind": "stopped", "reason": "memory"}, reply.aside)
        if reply.aside.get("impostor"):
            self.flags.add(RETURNED_IMPOSTOR)
        return reply

    def close(self) -> None:
        """End the child."""
        if self._child:
            self.flags |= self._child.flags
            self.peak_kib = max(self.peak_kib, self._child.close().peak_kib)
            self._child = None
