"""Make the messages of a run's failed criteria, the notes on its code, and the flags of its imports."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, cast

from grader.base.flags import NEEDS_NEWER_PYTHON, THIRD_PARTY_IMPORT
from grader.bundle import display, wording
from grader.bundle.failure import expected_at
from grader.course.model import Criterion, Exercise
from grader.grading.sentences import (
    Source,
    failed_cell,
    failed_import,
    failed_test,
    kind_of,
    left_out,
    needs_newer,
    place_of_raise,
)
from grader.sources.submission import Submission
from grader.suite.run import Run

State = Literal["passed", "needs-work", "not-started", "not-run", "stopped"]

MOST_SENTENCES = 3  # sentences of one message
_MOST_CELLS = 8  # cells that ended early of which notes tell
_PRINTED = 240  # characters that are shown of what a failed call printed
expected_at_line = lru_cache(maxsize=4096)(expected_at)


def state_of(entry: Mapping[str, Any]) -> State:
    """The state of one failed test."""
    failure = entry.get("metadata", {}).get("failure", {})
    if failure.get("verdict") == "stopped":
        return "stopped"
    if failure.get("verdict") in ("not-loaded", "missing", "uncallable"):
        return "not-run"
    return "not-started" if failure.get("error") == "NotImplementedError" else "needs-work"


def import_flags(submission: Submission, run: Run) -> Iterator[str]:
    """Flag what the imports of files and cells need and do not find here."""
    for exchange in run.exchanges:
        if not exchange.test:
            source = submission.files.get(f"{exchange.request.get('module')}.py", b"")
            reasons = {entry[2] for entry in exchange.aside.get("left_out", ())}
            if exchange.verdict["kind"] == "raised" and needs_newer(exchange, source)[1]:
                yield NEEDS_NEWER_PYTHON
            if "module" in reasons or exchange.aside.get("type") == "ModuleNotFoundError":
                yield THIRD_PARTY_IMPORT


def code_notes(exercise: Exercise, run: Run) -> list[str]:
    """Say which statements were left out, and which cells of a notebook ended early.

    A cell that ended because it called an unfinished stub is not mentioned.
    """
    skipped = [left_out(*entry) for e in run.exchanges if not e.test for entry in e.aside.get("left_out", ())]
    failed = [
        failed_cell(exchange, exercise.limits)
        for exchange in run.exchanges
        if exchange.request["verb"] == "cell" and exchange.verdict["kind"] != "loaded"
        if exchange.aside.get("type") != "NotImplementedError"
    ]
    more = len(failed) - _MOST_CELLS
    said = [f"{more} more cells ended early."] if more > 0 else []
    notes = (*skipped, *failed[:_MOST_CELLS], *said)
    return [f"C{note[1:]}" if note.startswith("code cell") else note for note in notes]


class Messages:
    """Makes the messages of one run's failed criteria."""

    def __init__(
        self, exercise: Exercise, submission: Submission, run: Run, sources: Mapping[str, str]
    ) -> None:
        self.exercise, self.submission, self.sources = exercise, submission, sources
        self.latest = {exchange.test: exchange for exchange in run.exchanges if exchange.test}
        self.imports = {f"{e.request['module']}.py": e for e in run.exchanges if e.request["verb"] == "load"}
        self.broken = [e for e in run.exchanges if "syntax" in e.aside and e.request["verb"] == "cell"]

    def handed_in(self, file: str) -> list[Source]:
        """The text of a file, or of all cells of the notebook that stands for it."""
        if file in self.submission.files or not self.submission.cells:
            return [Source(file, self.submission.files.get(file, b"").decode("utf-8", "replace"))]
        return [Source(cell.name, cell.source.decode(), cell.above) for cell in self.submission.cells]

    def state(self, criterion: Criterion, failed: list[Mapping[str, Any]]) -> State:
        """The state of a failed criterion.

        A function with code beside the line that makes it a stub was begun. One that is gone, cell and all of
        its code, was not.
        """
        state = cast("State", wording.worst([state_of(entry) for entry in failed]) or "not-started")
        file = self.exercise.task(criterion.task).file
        if state == "not-started" and place_of_raise(self.handed_in(file), criterion.task):
            return "needs-work"
        return "not-started" if state == "not-run" and self._is_emptied(criterion.task) else state

    def _is_emptied(self, task: str) -> bool:
        """True if a task's own cell in the notebook holds no code."""
        own = [c for c in self.submission.cells if c.kind == "answer" and c.task == task]
        return bool(own) and not any(cell.source for cell in own)

    def of(self, criterion: Criterion, failed: list[Mapping[str, Any]]) -> tuple[str, str]:
        """The message of a failed criterion, and the kind of its first failed test.

        For a hidden one only what is wrong with its file as a whole.
        """
        if why := self._whole_file(criterion, failed):
            return why, ""
        if criterion.visibility == "hidden":
            return "", ""
        if any(state_of(entry) == "stopped" for entry in failed):
            # The rest of the class was not run.
            failed = [entry for entry in failed if state_of(entry) == "stopped"][:1]
        sentences = dict.fromkeys(self._sentence(entry) for entry in failed)
        shown = [*sentences][:MOST_SENTENCES]
        if more := len(sentences) - len(shown):
            shown.append(f"{more} more {'call is' if more == 1 else 'calls are'} not right yet.")
        exchange = self.latest.get(failed[0]["nodeid"])
        if exchange and exchange.aside.get("printed", "").strip():
            shown.append(f"It printed: {display.display_text(exchange.aside['printed'], _PRINTED)}")
        file = f"{exchange.request['module']}.py" if exchange else ""
        kind = kind_of(exchange, failed[0]["metadata"]["failure"], self.handed_in(file)) if exchange else ""
        return "\n".join(shown), kind

    def _whole_file(self, criterion: Criterion, failed: list[Mapping[str, Any]]) -> str:
        """Say what is wrong with a task's file as a whole, or its cell; an empty text if nothing.

        A submission can remove its function in a hidden test, so of a hidden one nothing is said of cells.
        """
        file = self.exercise.task(criterion.task).file
        data = self.submission.files.get(file)
        if file in self.submission.problems:
            return self.submission.problems[file]
        if data is None and self.submission.cells:
            is_gone = any(state_of(entry) == "not-run" for entry in failed)
            return self._no_cell(criterion.task) if is_gone and criterion.visibility == "visible" else ""
        if data is None:
            return f"{file} is missing: hand in all files together, each under its own name."
        if not data.strip():
            return wording.empty_file(file)
        if self.imports[file].verdict["kind"] != "loaded":
            return failed_import(file, self.imports[file], self.exercise.limits, data)
        return ""

    def _no_cell(self, task: str) -> str:
        """Say that a task's cell was emptied, or why the cell that was meant for it is not Python."""
        if self._is_emptied(task):
            return wording.not_started(task, "", self.exercise.notebook)
        meant = re.compile(rb"^[ \t]*(?:async +)?def +%b\b" % task.encode(), re.MULTILINE)
        for exchange in self.broken:
            cell = self.submission.cells[int(exchange.request["file"].partition(".")[0])]
            if cell.task == task or meant.search(cell.source):
                return failed_cell(exchange, self.exercise.limits)
        return ""

    def _sentence(self, entry: Mapping[str, Any]) -> str:
        """One sentence on one failed test."""
        exchange = self.latest.get(entry["nodeid"])
        if exchange is None:
            return "A test failed before it called anything."
        source = self.sources.get(entry["nodeid"].partition("::")[0], "")
        line = entry["call"].get("crash", {}).get("lineno", 0)
        file = f"{exchange.request['module']}.py"
        in_notebook = file not in self.submission.files and bool(self.submission.cells)
        return failed_test(
            exchange,
            entry["metadata"]["failure"],
            self.exercise.limits,
            expected=expected_at_line(source, line),
            asked=self.exercise.functions.get(file, ()),
            file=self.exercise.notebook if in_notebook else file,
            sources=self.handed_in(file),
        )
