"""The last lines of a student's run: points by task, the next step, and how many points are still open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import wording

Key = tuple[str, str]
"""A criterion: the name of its test file, and of its test class."""

_STYLES = {"passed": "green", "needs-work": "red", "stopped": "red"}


class RunState(NamedTuple):
    """The results of a run.

    ``points`` is the bundle's ``points.json``. ``seen`` has the states of the tests that ran, by criterion
    and test. ``failures`` has the place and the sentence of each criterion's first failure, ``unanswered``
    the constants that are still None.
    """

    points: Mapping[str, Any]
    seen: Mapping[Key, Mapping[str, Sequence[str]]]
    failures: Mapping[Key, tuple[str, str]]
    unanswered: Sequence[str]

    def states(self, key: Key) -> list[str]:
        """The states of all tests of a criterion that ran."""
        return [state for several in self.seen.get(key, {}).values() for state in several]

    def state(self, key: Key, criterion: Mapping[str, Any]) -> str:
        """A criterion's state; empty when some of its tests did not run and the others passed."""
        states = [state for state in self.states(key) if state != "passed"]
        if states:
            return wording.worst(states)
        return "passed" if set(criterion["names"]) <= set(self.seen.get(key, {})) else ""


class Row(NamedTuple):
    """One task: its state, and its points out of the visible points that were decided in this run."""

    task: Mapping[str, Any]
    state: str
    got: int
    of: int
    complete: bool


def rows(run: RunState) -> list[Row]:
    """The tasks with at least one test that ran."""
    made = []
    for task in run.points["tasks"]:
        keys = [((f"test_{task['file']}", criterion["tests"]), criterion) for criterion in task["criteria"]]
        if not any(key in run.seen for key, _ in keys):
            continue
        states = [(run.state(key, criterion), criterion["points"]) for key, criterion in keys]
        decided = [state for state, _ in states if state]
        got = sum(points for state, points in states if state == "passed")
        of = sum(points for state, points in states if state)
        made.append(Row(task, wording.worst(decided), got, of, len(decided) == len(states)))
    return made


def lines(run: RunState, *, unicode: bool, outside: str) -> Iterator[tuple[str, str]]:
    """Make each line with its style, in the words of pytest's terminal markup.

    Args:
        run: The results of the run.
        unicode: The terminal can show the symbols of the states; otherwise ASCII is used.
        outside: The folder to work in, if pytest was started in another one.
    """
    table = rows(run)
    broken = {why for key, (_, why) in run.failures.items() if "not-run" in run.states(key)}
    yield "", ""
    for sentence in sorted(broken):
        yield sentence, "bold red"
    if broken:
        yield "", ""
    width = max(len(task["title"]) for task in run.points["tasks"])
    yield f"  {'Points':{width}}  visible  hidden", "bold"
    for row in table:
        word, symbol, in_ascii = wording.STATES.get(row.state, ("ran in part", "~", "~"))
        points = f"{row.got} of {row.of}   {row.task['hidden'] or '-':>6}"
        line = f"{symbol if unicode else in_ascii} {row.task['title']:{width}}  {points}   {word}"
        yield line, _STYLES.get(row.state, "yellow")
    yield "", ""
    if outside:
        yield f"Next time run pytest inside the folder {outside}, so that its own settings apply.", ""
    if broken:
        yield "Next: put that right, then run pytest again.", "bold"
    elif step := next_step(run, table):
        yield f"Next: {step}", "bold"
    got, of = sum(row.got for row in table), sum(row.of for row in table)
    hidden, all_pass = run.points["hidden"], all(row.state == "passed" for row in table)
    later = f"{hidden} of {run.points['points']} points are decided by hidden tests after you hand in"
    if len(table) < len(run.points["tasks"]) or not all(row.complete for row in table):
        last = f"Not all tests ran: {got} of {of} points of what did. Run plain pytest for all of them."
    elif all_pass:
        last = f"All visible tests pass ({later})." if hidden else "All tests pass."
    else:
        last = (
            f"{got} of {of} visible points so far ({later})." if hidden else f"{got} of {of} points so far."
        )
    yield last, "green" if all_pass else "yellow"


def next_step(run: RunState, table: Sequence[Row]) -> str:
    """The first thing that is left to do, in the order of the TODOs; empty when nothing is left."""
    todos = run.points["todos"]
    for row in table:
        for todo in todos:
            if todo["name"] in run.unanswered and todo["task"] == row.task["name"]:
                return _todo_text(todo)
        for criterion in row.task["criteria"]:
            failure = run.failures.get((f"test_{row.task['file']}", criterion["tests"]))
            if failure and row.state != "not-started":
                return ": ".join(failure)
            if failure:  # the sentence may name the TODO of another task, which this one calls
                numbers = re.findall(r"TODO (\d+)", failure[1])
                named = [todo for todo in todos if str(todo["number"]) in numbers]
                return _todo_text(named[0]) if named else failure[1]
    return ""


def _todo_text(todo: Mapping[str, Any]) -> str:
    what = f"{todo['name']} is still None" if todo["constant"] else todo["text"]
    return f"{todo['file']}, TODO {todo['number']}: {what}."
