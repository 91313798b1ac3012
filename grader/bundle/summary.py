"""The last lines of a student's run: points by task, the next step, and what the points do not say yet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import wording

Key = tuple[str, str]


class Standing(NamedTuple):
    """Where a student stands after a run.

    ``points`` is what release wrote; ``seen`` holds the states of the tests that ran, by criterion and test;
    ``failures`` the first failure of each criterion, its place and its sentence; ``unanswered`` the constants
    that are still None.
    """

    points: Mapping[str, Any]
    seen: Mapping[Key, Mapping[str, Sequence[str]]]
    failures: Mapping[Key, tuple[str, str]]
    unanswered: Sequence[str]

    def state(self, key: Key, criterion: Mapping[str, Any]) -> str:
        """A criterion's state; empty when not all of its tests ran and those that did passed."""
        ran = self.seen.get(key, {})
        states = [state for several in ran.values() for state in several if state != "passed"]
        if states:
            return wording.worst(states)
        return "passed" if set(criterion["names"]) <= set(ran) else ""


class Row(NamedTuple):
    """One task: its state, and what it has of its visible points, of those that ran."""

    task: Mapping[str, Any]
    state: str
    got: int
    of: int
    complete: bool


def rows(standing: Standing) -> list[Row]:
    """The tasks of which anything ran."""
    made = []
    for task in standing.points["tasks"]:
        keys = [((f"test_{task['file']}", criterion["tests"]), criterion) for criterion in task["criteria"]]
        states = [(standing.state(key, criterion), criterion["points"]) for key, criterion in keys]
        if not any(key in standing.seen for key, _ in keys):
            continue
        got = sum(points for state, points in states if state == "passed")
        judged = [state for state, _ in states if state]
        state = wording.worst(judged)
        made.append(
            Row(task, state, got, sum(points for state, points in states if state), all(s for s, _ in states))
        )
    return made


def lines(standing: Standing, *, unicode: bool, outside: str) -> Iterator[tuple[str, str]]:
    """Each line with its style, as names of pytest's terminal markup."""
    table = rows(standing)
    partial = len(table) < len(standing.points["tasks"]) or not all(row.complete for row in table)
    broken = {why for key, (_, why) in standing.failures.items() if "not-run" in _states(standing, key)}
    yield "", ""
    for sentence in sorted(broken):
        yield sentence, "bold red"
    if broken:
        yield "", ""
    width = max(len(task["title"]) for task in standing.points["tasks"])
    yield f"  {'Points':{width}}  visible  hidden", "bold"
    for row in table:
        yield _row(row, width, unicode=unicode)
    yield "", ""
    if outside:
        yield f"Next time run pytest inside the folder {outside}, so that its own settings apply.", ""
    if broken:
        yield "Next: put that right, then run pytest again.", "bold"
    elif step := next_step(standing, table):
        yield f"Next: {step}", "bold"
    yield _last(standing, table, partial=partial), "green" if _all_pass(table) else "yellow"


def _states(standing: Standing, key: Key) -> list[str]:
    return [state for several in standing.seen.get(key, {}).values() for state in several]


def _row(row: Row, width: int, *, unicode: bool) -> tuple[str, str]:
    word, symbol, plain = wording.STATES.get(row.state, ("ran in part", "~", "~"))
    points = f"{row.got} of {row.of}   {row.task['hidden'] or '-':>6}"
    return f"{symbol if unicode else plain} {row.task['title']:{width}}  {points}   {word}", {
        "passed": "green",
        "needs-work": "red",
        "stopped": "red",
    }.get(row.state, "yellow")


def next_step(standing: Standing, table: Sequence[Row]) -> str:
    """The first thing that is left to do, in the order of the TODOs; empty when nothing is."""
    for row in table:
        task = row.task
        for todo in standing.points["todos"]:
            if todo["name"] in standing.unanswered and todo["task"] == task["name"]:
                return _begin(todo)
        for criterion in task["criteria"]:
            if failure := standing.failures.get((f"test_{task['file']}", criterion["tests"])):
                return ": ".join(failure) if row.state != "not-started" else _waits(standing, failure[1])
    return ""


def _waits(standing: Standing, sentence: str) -> str:
    """The TODO that a sentence names, which may be another one than the task's own."""
    numbers = re.findall(r"TODO (\d+)", sentence)
    named = [todo for todo in standing.points["todos"] if str(todo["number"]) in numbers]
    return _begin(named[0]) if named else sentence


def _begin(todo: Mapping[str, Any]) -> str:
    what = f"{todo['name']} is still None" if todo["constant"] else todo["text"]
    return f"{todo['file']}, TODO {todo['number']}: {what}."


def _all_pass(table: Sequence[Row]) -> bool:
    return all(row.state == "passed" for row in table)


def _last(standing: Standing, table: Sequence[Row], *, partial: bool) -> str:
    got, of = sum(row.got for row in table), sum(row.of for row in table)
    hidden, total = standing.points["hidden"], standing.points["points"]
    later = f"{hidden} of {total} points are decided by hidden tests after you hand in"
    if partial:
        return f"Not all tests ran: {got} of {of} points of what did. Run plain pytest for all of them."
    if _all_pass(table):
        return f"All visible tests pass ({later})." if hidden else "All tests pass."
    return f"{got} of {of} visible points so far ({later})." if hidden else f"{got} of {of} points so far."
