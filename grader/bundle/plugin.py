"""pytest in a student's folder: explain each failure in a few plain lines, and show the points at the end."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import failure, failure_view, student_file, summary, wording

_NOT_RAISED = re.compile(r"DID NOT RAISE (?:<class '(?:\w+\.)*(\w+)'>|(\w+))")


def start(config: pytest.Config, folder: Path, tests: Path | None = None) -> None:
    """Put stand-ins in place of the student's files, and register the plugin.

    Args:
        config: pytest's.
        folder: The exercise: the student's files, and ``kit/points.json``.
        tests: The folder of the tests, if it is another one.
    """
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    config.pluginmanager.register(Plugin(config, folder, tests or folder), f"exercise-kit {folder}")


class Plugin:
    """Gives each test of the exercise its state and sentence, and adds up the points."""

    def __init__(self, config: pytest.Config, folder: Path, tests: Path) -> None:
        self.config, self.folder, self.tests = config, folder, tests
        self.points = json.loads((folder / "kit" / "points.json").read_text(encoding="utf-8"))
        self.watch = student_file.Watch()
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
        self.seen: dict[tuple[str, str], dict[str, list[str]]] = {}
        self.failures: dict[tuple[str, str], tuple[str, str]] = {}
        self.view = failure_view.TerminalView(config)
        self.copies: list[Path] = getattr(sys.modules.get(__package__ or ""), "copies", [])

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Let test files import this exercise's files; another exercise may have some of the same names."""
        if collector.path.parent == self.tests:
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
        task, _ = self.criteria[key]
        state, sentence, place = "passed", "", self._where(task)
        if not report.passed and call.excinfo is not None:
            report.outcome = "failed"  # a skip by the student's own code earns nothing
            state, sentence = self._judge(call.excinfo, task)
            why = []
            if state in ("needs-work", "stopped"):
                criterion = self.criteria[key][1]
                idea = wording.because(task["name"], task["file"], criterion["sentence"])
                why = [f"Because: {idea}", f"Hint: {criterion['hint']}", f"Where: {place}"]
            report.longrepr = failure_view.FailureView(self.view, key, sentence, why, report.longrepr)
        kept = {"test": item.name, "state": state, "sentence": sentence, "where": place}
        report.exercise = {"key": list(key), **kept}

    def _key(self, item: pytest.Item) -> tuple[str, str] | None:
        owner = getattr(item, "cls", None)
        key = (item.path.name, owner.__name__ if owner else "")
        return key if item.path.parent == self.tests and key in self.criteria else None

    def _judge(self, excinfo: pytest.ExceptionInfo[BaseException], task: dict[str, Any]) -> tuple[str, str]:
        """The state and the sentence of a test that failed."""
        error, watch = excinfo.value, self.watch
        text = student_file.text_of(error)
        if isinstance(error, student_file.EndTest):
            return error.state, error.sentence
        if isinstance(error, NotImplementedError):
            return "not-started", self._not_started(error, text, task)
        if error is watch.raised:
            return "needs-work", self._raised(error, text, task, excinfo)
        if found := _NOT_RAISED.match(text):
            return "needs-work", failure.failed_raises(watch.calls, found[1] or found[2])
        if isinstance(error, AssertionError):
            return "needs-work", failure.failed_check(watch.calls, watch.compared, text)
        return "needs-work", wording.raised(watch.at or "This test", type(error).__name__, text)

    def _not_started(self, error: BaseException, text: str, task: dict[str, Any]) -> str:
        own = [
            frame.name for frame in student_file.frames(error) if Path(frame.filename).parent == self.folder
        ]
        if error is self.watch.raised and own and own[-1].isidentifier() and own[-1] != task["name"]:
            return wording.needs_other(self.watch.at, own[-1], text)
        name = self.watch.calls[-1].text if self.watch.calls else task["name"]
        return wording.not_started(name, text.partition(": ")[0] if self.watch.calls else text, task["file"])

    def _where(self, task: dict[str, Any]) -> str:
        """Where to work: the constant that the test read last, otherwise the task's function."""
        asked = self.watch.calls[-1].text if self.watch.calls else ""
        for todo in self.points["todos"]:
            if todo["constant"] and todo["name"] == asked:
                return f"{todo['file']}, TODO {todo['number']} ({asked})"
        return wording.where(task["name"], task["file"], task["title"])

    def _raised(
        self,
        error: BaseException,
        text: str,
        task: dict[str, Any],
        excinfo: pytest.ExceptionInfo[BaseException],
    ) -> str:
        call, file = self.watch.at, task["file"]
        where = student_file.place(error, self.folder / file)
        if isinstance(error, student_file.AskedForInput):
            at, _, line = where.partition(" line ")
            return wording.asks_for_input(at or file, int(line) if line else None)
        if isinstance(error, TypeError) and where.startswith("test_"):
            return wording.wrong_arguments(call, text)
        if isinstance(error, RecursionError):
            return wording.too_deep(call, where)
        test = next((e for e in excinfo.traceback if Path(e.path).name == f"test_{file}"), None)
        source = Path(test.path).read_text(encoding="utf-8") if test else ""
        expected = failure.expected_at(source, test.lineno + 1) if test else ""
        return wording.raised(call, type(error).__name__, text, where, expected)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Iterator[None]:
        """Count tests of tasks that are not started, or could not run, under these names; they still fail.

        This is a wrapper because a plain answer would hide the hook from editors, which listen to it too.
        """
        result: Any = yield
        state = getattr(report, "exercise", {}).get("state")
        if state in ("not-started", "not-run"):
            word, _, letter = wording.STATES[state]
            result.force_result((word, letter, (word.upper(), {"yellow": True})))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the states of the tests; with pytest-xdist this runs in the main process."""
        if found := getattr(report, "exercise", None):
            key = tuple(found["key"])
            test = found["test"].partition("[")[0]
            self.seen.setdefault(key, {}).setdefault(test, []).append(found["state"])
            if found["sentence"]:
                self.failures.setdefault(key, (found["where"], found["sentence"]))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Write the summary after everything else."""
        yield
        del session
        terminal = self.view.terminal()
        if terminal is None or not self.seen:
            return
        inside = self.tests != self.folder or (
            self.config.inipath is not None and self.config.inipath.parent == self.folder
        )
        run = summary.RunState(self.points, self.seen, self.failures, self._unanswered())
        for line, style in summary.lines(
            run, unicode=_can_show_symbols(), outside="" if inside else self.folder.name
        ):
            terminal.write_line(line, **dict.fromkeys(style.split(), True))

    def _unanswered(self) -> list[str]:
        """The constants of the exercise that are still None."""
        names = {todo["name"]: todo["file"] for todo in self.points["todos"] if todo["constant"]}
        files = {file: vars(sys.modules[Path(file).stem]) for file in set(names.values())}
        return [name for name, file in names.items() if name in files[file] and files[file][name] is None]


def _can_show_symbols() -> bool:
    """True if the terminal's encoding has the symbols of the states."""
    encoding = getattr(sys.__stdout__, "encoding", None) or "ascii"
    try:
        "".join(symbol for _, symbol, _ in wording.STATES.values()).encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True
