"""Recognise misconceptions: which wrong versions give the same wrong answers as the submission.

``solutions/NAME/diagnoses.json`` holds, as digests, the answers of the solution and of every misconception to
every call of the tests. `grader build` writes it; `grader check` reports a file that is out of date.
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
class Misconception:
    """A named wrong version: its sentence for students, and its wrong answers."""

    name: str
    explanation: str
    wrong: Answers


@dataclass(frozen=True)
class AnswerTable:
    """The right answers of each function, and the misconceptions about it."""

    right: Mapping[str, Answers]
    misconceptions: Mapping[str, tuple[Misconception, ...]]


def diagnose(
    table: AnswerTable, answers: Mapping[str, Answers], visible: Mapping[str, Answers]
) -> tuple[Diagnosis, ...]:
    """Name the misconceptions behind a submission's wrong answers, function by function.

    ``answers`` are all, ``visible`` those to visible tests. If the visible ones leave no doubt, they decide
    alone, and the diagnosis tells nothing of hidden tests. Otherwise all decide, and at most one
    misconception a function is named: a submission could choose among them to tell of a hidden call.
    """
    found = []
    for task, right in table.right.items():
        known = table.misconceptions.get(task, ())
        plain = _explaining(known, right, visible.get(task, {}), only_if_sure=True)
        named = plain or _explaining(known, right, answers.get(task, {}))[:1]
        found += [Diagnosis(task, one.name, one.explanation, from_hidden=not plain) for one in named]
    return tuple(found)


def _explaining(
    misconceptions: Iterable[Misconception], right: Answers, given: Answers, *, only_if_sure: bool = False
) -> list[Misconception]:
    """Find the one misconception, or the two, that give exactly the wrong answers; none if no such exist.

    With ``only_if_sure`` also none if several single ones do.
    """
    # Calls that the table does not know come from a private test.
    wrong = {call for call, answer in given.items() if call in right and right[call] != answer}
    fitting = []
    for one in misconceptions:
        calls = {call for call in one.wrong if call in given}
        if calls and all(given[call] == one.wrong[call] for call in calls):
            fitting.append((one, calls))
    fitting.sort(key=lambda item: -len(item[1]))
    alone = [one for one, calls in fitting if calls == wrong]
    if alone:
        return [] if only_if_sure and len(alone) > 1 else alone[:1]
    for first, calls in fitting[:1]:
        for second, others in fitting[1:]:
            if calls | others == wrong:
                return [first, second]
    return []


def table_path(course: Course, exercise: Exercise) -> Path:
    """Where an exercise's table of answers lies: in ``solutions/``, which is never released."""
    return course.root / "solutions" / exercise.name / TABLE


def load_answer_table(course: Course, exercise: Exercise) -> AnswerTable:
    """Load the exercise's table of answers; an empty one if there is no file.

    Raises:
        CourseError: The file is damaged.
    """
    path = table_path(course, exercise)
    try:
        return _parse(path.read_bytes()) if path.is_file() else AnswerTable({}, {})
    except (ValueError, LookupError, TypeError, AttributeError):
        name = path.relative_to(course.root).as_posix()
        raise CourseError(f"{name} is damaged; write it anew with: grader build.") from None


@lru_cache(maxsize=8)
def _parse(data: bytes) -> AnswerTable:
    right: dict[str, Answers] = {}
    misconceptions: dict[str, tuple[Misconception, ...]] = {}
    for task, entry in json.loads(data).items():
        digests = entry["digests"].split()

        def answers(pairs: str, digests: list[str] = digests) -> Answers:
            places = (pair.split(":") for pair in pairs.split())
            return {digests[int(call)]: digests[int(answer)] for call, answer in places}

        right[task] = answers(entry["right"])
        misconceptions[task] = tuple(
            Misconception(name, one["explanation"], answers(one["wrong"]))
            for name, one in entry["misconceptions"].items()
        )
    return AnswerTable(right, misconceptions)


def answer_table_bytes(
    right: Mapping[str, Answers], versions: Iterable[tuple[str, str, str, Mapping[str, Answers]]]
) -> bytes:
    """Write the table of answers as JSON.

    ``right`` and ``wrong`` hold pairs CALL:ANSWER of places (from 0) in ``digests``.

    Args:
        right: The solution's answers, by function.
        versions: For each misconception its task, name, explanation and answers by function.
    """
    by_task: dict[str, list[tuple[str, str, Answers]]] = {task: [] for task in right}
    for task, name, explanation, answers in versions:
        by_task.setdefault(task, []).append((name, explanation, answers.get(task, {})))
    table = {}
    for task, found in by_task.items():
        known, places = right.get(task, {}), dict[str, int]()
        pairs = _pairs(known, places)
        misconceptions = {
            name: {
                "explanation": explanation,
                "wrong": _pairs({c: given[c] for c in given if known.get(c) != given[c]}, places),
            }
            for name, explanation, given in found
        }
        table[task] = {"digests": " ".join(places), "right": pairs, "misconceptions": misconceptions}
    return (json.dumps(table, indent=1) + "\n").encode()


def _pairs(answers: Answers, places: dict[str, int]) -> str:
    """Answers as pairs of places; a digest that is new gets the next free place."""
    return " ".join(
        f"{places.setdefault(call, len(places))}:{places.setdefault(answer, len(places))}"
        for call, answer in answers.items()
    )
