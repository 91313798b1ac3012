"""The last lines of a student's run: points by task, the next step, and how many points are still open."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import causes, wording

Key = tuple[str, str]
"""A criterion: the name of its test file, and of its test class."""
Line = tuple[str, str]
"""A line and its style, in the words of pytest's terminal markup."""

_STYLES = {"passed": "green", "needs-work": "red", "stopped": "red", "not-started": "", "not-run": "yellow"}


class Found(NamedTuple):
    """What became of one test.

    ``where`` is where to work, ``waits`` the unwritten function that it waits for, ``why`` has the lines
    below the sentence, ``parts`` is what ``failure.parts`` makes of the sentence.
    """

    state: str
    where: str = ""
    sentence: str = ""
    waits: str = ""
    why: Mapping[str, str] = {}
    parts: Sequence[str] = ()
    picture: Any = None


class Row(NamedTuple):
    """One task: its state, also in a word and two signs, and its points of those that this run decided."""

    title: str
    state: str
    word: str
    sign: str
    in_ascii: str
    got: int
    of: int
    hidden: int
    task: Mapping[str, Any]
    complete: bool


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

    def broken(self) -> list[str]:
        """The sentences on files that could not run, each once."""
        tests = (test for some in self.tests.values() for test in some.values())
        return sorted({test.sentence for test in tests if test.state == "not-run"})

    def cause(self, task: str) -> str:
        """The likely cause of a function's wrong answers; empty if it is not known."""
        return causes.likely(self.points.get("causes", {}).get(task, {}), self.answers.get(task, {}))

    def with_state(self, key: Key, *states: str) -> list[Found]:
        """The tests of a criterion that have one of these states."""
        return [test for test in self.tests.get(key, {}).values() if test.state in states]

    def failed(self, task: Mapping[str, Any]) -> list[Found]:
        """The first test that failed of each criterion of a task."""
        failed = [name for name in wording.STATES if name != "passed"]
        return [test for key in keys_of(task) for test in self.with_state(key, *failed)[:1]]

    def rows(self) -> list[Row]:
        """The tasks with at least one test that ran."""
        return [
            self._row(task)
            for task in self.points["tasks"]
            if not self.tests.keys().isdisjoint(keys_of(task))
        ]

    def _row(self, task: Mapping[str, Any]) -> Row:
        states = []
        for key, criterion in keys_of(task).items():
            tests = self.tests.get(key, {})
            failed = [test.state for test in tests.values() if test.state != "passed"]
            ran = {node.rpartition("::")[2].partition("[")[0] for node in tests}
            passed = "passed" if set(criterion["names"]) <= ran else ""  # not decided: some tests did not run
            states.append((wording.worst(failed) or passed, criterion["points"]))
        got = sum(points for state, points in states if state == "passed")
        of = sum(points for state, points in states if state)
        state = wording.worst([state for state, _ in states if state])
        word, sign, in_ascii = wording.STATES.get(state, ("ran in part", "~", "~"))
        waits = [test.waits for test in self.failed(task) if test.waits]
        if state == "not-started" and waits:
            word = f"waits for {min(waits)}"
        elif state == "passed" and task["hidden"]:
            word = "visible passed"
        complete = all(state for state, _ in states)
        return Row(task["title"], state, word, sign, in_ascii, got, of, task["hidden"], task, complete)

    def is_complete(self) -> bool:
        """True if every visible test of the exercise ran."""
        table = self.rows()
        tested = [task for task in self.points["tasks"] if task["criteria"]]
        return len(table) == len(tested) and all(row.complete for row in table)

    def all_pass(self) -> bool:
        """True if every visible test of the exercise ran and passed."""
        return self.is_complete() and all(row.state == "passed" for row in self.rows())


def keys_of(task: Mapping[str, Any]) -> dict[Key, Mapping[str, Any]]:
    """The criteria of a task by their keys."""
    return {(f"test_{task['file']}", criterion["tests"]): criterion for criterion in task["criteria"]}


