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
            key: (task, criterion)
            for task in self.points["tasks"]
            for key, criterion in summary.keys_of(task).items()
        }
        constants = [todo for todo in self.points["todos"] if todo["constant"]]
        left = [one["name"] for one in constants if not options.is_begun(folder / one["file"], one)]
        self.run = summary.RunState(self.points, {}, left, {}, [], {})
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
        if terminal is not None and (call := self.watch.interrupted):
            place = student_file.place(excinfo.value, self.folder / "any")
            at = f", at {place}" if place else ""
            terminal.write_line("")
            terminal.write_line(f"You stopped {call}{at}: {wording.LOOPS}", bold=True)

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep the comparison that failed; pytest still makes its own explanation."""
        if self.watch.running:
            self.watch.compared = failure.Comparison(op, left, right)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Give a test of the exercise its state, and its few lines if it failed."""
        result: Any = yield
        report = result.get_result()
        owner = getattr(item, "cls", None)
        key = (item.path.name, owner.__name__ if owner else "")
        if item.path.parent != self.tests or key not in self.criteria or call.when != "call":
            return
        (task, criterion), watch = self.criteria[key], self.watch
        found = summary.Found("passed", self._where(task))
        kind = wanted = ""
        if not report.passed and call.excinfo is not None:
            report.outcome = "failed"  # a skip by the student's own code earns nothing
            state, sentence, kind, waits, wanted = judge.judge(call.excinfo, task, watch, self.folder)
            why = {}
            if state in ("needs-work", "stopped"):
                idea = hints.because(task["name"], task["file"], criterion["sentence"], kind)
                why = {"Because": idea, "Hint": hints.hint(criterion["hint"], kind), "Where": found.where}
            parts = failure.parts(watch.calls, watch.compared, sentence)
            found = summary.Found(state, found.where, sentence, waits, why, parts)
        if not report.passed or self.config.getoption("map", default=False):
            found = found._replace(picture=self._picture(found.state, kind, wanted))
        if not report.passed:
            report.longrepr = failure_view.FailureView(
                self.view, key, task["name"], found.sentence, found.why, report.longrepr, found.picture
            )
        report.sections = [(name, _shortened(text)) for name, text in report.sections]
        # With pytest-xdist the report goes to another process, so it holds plain data.
        report.exercise = {
            "tests": str(self.tests),
            "key": key,
            "found": tuple(found),
            "answers": watch.answers,
        }

    def _picture(self, state: str, kind: str, wanted: str) -> draw.Picture | None:
        """Draw the last call of the test, where the right answer is known and the lesson draws it."""
        watch = self.watch
        if watch.last is None or kind not in ("", "value", "no-error"):
            return None
        got = watch.calls[-1].got if watch.calls else None
        if kind == "no-error":
            expected: object = wanted
        elif state == "passed" and watch.raised is None:
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
        about = getattr(report, "exercise", None)
        if about and about["found"][0] in ("not-started", "not-run") and str(report.outcome) != "rerun":
            word, _, letter = wording.STATES[about["found"][0]]
            result.force_result((word, letter, (word.upper(), {"yellow": True})))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the states of the tests; with pytest-xdist this runs in the main process.

        Of a test that is run again, the last run counts.
        """
        if key := self._key(report):
            about: Any = report
            found = summary.Found(*about.exercise["found"])
            self.run.tests.setdefault(key, {})[report.nodeid] = found
            if found.picture and self.config.getoption("map", default=False):
                self.run.pictures.setdefault(self.criteria[key][0]["name"], found.picture)
            for function, call, answer in about.exercise["answers"]:
                self.run.answers.setdefault(function, {})[call] = answer
        elif not hasattr(report, "exercise") and (report.when == "call" or report.failed):
            if report.nodeid in self.run.own:
                self.run.own.remove(report.nodeid)
            if report.failed:
                self.run.own.append(report.nodeid)

    def _key(self, report: Any) -> summary.Key | None:
        """The criterion of a test's report; None unless it is a test of this exercise."""
        about = getattr(report, "exercise", None)
        return tuple(about["key"]) if about and about["tests"] == str(self.tests) else None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        """Show the first failure in full, the others in a line, and write the summary at the very end."""
        terminal = self.view.terminal()
        if terminal is not None:
            self._choose_first(terminal)
        yield
        if terminal is None or not self.run.tests:
            return
        options.keep_next(self.folder, next((text for text, _ in summary.ending(self.run)), ""))
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
            self._warnings(),
            unicode=self.view.unicode,
            width=width,
            outside="" if inside else self.folder.name,
            closing=self._closing(),
        ):
            terminal.write_line(line, **dict.fromkeys(style.split(), True))

    def findings(self) -> dict[str, Any]:
        """What the summary says, and the first failure of each criterion, as data for a page in a browser."""
        run = self.run
        failures = [
            {"task": task["name"], "cause": run.cause(task["name"]), **test._asdict()}
            | {"picture": draw.svg(test.picture) if test.picture else ""}
            for key, (task, _) in self.criteria.items()
            for test in run.with_state(key, "needs-work", "stopped")[:1]
        ]
        return {
            "ending": [text for text, _ in summary.ending(run)],
            "broken": run.broken(),
            "tasks": [row._asdict() for row in run.rows()],
            "failures": failures,
            "warnings": self._warnings(),
            "closing": self._closing(),
            "passed": run.all_pass(),
        }

    def _warnings(self) -> list[str]:
        """What will be different when it is graded."""
        watch = self.watch
        return warn.all_warnings(self.folder, self.tests, self.points, watch.refusals, watch.slow)

    def _closing(self) -> list[str]:
        """What the lesson says in the student's own numbers, when all visible tests pass."""
        path = self.folder / "kit" / "closing.py"
        if not path.is_file() or not self.run.all_pass():
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
        ranked = sorted(filter(self._key, failed), key=lambda one: order.index(tuple(one.exercise["key"])))
        self.put_aside = ranked[1:]
        if self.put_aside:
            terminal.stats["failed"] = [one for one in failed if one not in self.put_aside]
            alike = sum(self._key(one) == self._key(ranked[0]) for one in self.put_aside)
            others = len(self.put_aside) - alike
            more = [f"{alike} more like it"] * bool(alike) + [f"{others} of other ideas"] * bool(others)
            self.view.more = f"... and {' and '.join(more)} (pytest --tb=short shows them all)."

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Count the failures that were put aside."""
        if self.put_aside:
            terminalreporter.stats["failed"] = [*terminalreporter.stats.get("failed", []), *self.put_aside]
            self.put_aside = []


def _shortened(text: str) -> str:
    if len(text) <= _PRINTED:
        return text
    return f"{text[:_PRINTED]}\n... and {len(text) - _PRINTED} more characters that it printed"
