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


def diagnose(table: AnswerTable, answers: Mapping[str, Answers]) -> tuple[Diagnosis, ...]:
    """Name the misconceptions behind a submission's wrong answers, function by function."""
    return tuple(
        Diagnosis(task, found.name, found.explanation)
        for task, right in table.right.items()
        for found in _explaining(table.misconceptions.get(task, ()), right, answers.get(task, {}))
    )


def _explaining(
    misconceptions: Iterable[Misconception], right: Answers, given: Answers
) -> list[Misconception]:
    """Find the one misconception, or the two, that give exactly the wrong answers; none if no such exist."""
    # Calls that the table does not know come from a private test.
    wrong = {call for call, answer in given.items() if call in right and right[call] != answer}
    fitting = []
    for one in misconceptions:
        calls = {call for call in one.wrong if call in given}
        if calls and all(given[call] == one.wrong[call] for call in calls):
            fitting.append((one, calls))
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
        calls, answers = entry["calls"].split(), entry["answers"].split()
        right[task] = {calls[n]: answers[int(place)] for n, place in enumerate(entry["right"].split())}
        found = []
        for name, one in entry["misconceptions"].items():
            pairs = [pair.split(":") for pair in one["wrong"].split()]
            wrong = {calls[int(call)]: answers[int(answer)] for call, answer in pairs}
            found.append(Misconception(name, one["explanation"], wrong))
        misconceptions[task] = tuple(found)
    return AnswerTable(right, misconceptions)


def answer_table_bytes(
    right: Mapping[str, Answers], versions: Iterable[tuple[str, str, str, Mapping[str, Answers]]]
) -> bytes:
    """Write the table of answers as JSON.

    Each digest stands once: ``right`` and ``wrong`` are places (from 0) in ``calls`` and ``answers``.

    Args:
        right: The solution's answers, by function.
        versions: For each misconception its task, name, explanation and answers by function.
    """
    versions = list(versions)
    table = {}
    for task in dict.fromkeys([*right, *(task for task, *_ in versions)]):
        known = right.get(task, {})
        calls = {call: place for place, call in enumerate(known)}
        answers: dict[str, int] = {}
        right_places = [str(_place(answers, answer)) for answer in known.values()]
        misconceptions = {
            name: {
                "explanation": explanation,
                "wrong": " ".join(
                    f"{_place(calls, call)}:{_place(answers, answer)}"
                    for call, answer in given.get(task, {}).items()
                    if known.get(call) != answer
                ),
            }
            for of, name, explanation, given in versions
            if of == task
        }
        table[task] = {
            "calls": " ".join(calls),
            "answers": " ".join(answers),
            "right": " ".join(right_places),
            "misconceptions": misconceptions,
        }
    return (json.dumps(table, indent=1) + "\n").encode()


def _place(places: dict[str, int], digest: str) -> int:
    """The digest's place, the next free one if it is new."""
    return places.setdefault(digest, len(places))
