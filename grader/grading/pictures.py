"""Draw the first failing visible idea of each function, from the student's own call."""

from collections.abc import Iterator, Mapping
from typing import Any

from grader.bundle.draw import Picture, SlotMap, bounded
from grader.bundle.failure import not_raised
from grader.course.model import Exercise
from grader.grading.messages import expected_at_line
from grader.grading.score import Result, TaskPicture, passed
from grader.grading.sentences import number_in
from grader.sandbox.inside import wire
from grader.suite.run import Exchange, Run


def pictures(  # noqa: PLR0917 - those of score, and what draws
    slot_map: SlotMap,
    exercise: Exercise,
    result: Result,
    run: Run,
    tests: Mapping[str, tuple[str, ...]],
    sources: Mapping[str, str],
) -> tuple[TaskPicture, ...]:
    """Draw at most one picture for each function; other arguments are those of ``score``.

    Only calls of visible tests are drawn, and only of criteria that need work.
    """
    entries = {entry["nodeid"]: entry for entry in run.report.get("tests", ())}
    latest = {exchange.test: exchange for exchange in run.exchanges if exchange.test}

    def drawn(task: str) -> Iterator[TaskPicture]:
        for one in result.criteria:
            if (one.task, one.visibility, one.status) == (task, "visible", "needs-work"):
                for entry in (entries[test] for test in tests[one.id] if not passed(entries[test])):
                    exchange = latest.get(entry["nodeid"])
                    picture = exchange and _draw(slot_map, exchange, entry, sources)
                    if picture:
                        yield TaskPicture(task, picture)

    found = (next(drawn(task.name), None) for task in exercise.tasks if not task.of_constants)
    return tuple(picture for picture in found if picture)


def _draw(
    slot_map: SlotMap, exchange: Exchange, entry: Mapping[str, Any], sources: Mapping[str, str]
) -> Picture | None:
    """Draw one call; None if it gave no answer, or if its test is about something else than its value."""
    request, verdict, failure = exchange.request, exchange.verdict, entry["metadata"]["failure"]
    got: object = None
    expected: object
    if verdict["kind"] == "value" and failure.get("what") in ("value", "raises"):
        got = wire.decode(verdict["value"])
        expected = not_raised(failure["expected"]) or number_in(failure["expected"])
    elif verdict["kind"] == "raised":
        source = sources.get(entry["nodeid"].partition("::")[0], "")
        expected = number_in(expected_at_line(source, entry["call"].get("crash", {}).get("lineno", 0)))
    else:
        return None
    if expected is None and verdict["kind"] == "value":
        return None
    try:
        arguments = [wire.decode(tree) for tree in request["arguments"]]
        keywords = {name: wire.decode(tree) for name, tree in request["keywords"]}
        picture = slot_map(request["name"], arguments, keywords, got, expected)
        return bounded(picture) if picture else None
    except Exception:  # noqa: BLE001 - a picture that cannot be drawn costs nobody a point
        return None
