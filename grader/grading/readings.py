"""Choose between two readings of a notebook, task by task: the one that earned more counts.

In the first reading a task counts as it stands at its tests, as in Jupyter. In the second it counts as it
stands at the end: an answer that was moved below its tests, or a corrected copy in a later cell. The visible
tests of a task are taken from the one in which they earned more, and so are the hidden ones, each on their
own: what students see of visible tests must not depend on hidden ones.
"""

from collections import defaultdict
from collections.abc import Collection

from grader.base.flags import READ_TWO_WAYS
from grader.course.model import Exercise, Visibility, class_id
from grader.grading.score import Result
from grader.suite.notebook import Notebook, may_differ
from grader.suite.run import Run


def has_second_reading(exercise: Exercise, notebook: Notebook, first: Run, result: Result) -> bool:
    """Return whether a task that lost points may earn them at the end of the notebook."""
    if result.status != "graded":
        return False
    lost = {criterion.id for criterion in result.criteria if criterion.points < criterion.max_points}
    stops = {notebook.stops[class_id(exercise, c)] for c in exercise.criteria if c.id in lost}
    missed_a_name = any("NameError" in e.verdict.get("classes", ()) for e in first.exchanges if not e.test)
    return bool(stops) and (missed_a_name or any(may_differ(notebook, stop) for stop in stops))


Part = tuple[str, Visibility]
"""The visible or the hidden tests of a task."""


def parts_with_more(first: Result, second: Result) -> frozenset[Part]:
    """Return the parts that earned more in the second reading."""
    more: dict[Part, float] = defaultdict(float)
    for result, sign in ((first, -1), (second, 1)):
        for criterion in result.criteria:
            more[criterion.task, criterion.visibility] += sign * criterion.points
    return frozenset(part for part, points in more.items() if points > 0 and second.score)


def joined(exercise: Exercise, first: Run, second: Run, parts: Collection[Part]) -> Run:
    """Return the first run with all that belongs to the given parts taken from the second."""
    moved = {class_id(exercise, c) for c in exercise.criteria if (c.task, c.visibility) in parts}

    def keeps(test: str, *, is_second: bool) -> bool:
        return (test.rpartition("::")[0] in moved) is is_second

    tests = [
        again if keeps(entry["nodeid"], is_second=True) else entry
        for entry, again in zip(first.report["tests"], second.report["tests"], strict=True)
    ]
    known = {exchange.request["file"] for exchange in first.exchanges if exchange.request["verb"] == "cell"}
    exchanges = [e for e in first.exchanges if not e.test or keeps(e.test, is_second=False)]
    exchanges += [e for e in second.exchanges if e.test and keeps(e.test, is_second=True)]
    if tasks_told(parts):
        exchanges += [
            e for e in second.exchanges if e.request["verb"] == "cell" and e.request["file"] not in known
        ]
    answers, seen = dict(first.answers), dict(first.seen)
    for name in {task for task, _ in parts}:
        shown = (second if (name, "visible") in parts else first).seen.get(name, {})
        run = second if (name, "hidden") in parts else first
        all_calls, visible_calls = run.answers.get(name, {}), run.seen.get(name, {})
        hidden = {call: answer for call, answer in all_calls.items() if call not in visible_calls}
        answers[name], seen[name] = {**shown, **hidden}, shown
    return Run(
        {**first.report, "tests": tests},
        tuple(exchanges),
        tuple(sorted({*first.flags, *second.flags, READ_TWO_WAYS})),
        first.cpu_seconds + second.cpu_seconds,
        peak_kib=max(first.peak_kib, second.peak_kib),
        spent={stage: seconds + second.spent.get(stage, 0.0) for stage, seconds in first.spent.items()},
        answers=answers,
        seen=seen,
    )


def tasks_told(parts: Collection[Part]) -> list[str]:
    """Return the tasks of which the student is told: those whose visible tests earned more."""
    return sorted(task for task, visibility in parts if visibility == "visible")


def read_at_end(tasks: Collection[str]) -> str:
    """Say which tasks were taken from the second reading."""
    stand = "it stands" if len(tasks) == 1 else "they stand"
    return f"{' and '.join(tasks)} counted as {stand} at the end of the notebook, which earned more."
