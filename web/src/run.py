"""Run an exercise's released tests in the browser, and give what they found as data.

The page writes the bundle's files, and pytest beside them, into Pyodide's file system; both are the released
ones, unchanged. The page keeps the clock: it hears of each call of the student's code, and ends this Python
when a call takes too long. In the next Python the same call is not run but counts as stopped.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

time.process_time = time.perf_counter  # Pyodide's own fails after 36 minutes
HOME = Path("/exercise")
_PRINTED = 4_000
"""How many characters that the student's code printed are shown."""
_ENDINGS = {"memory": MemoryError, "depth": RecursionError}
"""What is raised in place of a call that ended Python, by the reason; all others took too long."""

_LACKS = re.compile(r"stack switching|new thread|multiprocessing|processes|ZoneInfo|No module named '(\w+)'")
"""What Python says of things that a browser lacks; a module only if it is Python's own."""

Tell = Callable[[str, str], None]
"""Hears ``call`` or ``import`` and its name when the student's code begins, two empty texts at its end."""


class Findings:
    """A pytest plugin that reads what the bundle's own plugin found.

    ``ended`` has the reasons of calls that ended an earlier Python; a call may take ``slower`` times the
    graded limit.
    """

    def __init__(self, tell: Tell, ended: dict[str, str], slower: float) -> None:
        self.tell, self.ended, self.slower = tell, ended, slower
        self.kit: Any = None
        self.failures: dict[tuple[str, str], dict[str, Any]] = {}
        self.printed: list[str] = []
        self.found: dict[str, Any] = {"fault": "The tests did not run to their end."}

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Listen to each call of the student's code."""
        self.kit = session.config.pluginmanager.getplugin(f"exercise-kit {HOME}")
        watch = self.kit.watch
        usual, too_slow = watch.run, _part("timeout").TimeLimitReached

        @contextlib.contextmanager
        def run(name: str, what: str) -> Iterator[None]:
            if reason := self.ended.get(name):
                watch.seconds = self.slower * watch.limits[what]
                raise _ENDINGS.get(reason, too_slow)
            tell = (lambda *_: None) if watch.current else self.tell
            tell(what, name)
            try:
                with usual(name, what):
                    yield
            finally:
                tell("", "")

        watch.run = run

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the first failure of each criterion, and what was printed."""
        self.printed += [text for name, text in report.sections if name.startswith("Captured std")]
        about = getattr(report, "exercise", None)
        if about is None or about["state"] not in ("needs-work", "stopped"):
            return
        view: Any = report.longrepr
        said = self._parted(about["sentence"]) | {"task": view.task, "why": view.why, "where": about["where"]}
        said["picture"] = _part("draw").svg(view.picture) if view.picture else ""
        self.failures.setdefault(tuple(about["key"]), said)

    def _parted(self, sentence: str) -> dict[str, str]:
        """Take the sentence on a wrong answer apart; any other one stays whole."""
        watch = self.kit.watch
        last = watch.calls[-1] if watch.calls else None
        if last and watch.compared and watch.compared.left is last.got and not last.kind:
            right = _part("failure").value_of(watch.compared.right)
            got, expected = _part("display").value_pair(last.got, right)
            begin = f"{last.text} {last.verb} {got}; expected {expected}."
            if sentence.startswith(begin):
                rest = sentence.removeprefix(begin).strip()
                return {"sentence": rest, "call": last.text, "got": got, "expected": expected}
        return {"sentence": sentence}

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Put everything together while the bundle's plugin is still there."""
        kit, run, summary, states = self.kit, self.kit.run, _part("summary"), _part("wording").STATES
        rows = summary.rows(run)
        if not rows:
            return
        for failure in self.failures.values():
            failure["cause"] = run.cause(failure["task"])
        tasks = [
            {
                "title": row.task["title"],
                "state": row.state,
                "word": row.word,
                "symbol": states.get(row.state, ("", "~"))[1],
                "got": row.got,
                "of": row.of,
                "hidden": row.task["hidden"],
            }
            for row in rows
        ]
        warnings = kit.warnings()
        said = [*run.broken(), *(failure["sentence"] for failure in self.failures.values())]
        lacking = filter(None, map(_LACKS.search, said))
        if any(one[1] is None or one[1] in sys.stdlib_module_names for one in lacking):
            warnings.append(
                "This page's Python has no threads, processes, asyncio.run, time zones or windows: "
                "what fails for that reason may work at home and when you are graded."
            )
        printed = "\n".join(self.printed)
        more = len(printed) - _PRINTED
        self.found = {
            "ending": [text for text, _ in summary.ending(run)],
            "broken": sorted(run.broken()),
            "tasks": tasks,
            "failures": [self.failures[key] for key in kit.criteria if key in self.failures],
            "warnings": warnings,
            "closing": kit.closing(),
            "passed": summary.all_pass(run),
            "printed": printed[:_PRINTED] + (f"\n... and {more} more characters" if more > 0 else ""),
        }


def run(texts: str, ended: str, slower: float, tell: Tell) -> str:
    """Run the tests on files, given by name as JSON, and return what they found, as JSON."""
    _write(texts)
    os.chdir(HOME)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = False  # the next run needs not compile the tests again
    findings = Findings(tell, json.loads(ended), slower)
    names, modules, path, said = dict(vars(builtins)), set(sys.modules), list(sys.path), io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            # pytest's own view of a failure is not shown, and takes most of the time.
            pytest.main(["--tb=no", "-p", "no:cacheprovider", "-p", "no:faulthandler"], [findings])
    finally:  # what the student's code left behind must not change the next run
        builtins.__dict__.update(names)
        for name in set(builtins.__dict__) - set(names):
            delattr(builtins, name)
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", HOME)).startswith(str(HOME)):
                del sys.modules[name]
    if "fault" in findings.found:
        findings.found["fault"] += said.getvalue()[-2000:]
    return json.dumps(findings.found)


def hint(texts: str, number: int, counts: str) -> str:
    """The next hint on a TODO, and how many were given, as JSON; ``counts`` is what this returned last."""
    _write(texts)
    kept = HOME / ".hints.json"
    kept.write_text(counts or "{}", encoding="utf-8")
    known = json.loads((HOME / "kit" / "points.json").read_text(encoding="utf-8"))
    sys.path.insert(0, str(HOME))
    try:
        from kit.options import next_hint  # noqa: PLC0415 - it lies in the folder

        text = next_hint(known, HOME, number)
    finally:
        sys.path.remove(str(HOME))
    return json.dumps({"text": text, "counts": kept.read_text(encoding="utf-8")})


def _part(name: str) -> Any:
    """A module of the bundle's plugin, as the run has it."""
    return sys.modules[f"exercise_kit.{name}"]


def _write(texts: str) -> None:
    for name, text in json.loads(texts).items():
        (HOME / name).write_text(text, encoding="utf-8")
