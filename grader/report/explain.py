"""Explain one student's result to the instructor: every test with its calls, hidden ones included."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader.base.files import read_text
from grader.base.flags import MEANINGS
from grader.base.text import one_line
from grader.bundle.wording import STATES
from grader.course.model import Course, Criterion, Exercise, class_id, test_file
from grader.grading.score import CriterionResult, FinalResult
from grader.results.student import REPORT, is_by, student_folder, suite_digest

_LINE = 300


def explain(course: Course, exercise: Exercise, out: Path, result: FinalResult) -> Iterator[str]:
    """Make the lines: score, flags, diagnoses, and for each criterion its tests with calls and verdicts.

    ``out`` holds the report of the student's run. Points by hand stand beside those of the tests.
    """
    yield "For the instructor alone: the lines below show hidden tests."
    score = "not graded" if result.score is None else f"{result.points} of {result.max_score} points"
    late = f", {result.taken_off} taken off for lateness" if result.taken_off else ""
    yield f"{one_line(result.student, _LINE)}: {result.status}, {score}{late}"
    if result.submission:
        came = result.submission
        yield f"Handed in: {one_line(', '.join(came.files), _LINE)}, {came.submitted_at or 'time unknown'}"
    for flag in result.flags:
        yield f"Flag {flag}: {MEANINGS.get(flag, '')}"
    for note in result.notes:
        yield f"Note: {one_line(note, _LINE)}"
    for diagnosis in result.diagnoses:
        yield f"Diagnosis {diagnosis.misconception} ({diagnosis.task}): {diagnosis.explanation}"
    for change in result.changes:
        what = change.criterion or "the whole score"
        by = f" by {one_line(change.by, _LINE)}" if change.by else ""
        because = one_line(change.because, _LINE)
        yield f"By hand ({change.source}{by}): {change.points:g} for {what}. {because}"
    if not is_by(out, result.student, suite_digest(course, exercise)):
        yield "The tests have changed since; lines of tests may not be those that were run."
    entries = _entries(student_folder(out, result.student) / REPORT)
    known = {criterion.id: criterion for criterion in exercise.criteria}
    for one in result.criteria:
        yield from _criterion(course, exercise, known.get(one.id), one, entries)


def _criterion(
    course: Course,
    exercise: Exercise,
    criterion: Criterion | None,
    one: CriterionResult,
    entries: Mapping[str, Mapping[str, Any]],
) -> Iterator[str]:
    yield ""
    state = STATES[one.status][0]
    yield f"{one.id} ({one.task}, {one.visibility}): {state}, {one.points} of {one.max_points}"
    if criterion is None:
        return
    yield f"  {criterion.sentence}"
    path = test_file(course, exercise, criterion)
    steps = _steps(read_text(path, path.name)).get(criterion.tests, {})
    prefix = f"{class_id(exercise, criterion)}::"
    for node, entry in entries.items():
        if node.startswith(prefix):
            yield from _test(node.removeprefix(prefix), entry, steps)


def _test(name: str, entry: Mapping[str, Any], steps: Mapping[str, list[tuple[int, str]]]) -> Iterator[str]:
    """The statements of a test; the one that failed with what was found there, those behind it left out."""
    call = entry.get("call", {})
    line = call.get("crash", {}).get("lineno", 0)
    passed = entry.get("outcome") == "passed"
    mine = steps.get(name.partition("[")[0], [])
    for start, text in mine:
        failed = not passed and start <= line and not any(start < other <= line for other, _ in mine)
        if passed or start <= line:
            yield f"  {'x' if failed else '+'} {one_line(text, _LINE)}"
    if not passed:
        failure = entry.get("metadata", {}).get("failure", {})
        # pytest also says that a function is what it is: "where m.f = m.f".
        said = re.sub(r"\+ +where (\S+) = \1(?!\S)", "", call.get("longrepr", "").replace("E  ", " "))
        how = ", ".join(filter(None, (failure.get("verdict"), failure.get("reason"), failure.get("error"))))
        yield f"    {name}: {one_line(said, _LINE)} ({how})"


@lru_cache(maxsize=64)
def _steps(source: str) -> dict[str, dict[str, list[tuple[int, str]]]]:
    """The statements of each test, by class and test: their line (from 1) and their text."""
    return {
        group.name: {
            test.name: [(step.lineno, " ".join(ast.unparse(step).split())) for step in test.body]
            for test in group.body
            if isinstance(test, ast.FunctionDef)
        }
        for group in ast.parse(source).body
        if isinstance(group, ast.ClassDef)
    }


def _entries(path: Path) -> dict[str, Mapping[str, Any]]:
    """The tests of a report by their node ids; none where there is no report."""
    try:
        tests = json.loads(path.read_bytes())["tests"]
        return {entry["nodeid"]: entry for entry in tests}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
