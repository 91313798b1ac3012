"""The last lines of a student's run: points by task, the next step, and how many points are still open."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import causes, wording

Key = tuple[str, str]
"""A criterion: the name of its test file, and of its test class."""

_STYLES = {"passed": "green", "needs-work": "red", "stopped": "red", "not-started": "", "not-run": "yellow"}


class Found(NamedTuple):
    """What became of one test: its state, where to work, what to say, the unwritten function it waits for."""

    state: str
    where: str = ""
    sentence: str = ""
    waits: str = ""


class RunState(NamedTuple):
    """The results of a run.

    ``points`` is the bundle's ``points.json``. ``tests`` has each criterion's tests that ran, by node id.
    ``unanswered`` are the constants that are still None, ``answers`` the digests of the answers by function
    and call, ``own`` the student's own tests that fail, ``pictures`` what is to be drawn of each task.
    """

    points: Mapping[str, Any]
    tests: dict[Key, dict[str, Found]]
    unanswered: Sequence[str]
    answers: dict[str, dict[str, str]]
    own: list[str]
    pictures: dict[str, Any]

    def state(self, key: Key, criterion: Mapping[str, Any]) -> str:
        """A criterion's state; empty when some of its tests did not run and the others passed."""
        tests = self.tests.get(key, {})
        if states := [test.state for test in tests.values() if test.state != "passed"]:
            return wording.worst(states)
        ran = {node.rpartition("::")[2].partition("[")[0] for node in tests}
        return "passed" if set(criterion["names"]) <= ran else ""

    def broken(self) -> set[str]:
        """The sentences on files that could not run."""
        tests = (test for some in self.tests.values() for test in some.values())
        return {test.sentence for test in tests if test.state == "not-run"}

    def failed(self, key: Key) -> list[Found]:
        """The tests of a criterion that failed with a sentence."""
        return [test for test in self.tests.get(key, {}).values() if test.sentence]

    def cause(self, task: str) -> str:
        """The likely cause of a function's wrong answers; empty if it is not known."""
        return causes.likely(self.points.get("causes", {}).get(task, {}), self.answers.get(task, {}))


class Row(NamedTuple):
    """One task: its state, also in a word, and its points of the visible ones that this run decided."""

    task: Mapping[str, Any]
    state: str
    word: str
    got: int
    of: int
    complete: bool


def is_complete(run: RunState) -> bool:
    """True if every visible test of the exercise ran."""
    table = rows(run)
    return len(table) == len(run.points["tasks"]) and all(row.complete for row in table)


def all_pass(run: RunState) -> bool:
    """True if every visible test of the exercise ran and passed."""
    return is_complete(run) and all(row.state == "passed" for row in rows(run))


def rows(run: RunState) -> list[Row]:
    """The tasks with at least one test that ran."""
    made = []
    for task in run.points["tasks"]:
        keys = [((f"test_{task['file']}", criterion["tests"]), criterion) for criterion in task["criteria"]]
        if not any(key in run.tests for key, _ in keys):
            continue
        states = [(run.state(key, criterion), criterion["points"]) for key, criterion in keys]
        decided = [state for state, _ in states if state]
        got = sum(points for state, points in states if state == "passed")
        of = sum(points for state, points in states if state)
        state = wording.worst(decided)
        waits = {test.waits for key, _ in keys for test in run.failed(key) if test.waits}
        word = wording.STATES[state][0] if state else "ran in part"
        if state == "not-started" and waits:
            word = f"waits for {min(waits)}"
        elif state == "passed" and task["hidden"]:
            word = "visible passed"
        made.append(Row(task, state, word, got, of, len(decided) == len(states)))
    return made


def lines(
    run: RunState,
    warnings: Sequence[str],
    *,
    unicode: bool,
    width: int,
    outside: str,
    closing: Sequence[str] = (),
) -> Iterator[tuple[str, str]]:
    """Make each line with its style, in the words of pytest's terminal markup.

    Args:
        run: The results of the run.
        warnings: What will be different when it is graded.
        unicode: The terminal can show the symbols of the states; otherwise ASCII is used.
        width: The columns of the terminal.
        outside: The folder to work in, if pytest was started in another one.
        closing: What to say about the lesson before the next step.
    """
    sections = _paragraphs(run, warnings, unicode=unicode, width=width, outside=outside)
    said = [*((sentence, "") for sentence in closing), *([("", "")] if closing else [])]
    for text, style in [*sections, *said, *ending(run)]:
        indent = " " * (4 if text.startswith("    ") else 2 * (text[1:2] == " "))
        wrapped = textwrap.wrap(text, max(width, 20), subsequent_indent=indent, break_on_hyphens=False)
        for line in [text] if len(text) <= width else wrapped:
            yield line, style


