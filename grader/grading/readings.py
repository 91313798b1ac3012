"""Choose between two readings of a notebook, task by task: the one that earned more counts.

In the first reading a task counts as it stands at its tests, as in Jupyter. In the second it counts as it
stands at the end: an answer that was moved below its tests, or a corrected copy in a later cell.
"""

from collections import defaultdict
from collections.abc import Collection

from grader.base.flags import READ_TWO_WAYS
from grader.course.model import Exercise, class_id
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


def tasks_with_more(first: Result, second: Result) -> tuple[str, ...]:
    """Return the tasks that earned more in the second reading."""
    more: dict[str, float] = defaultdict(float)
    for result, sign in ((first, -1), (second, 1)):
        for criterion in result.criteria:
            more[criterion.task] += sign * criterion.points
    return tuple(task for task, points in more.items() if points > 0) if second.score else ()


def joined(exercise: Exercise, first: Run, second: Run, tasks: Collection[str]) -> Run:
    """Return the first run with all that belongs to the given tasks taken from the second."""
    moved = {class_id(exercise, criterion) for criterion in exercise.criteria if criterion.task in tasks}

    def keeps(test: str, *, is_second: bool) -> bool:
        return (test.rpartition("::")[0] in moved) is is_second

    tests = [
        again if keeps(entry["nodeid"], is_second=True) else entry
        for entry, again in zip(first.report["tests"], second.report["tests"], strict=True)
    ]
    known = {exchange.request["file"] for exchange in first.exchanges if exchange.request["verb"] == "cell"}
    exchanges = [e for e in first.exchanges if not e.test or keeps(e.test, is_second=False)]
    exchanges += [e for e in second.exchanges if e.test and keeps(e.test, is_second=True)]
    exchanges += [
        e for e in second.exchanges if e.request["verb"] == "cell" and e.request["file"] not in known
    ]
    return Run(
        {**first.report, "tests": tests},
        tuple(exchanges),
        tuple(sorted({*first.flags, *second.flags, READ_TWO_WAYS})),
        first.cpu_seconds + second.cpu_seconds,
        peak_kib=max(first.peak_kib, second.peak_kib),
        spent={stage: seconds + second.spent.get(stage, 0.0) for stage, seconds in first.spent.items()},
        answers={**first.answers, **{name: second.answers[name] for name in tasks if name in second.answers}},
        seen={**first.seen, **{name: second.seen[name] for name in tasks if name in second.seen}},
    )


def read_at_end(tasks: Collection[str]) -> str:
    """Say which tasks were taken from the second reading."""
    stand = "it stands" if len(tasks) == 1 else "they stand"
    return f"{' and '.join(tasks)} counted as {stand} at the end of the notebook, which earned more."
