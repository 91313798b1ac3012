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
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_PRINTED = 4_000
"""How many characters that the student's code printed are shown."""
_ENDINGS = {"memory": MemoryError, "depth": RecursionError}
"""What is raised in place of a call that ended Python, by the reason; all others took too long."""


class Findings:
    """A pytest plugin that reads what the bundle's own plugin found.

    ``tell`` hears of calls, ``ended`` has the reasons of calls that ended an earlier Python.
    """

    def __init__(
        self, folder: Path, tell: Callable[[str, str], None], ended: dict[str, str], slower: float
    ) -> None:
        self.folder, self.tell, self.ended, self.slower = folder, tell, ended, slower
        self.kit: Any = None
        self.tests: list[dict[str, Any]] = []
        self.printed: list[str] = []
        self.found: dict[str, Any] = {}

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Listen to each call of the student's code."""
        self.kit = session.config.pluginmanager.getplugin(f"exercise-kit {self.folder}")
        if self.kit is None:
            return
        watch = self.kit.watch
        module, usual = sys.modules["exercise_kit.timeout"], watch.run

        @contextlib.contextmanager
        def run(name: str, what: str) -> Iterator[None]:
            if reason := self.ended.get(name):
                watch.seconds = self.slower * watch.limits[what]
                raise _ENDINGS.get(reason, module.TimeLimitReached)
            outer = not watch.current
            if outer:
                self.tell(what, name)
            try:
                with usual(name, what):
                    yield
            finally:
                if outer:
                    self.tell("", "")

        watch.run = run

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the failures, with call, answer and expected value apart, and what was printed."""
        self.printed += [text for name, text in report.sections if name.startswith("Captured std")]
        about = getattr(report, "exercise", None)
        if about is None or about["state"] not in ("needs-work", "stopped"):
            return
        view, draw = report.longrepr, sys.modules["exercise_kit.draw"]
        said = self._parts(about["sentence"]) | {"why": dict(view.why), "where": about["where"]}
        said["picture"] = draw.svg(view.picture) if view.picture else ""
        self.tests.append({"key": about["key"], "task": view.task, **said})

    def _parts(self, sentence: str) -> dict[str, Any]:
        """Take the sentence on a wrong answer apart; any other one stays whole."""
        watch, failure, display = (
            self.kit.watch,
            *(sys.modules[f"exercise_kit.{n}"] for n in ("failure", "display")),
        )
        last = watch.calls[-1] if watch.calls else None
        if last and watch.compared and watch.compared.left is last.got and not last.kind:
            got, expected = display.value_pair(last.got, failure.value_of(watch.compared.right))
            begin = f"{last.text} {last.verb} {got}; expected {expected}."
            if sentence.startswith(begin):
                rest = sentence.removeprefix(begin).strip()
                return {"sentence": rest, "call": last.text, "got": got, "expected": expected}
        return {"sentence": sentence}

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Put everything together while the bundle's plugin is still there."""
        if self.kit is None:
            return
        kit, run = self.kit, self.kit.run
        summary, wording = (sys.modules[f"exercise_kit.{name}"] for name in ("summary", "wording"))
        order = list(kit.criteria)
        first: dict[tuple[str, str], dict[str, Any]] = {}
        for test in sorted(self.tests, key=lambda one: order.index(tuple(one["key"]))):
            first.setdefault(tuple(test["key"]), test)
        for test in first.values():
            test["cause"] = run.cause(test["task"])
        rows = [
            {
                "title": row.task["title"],
                "state": row.state,
                "word": row.word,
                "symbol": wording.STATES.get(row.state, ("", "~"))[1],
                "got": row.got,
                "of": row.of,
                "hidden": row.task["hidden"],
            }
            for row in summary.rows(run)
        ]
        self.found = {
            "ending": [text for text, _ in summary.ending(run)],
            "broken": sorted(run.broken()),
            "tasks": rows,
            "failures": list(first.values()),
            "warnings": kit.warnings(),
            "closing": kit.closing(),
            "passed": summary.all_pass(run),
        }


def run(home: str, texts: str, ended: str, slower: float, tell: Callable[[str, str], None]) -> str:
    """Run the tests on these files, and return what they found, as JSON.

    Args:
        home: The folder of the exercise.
        texts: The text of each file of the student's, by name, as JSON.
        ended: Calls that ended an earlier Python, each with the reason, as JSON.
        slower: How many times the graded limit a call may take.
        tell: Called with ``call`` or ``import`` and its name at its begin, with two empty texts at its end.
    """
    folder = Path(home)
    os.chdir(folder)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = False  # the next run needs not compile the tests again
    for name, text in json.loads(texts).items():
        (folder / name).write_text(text, encoding="utf-8")
    findings = Findings(folder, tell, json.loads(ended), slower)
    names, modules, path = dict(vars(builtins)), set(sys.modules), list(sys.path)
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            # pytest's own view of a failure is not shown, and takes most of the time.
            status = pytest.main(["--tb=no", "-p", "no:cacheprovider", "-p", "no:faulthandler"], [findings])
    finally:  # what the student's code left behind must not change the next run
        builtins.__dict__.update(names)
        for name in set(builtins.__dict__) - set(names):
            delattr(builtins, name)
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if not getattr(sys.modules[name], "__file__", None) or str(folder) in str(
                sys.modules[name].__file__
            ):
                del sys.modules[name]
    printed = "\n".join(findings.printed)
    more = len(printed) - _PRINTED
    findings.found["printed"] = printed[:_PRINTED] + (
        f"\n... and {more:,} more characters" if more > 0 else ""
    )
    if "tasks" not in findings.found:
        findings.found["fault"] = f"pytest ended with status {int(status)}: {said.getvalue()[-2000:]}"
    return json.dumps(findings.found)


def hint(home: str, texts: str, number: int, counts: str) -> str:
    """The next hint on a TODO, and how many were given, as JSON; ``counts`` is what this returned last."""
    folder = Path(home)
    for name, text in json.loads(texts).items():
        (folder / name).write_text(text, encoding="utf-8")
    kept = folder / ".hints.json"
    kept.write_text(counts or "{}", encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        from kit import options  # noqa: PLC0415 - it lies in the folder

        known = json.loads((folder / "kit" / "points.json").read_text(encoding="utf-8"))
        return json.dumps({"text": options.next_hint(known, folder, number), "counts": kept.read_text()})
    finally:
        sys.path.remove(str(folder))