def lines(
    run: RunState,
    warnings: Sequence[str],
    *,
    unicode: bool,
    width: int,
    outside: str,
    closing: Sequence[str] = (),
) -> Iterator[Line]:
    """Make the last lines of a run.

    Args:
        run: The results of the run.
        warnings: What will be different when it is graded.
        unicode: The terminal can show the symbols of the states; otherwise ASCII is used.
        width: The columns of the terminal.
        outside: The folder to work in, if pytest was started in another one.
        closing: What to say about the lesson before the next step.
    """
    said: list[Line] = [("", "")]
    if broken := run.broken():
        said += [*((sentence, "bold red") for sentence in broken), ("", "")]
    said += [*_table(run, unicode=unicode, width=width), ("", "")]
    if run.own:
        more = f" and {len(run.own) - 1} more" if len(run.own) > 1 else ""
        said.append((f"Your own tests, which earn and cost nothing: {run.own[0]}{more} failed.", ""))
    if outside:
        inside = f"Next time run pytest inside the folder {outside}, so that its own settings apply."
        said.append((inside, ""))
    if warnings:
        said.append(("Before you hand in:", "bold"))
        said += [*((f"- {sentence}", "yellow") for sentence in warnings), ("", "")]
    if closing:
        said += [*((sentence, "") for sentence in closing), ("", "")]
    for text, style in [*said, *ending(run)]:
        indent = " " * (4 if text.startswith("    ") else 2 * (text[1:2] == " "))
        wrapped = textwrap.wrap(text, max(width, 20), subsequent_indent=indent, break_on_hyphens=False)
        yield from ((line, style) for line in ([text] if len(text) <= width else wrapped))


def ending(run: RunState) -> Iterator[Line]:
    """The next step, and the points."""
    table, hidden = run.rows(), run.points["hidden"]
    got, of = sum(row.got for row in table), sum(row.of for row in table)
    if run.broken():
        yield "Next: put that right, then run the tests again.", "bold"
    elif step := _next_step(run, table):
        yield f"Next: {step}", "bold"
    elif run.all_pass():
        more = f" For the {hidden} hidden points, reread the special cases in the docstrings first."
        yield f"Next: hand in {' and '.join(run.points['files'])}.{more if hidden else ''}", "bold"
    later = f"{hidden} of {run.points['points']} points are decided by hidden tests after you hand in"
    passed = all(row.state == "passed" for row in table)
    if not run.is_complete():
        last = f"Not all tests ran: {got} of {of} points of what did. Run plain pytest for all of them."
    elif passed:
        last = f"All visible tests pass ({later})." if hidden else "All tests pass."
    else:
        last = f"{got} of {of} " + (f"visible points so far ({later})." if hidden else "points so far.")
    yield last, "green" if passed else "yellow"


def _table(run: RunState, *, unicode: bool, width: int) -> list[Line]:
    """The points of each task; on a narrow terminal in two lines each."""
    column = max(len(task["title"]) for task in run.points["tasks"])
    in_one, in_two = [(f"  {'Points':{column}}  visible hidden", "bold")], [("  Points", "bold")]
    for row in run.rows():
        sign, style = row.sign if unicode else row.in_ascii, _STYLES.get(row.state, "yellow")
        points, later = f"{row.got} of {row.of}", f"? of {row.hidden}" if row.hidden else "-"
        in_one.append((f"{sign} {row.title:{column}}  {points} {later:>7}  {row.word}", style))
        later = f", {row.hidden} hidden later" if row.hidden else ""
        in_two += [(f"{sign} {row.title}", style), (f"    {points}{later}: {row.word}", style)]
    return in_one if max(len(line) for line, _ in in_one) <= width else in_two


def _next_step(run: RunState, table: Sequence[Row]) -> str:
    """The first thing that is left to do, in the order of the TODOs; empty when nothing is left."""
    todos = run.points["todos"]
    # A prediction without tests is worth something only before the functions are written.
    untested = {task["name"] for task in run.points["tasks"] if not task["criteria"]}
    for todo in todos:
        if todo["constant"] and todo["task"] in untested and todo["name"] in run.unanswered:
            return _todo_text(todo)
    for row in table:
        failed = run.failed(row.task)
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


def _todo_text(todo: Mapping[str, Any]) -> str:
    if todo["constant"]:
        return f"{todo['file']}, TODO {todo['number']}: {todo['name']} is still None."
    return f"{todo['file']}, TODO {todo['number']} ({todo['name']}): {todo['text']}. Replace the raise line."
