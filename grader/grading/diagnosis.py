"""What a student seems to believe: the misconception whose wrong answers are the submission's own.

``solutions/NAME/diagnoses.json`` holds, as digests, what the solution and every misconception answer to
every call of the tests; `grader build` writes it, `grader check` says when it is stale. A misconception
explains a function when wherever it is wrong the submission is wrong in the same way; it is said when it, or
it and one other, accounts for every wrong answer. What it says is a fixed sentence without values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grader.base.errors import CourseError
from grader.course.model import Course, Exercise
from grader.grading.score import Diagnosis

TABLE = "diagnoses.json"

Answers = Mapping[str, str]
"""The digest of a call -> the digest of its answer."""


@dataclass(frozen=True)
class Belief:
    """A misconception: its sentence, and the calls that it answers wrongly with what it answers."""

    name: str
    explanation: str
    wrong: Answers


@dataclass(frozen=True)
class Table:
    """For each function what is right, and what is believed."""

    right: Mapping[str, Answers]
    beliefs: Mapping[str, tuple[Belief, ...]]


def diagnose(table: Table, answers: Mapping[str, Answers]) -> tuple[Diagnosis, ...]:
    """What explains the wrong answers of each function, in the table's order of functions."""
    return tuple(
        Diagnosis(task, belief.name, belief.explanation)
        for task, right in table.right.items()
        for belief in _explaining(table.beliefs.get(task, ()), right, answers.get(task, {}))
    )


def _explaining(beliefs: Iterable[Belief], right: Answers, given: Answers) -> list[Belief]:
    """The one belief, or the two, that account for all wrong answers; none when nothing does."""
    # Calls that the table does not know are a private test's.
    wrong = {call for call, answer in given.items() if call in right and right[call] != answer}
    shared = [(belief, {call for call in belief.wrong if call in given}) for belief in beliefs]
    fitting = [
        (belief, calls)
        for belief, calls in shared
        if calls and all(given[call] == belief.wrong[call] for call in calls)
    ]
    fitting.sort(key=lambda item: -len(item[1]))
    for first, calls in fitting:
        if calls == wrong:
            return [first]
    for first, calls in fitting[:1]:
        for second, others in fitting[1:]:
            if calls | others == wrong:
                return [first, second]
    return []


def table_path(course: Course, exercise: Exercise) -> Path:
    """Where an exercise's table lies: beside the misconceptions, which are never released."""
    return course.root / "solutions" / exercise.name / TABLE


def read_table(course: Course, exercise: Exercise) -> Table:
    """The exercise's table; an empty one when there is none.

    Raises:
        CourseError: It is damaged.
    """
    path = table_path(course, exercise)
    try:
        return _read(path.read_bytes()) if path.is_file() else Table({}, {})
    except (ValueError, KeyError, TypeError, AttributeError):
        name = path.relative_to(course.root).as_posix()
        raise CourseError(f"{name} is damaged; write it anew with: grader build.") from None


@lru_cache(maxsize=8)
def _read(data: bytes) -> Table:
    document = json.loads(data)
    beliefs = {
        task: tuple(Belief(one["misconception"], one["explanation"], one["wrong"]) for one in entries)
        for task, entries in document["beliefs"].items()
    }
    return Table(document["right"], beliefs)


def table_bytes(
    right: Mapping[str, Answers], wrong: Iterable[tuple[str, str, str, Mapping[str, Answers]]]
) -> bytes:
    """A table as it is kept.

    Args:
        right: The solution's answers, by function.
        wrong: Of each misconception its task, name, explanation and answers, by function.
    """
    beliefs: dict[str, list[dict[str, object]]] = {}
    for task, name, explanation, answers in wrong:
        known = right.get(task, {})
        given = answers.get(task, {})
        entry: dict[str, object] = {"misconception": name, "explanation": explanation}
        entry["wrong"] = {call: answer for call, answer in given.items() if known.get(call) != answer}
        beliefs.setdefault(task, []).append(entry)
    return (json.dumps({"right": right, "beliefs": beliefs}, separators=(",", ":")) + "\n").encode()
