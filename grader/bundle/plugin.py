"""pytest in a student's folder: explain each failure in a few plain lines, and show the points at the end."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import draw, failure, failure_view, hints, judge, options, student_file, summary, warn, wording

_PRINTED = 1_500
"""How many characters that a test printed are shown."""


def start(config: pytest.Config, folder: Path, tests: Path | None = None) -> None:
    """Put stand-ins in place of the student's files, and register the plugin.

    Args:
        config: pytest's.
        folder: The exercise: the student's files, and ``kit/points.json``.
        tests: The folder of the tests, if it is another one.
    """
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    for spare in sorted((folder / "kit").glob("test_*.txt")):
        path = folder / f"{spare.stem}.py"
        if tests is None and not path.exists():
            path.write_bytes(spare.read_bytes())
            sys.stderr.write(f"{path.name} was missing; it is there again.\n")
    if config.args == [str(config.invocation_params.dir)]:
        config.args[:] = ["."]  # pytest takes brackets in the folder's name for a test's parameters
    config.pluginmanager.register(Plugin(config, folder, tests or folder), f"exercise-kit {folder}")


class Plugin:
    """Gives each test of the exercise its state and sentence, and adds up the points."""

    def __init__(self, config: pytest.Config, folder: Path, tests: Path) -> None:
        self.config, self.folder, self.tests = config, folder, tests
        self.points = json.loads((folder / "kit" / "points.json").read_text(encoding="utf-8"))
        self.watch = student_file.Watch(folder, self.points.get("limits", {}))
        self.stand_ins = {
            Path(file).stem: student_file.StudentFile(folder / file, functions, self.watch)
            for file, functions in self.points["files"].items()
        }
        sys.modules.update(self.stand_ins)
        if config.getoption("doctestmodules", default=False):
            for stand_in in self.stand_ins.values():
                dir(stand_in)
        self.criteria = {
            (f"test_{task['file']}", criterion["tests"]): (task, criterion)
            for task in self.points["tasks"]
            for criterion in task["criteria"]
        }
        self.run = summary.RunState(self.points, {}, options.unanswered(folder, self.points), {}, [], {})
        self.view = failure_view.TerminalView(config)
        self.put_aside: list[Any] = []
        self.slot_map = draw.load_slot_map(folder)
        self.copies: list[Path] = getattr(sys.modules.get(__package__ or ""), "copies", [])

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Let test files import this exercise's files; another exercise may have some of the same names."""
        if getattr(collector, "path", self.tests).parent == self.tests:
            sys.modules.update(self.stand_ins)

    def pytest_collection_modifyitems(self) -> None:
        """Refuse two exercise folders in one run: both would import under the same names."""
        others = [str(copy) for copy in self.copies if copy != self.folder]
        if others:
            raise pytest.UsageError(
                f"there is more than one exercise folder here, {self.folder} and {others[0]}: open a "
                "terminal (or your editor) in the one that you work on, and run pytest there."
            )

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Record the calls of each test."""
        if item.path.parent == self.tests:
            sys.modules.update(self.stand_ins)
        self.watch.begin()
        yield
        self.watch.running = False

    def pytest_enter_pdb(self) -> None:
        """Lift the time limit for someone who steps through the code."""
        self.watch.seconds = 10_000.0
        self.watch.pause()

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Name the student's call that a person stopped with Ctrl-C."""
        terminal = self.view.terminal()
        if terminal is not None and self.watch.interrupted:
            place = student_file.place(excinfo.value, self.folder / "any")
            terminal.write_line("")
            terminal.write_line(wording.interrupted(self.watch.interrupted, place), bold=True)

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep the comparison that failed; pytest still makes its own explanation."""
        if self.watch.running:
            self.watch.compared = failure.Comparison(op, left, right)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Give a test of the exercise its state, and its few lines if it failed."""
        result: Any = yield
        report = result.get_result()
        key = self._key(item)
        if key is None or call.when != "call":
            return
        task, criterion = self.criteria[key]
        verdict, place = judge.Verdict("passed", ""), self._where(task)
        if not report.passed and call.excinfo is not None:
            report.outcome = "failed"  # a skip by the student's own code earns nothing
            verdict = judge.judge(call.excinfo, task, self.watch, self.folder)
            why = {}
            if verdict.state in ("needs-work", "stopped"):
                idea = hints.because(task["name"], task["file"], criterion["sentence"], verdict.kind)
                why = {"Because": idea, "Hint": hints.hint(criterion["hint"], verdict.kind)}
                why["Where"] = place
            report.longrepr = failure_view.FailureView(
                self.view, key, task["name"], verdict.sentence, why, report.longrepr, self._picture(verdict)
            )
        report.sections = [(name, _shortened(text)) for name, text in report.sections]
        report.exercise = {
            "tests": str(self.tests),
            "key": list(key),
            "test": item.name,
            "state": verdict.state,
            "sentence": verdict.sentence,
            "where": place,
            "waits": verdict.waits,
            "answers": self.watch.answers,
            "picture": self._picture(verdict) if self.config.getoption("map", default=False) else None,
        }

    def _key(self, item: pytest.Item) -> tuple[str, str] | None:
        owner = getattr(item, "cls", None)
        key = (item.path.name, owner.__name__ if owner else "")
        return key if item.path.parent == self.tests and key in self.criteria else None

    def _picture(self, verdict: judge.Verdict) -> draw.Picture | None:
        """Draw the last call of the test, where the right answer is known and the lesson draws it."""
        watch = self.watch
        if watch.last is None or verdict.kind not in ("", "value", "no-error"):
            return None
        got = watch.calls[-1].got if watch.calls else None
        if verdict.kind == "no-error":
            expected: object = verdict.wanted
        elif verdict.state == "passed" and watch.raised is None:
            expected = got
        elif watch.compared is not None and watch.compared.left is got and watch.compared.op == "==":
            expected = failure.value_of(watch.compared.right)
        else:
            return None
        try:
            return self.slot_map(*watch.last, got, expected)
        except Exception:  # noqa: BLE001 - a picture must not cost a test
            return None

    def _where(self, task: dict[str, Any]) -> str:
        """Where to work: the constant that the test read last, otherwise the task's function."""
        asked = self.watch.calls[-1].text if self.watch.calls else ""
        for todo in self.points["todos"]:
            if todo["constant"] and todo["name"] == asked:
                return f"{todo['file']}, TODO {todo['number']} ({asked})"
        return wording.where(task["name"], task["file"], task["title"])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Iterator[None]:
        """Count tests of tasks that are not started, or could not run, under these names; they still fail.

        This is a wrapper because a plain answer would hide the hook from editors, which listen to it too.
        """
        result: Any = yield
        state = getattr(report, "exercise", {}).get("state")
        if state in ("not-started", "not-run") and str(report.outcome) != "rerun":
            word, _, letter = wording.STATES[state]
            result.force_result((word, letter, (word.upper(), {"yellow": True})))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the states of the tests; with pytest-xdist this runs in the main process.

        Of a test that is run again, the last run counts.
        """
        if found := self._about(report):
            key = tuple(found["key"])
            test = summary.Found(*(found[name] for name in summary.Found._fields))
            self.run.tests.setdefault(key, {})[report.nodeid] = test
            task = self.criteria[key][0]["name"]
            if found["picture"]:
                self.run.pictures.setdefault(task, found["picture"])
            for function, call, answer in found["answers"]:
                self.run.answers.setdefault(function, {})[call] = answer
        elif not hasattr(report, "exercise") and (report.when == "call" or report.failed):
            if report.nodeid in self.run.own:
                self.run.own.remove(report.nodeid)
            if report.failed:
                self.run.own.append(report.nodeid)

    def _about(self, report: Any) -> Any:
        """What a test's report says of it; None unless it is a test of this exercise."""
        found = getattr(report, "exercise", None)
        return found if found and found["tests"] == str(self.tests) else None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Show the first failure in full, the others in a line, and write the summary at the very end."""
        del session
        terminal = self.view.terminal()
        if terminal is not None:
            self._choose_first(terminal)
        yield
        if terminal is None or not self.run.tests:
            return
        inside = self.tests != self.folder or (
            self.config.inipath is not None and self.config.inipath.parent == self.folder
        )
        width = terminal._tw.fullwidth  # noqa: SLF001 - pytest has no public name for it
        for picture in self.run.pictures.values():
            drawn = draw.text(picture, min(width, 80), unicode=self.view.unicode)
            for line in ["", *drawn.splitlines()]:
                terminal.write_line(line)
        for line, style in summary.lines(
            self.run,
            self.warnings(),
            unicode=self.view.unicode,
            width=width,
            outside="" if inside else self.folder.name,
            closing=self.closing(),
        ):
            terminal.write_line(line, **dict.fromkeys(style.split(), True))

    def warnings(self) -> list[str]:
        """What will be different when it is graded."""
        watch = self.watch
        return warn.all_warnings(self.folder, self.tests, self.points, watch.refusals, watch.slow)

    def closing(self) -> list[str]:
        """What the lesson says in the student's own numbers, when all visible tests pass."""
        path = self.folder / "kit" / "closing.py"
        if not path.is_file() or not summary.all_pass(self.run):
            return []
        try:
            return list(runpy.run_path(str(path))["closing"](*self.stand_ins.values()))
        except Exception:  # noqa: BLE001 - the student's functions may raise anything
            return []

    def _choose_first(self, terminal: Any) -> None:
        """Put all failures of the exercise aside but the first of the first unfinished TODO."""
        self.view.causes = {task["name"]: self.run.cause(task["name"]) for task in self.points["tasks"]}
        if self.view.style() != "auto":
            return
        order = list(self.criteria)
        failed = terminal.stats.get("failed", [])
        mine = [one for one in failed if self._about(one)]
        ranked = sorted(mine, key=lambda one: order.index(tuple(one.exercise["key"])))
        self.put_aside = ranked[1:]
        if ranked:
            terminal.stats["failed"] = [one for one in failed if one not in self.put_aside]
        if self.put_aside:
            first = ranked[0].exercise["key"]
            alike = sum(one.exercise["key"] == first for one in self.put_aside)
            self.view.more = summary.more_failures(alike, len(self.put_aside) - alike)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Count the failures that were put aside."""
        if self.put_aside:
            terminalreporter.stats["failed"] = [*terminalreporter.stats.get("failed", []), *self.put_aside]
            self.put_aside = []


def _shortened(text: str) -> str:
    if len(text) <= _PRINTED:
        return text
    return f"{text[:_PRINTED]}\n... and {len(text) - _PRINTED} more characters that it printed"