def _paragraphs(
    run: RunState, warnings: Sequence[str], *, unicode: bool, width: int, outside: str
) -> Iterator[tuple[str, str]]:
    table = rows(run)
    broken = run.broken()
    yield "", ""
    for sentence in sorted(broken):
        yield sentence, "bold red"
    if broken:
        yield "", ""
    yield from _table(run, table, unicode=unicode, width=width)
    yield "", ""
    if run.own:
        more = f" and {len(run.own) - 1} more" if len(run.own) > 1 else ""
        yield f"Your own tests, which earn and cost nothing: {run.own[0]}{more} failed.", ""
    if outside:
        yield f"Next time run pytest inside the folder {outside}, so that its own settings apply.", ""
    if warnings:
        yield "Before you hand in:", "bold"
        yield from ((f"- {sentence}", "yellow") for sentence in warnings)
        yield "", ""


def ending(run: RunState) -> Iterator[tuple[str, str]]:
    """The next step, and the points, each with its style."""
    table = rows(run)
    got, of = sum(row.got for row in table), sum(row.of for row in table)
    hidden, passed = run.points["hidden"], all(row.state == "passed" for row in table)
    if run.broken():
        yield "Next: put that right, then run the tests again.", "bold"
    elif step := next_step(run, table):
        yield f"Next: {step}", "bold"
    elif all_pass(run):
        yield f"Next: {wording.hand_in(list(run.points['files']), hidden)}", "bold"
    later = f"{hidden} of {run.points['points']} points are decided by hidden tests after you hand in"
    if not is_complete(run):
        last = f"Not all tests ran: {got} of {of} points of what did. Run plain pytest for all of them."
    elif passed:
        last = f"All visible tests pass ({later})." if hidden else "All tests pass."
    else:
        last = f"{got} of {of} " + (f"visible points so far ({later})." if hidden else "points so far.")
    yield last, "green" if passed else "yellow"


def _table(run: RunState, table: Sequence[Row], *, unicode: bool, width: int) -> Iterator[tuple[str, str]]:
    """The points of each task; on a narrow terminal in two lines each."""
    column = max(len(task["title"]) for task in run.points["tasks"])
    in_one, in_two = [(f"  {'Points':{column}}  visible hidden", "bold")], [("  Points", "bold")]
    for row in table:
        _, symbol, in_ascii = wording.STATES.get(row.state, ("", "~", "~"))
        sign, hidden = symbol if unicode else in_ascii, row.task["hidden"]
        title, points, style = row.task["title"], f"{row.got} of {row.of}", _STYLES.get(row.state, "yellow")
        later = f"? of {hidden}" if hidden else "-"
        in_one.append((f"{sign} {title:{column}}  {points} {later:>7}  {row.word}", style))
        later = f", {hidden} hidden later" if hidden else ""
        in_two += [(f"{sign} {title}", style), (f"    {points}{later}: {row.word}", style)]
    yield from in_one if max(len(line) for line, _ in in_one) <= width else in_two


def next_step(run: RunState, table: Sequence[Row]) -> str:
    """The first thing that is left to do, in the order of the TODOs; empty when nothing is left."""
    todos = run.points["todos"]
    for row in table:
        keys = [(f"test_{row.task['file']}", criterion["tests"]) for criterion in row.task["criteria"]]
        failed = [test for key in keys for test in run.failed(key)[:1]]
        for todo in (todo for todo in todos if todo["task"] == row.task["name"] and todo["constant"]):
            if todo["name"] in run.unanswered:
                return _todo_text(todo)
            for test in failed:
                if test.where.endswith(f"({todo['name']})"):
                    return f"{test.where}: {test.sentence}"
        if failed and row.state != "not-started":
            return f"{failed[0].where}: {failed[0].sentence}"
        if failed:  # the sentence may name the TODO of another task, which this one calls
            numbers = re.findall(r"TODO (\d+)", failed[0].sentence)
            named = [todo for todo in todos if str(todo["number"]) in numbers]
            return _todo_text(named[0]) if named else failed[0].sentence
    return ""


def more_failures(alike: int, others: int) -> str:
    """Say how many other tests fail: of the same idea, and of others."""
    tests = [f"{alike} more like it" if alike else "", f"{others} of other ideas" if others else ""]
    return f"... and {' and '.join(filter(None, tests))} (pytest --tb=short shows them all)."


def _todo_text(todo: Mapping[str, Any]) -> str:
    if todo["constant"]:
        return f"{todo['file']}, TODO {todo['number']}: {todo['name']} is still None."
    return f"{todo['file']}, TODO {todo['number']} ({todo['name']}): {todo['text']}. Replace the raise line."
