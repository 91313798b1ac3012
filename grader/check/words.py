"""The sentences, names and TODO numbers of an exercise: is everything said, once, and short enough?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.check.finding import Finding, at_key
from grader.course.model import Course, Exercise, Task

MOST_WORDS = 45

_TODO = re.compile(r"#\s*TODO (\d+)\b")
_TODO_IN_TITLE = re.compile(r"\bTODO (\d+)(?: to (\d+))?")


def sentences(exercise: Exercise) -> Iterator[Finding]:
    """Criteria without words, with too many of them, or with a class's name that is not theirs alone."""
    named: dict[str, str] = {}
    for criterion in exercise.criteria:
        key = f"criterion.{criterion.id}"
        for field, text in (("sentence", criterion.sentence), ("hint", criterion.hint)):
            if not re.search(r"\w", text):
                yield at_key(exercise, f"{key}.{field}", "says nothing; write it for the student")
        if (count := len(criterion.hint.split())) > MOST_WORDS:
            yield at_key(exercise, f"{key}.hint", f"has {count} words; say it in {MOST_WORDS}")
        if criterion.tests in named:
            text = f"{named[criterion.tests]!r} has a class {criterion.tests} too; name one of them otherwise"
            yield at_key(exercise, f"{key}.tests", text)
        named.setdefault(criterion.tests, criterion.id)


def todos(course: Course, exercise: Exercise) -> Iterator[Finding]:
    """Tasks that the solution does not hold or does not number, and numbers that are not 1, 2, 3, ..."""
    expected = 1
    for file in exercise.files:
        where = f"solutions/{exercise.name}/{file}"
        source = (course.root / where).read_text(encoding="utf-8")
        try:
            functions = {n.name: n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)}
        except SyntaxError as error:
            yield Finding(f"{where}:{error.lineno}", f"is no Python: {error.msg}")
            continue
        numbers = _numbers(source)
        for line, number in numbers:
            if number != expected:
                text = f"TODO {number} follows TODO {expected - 1}; number them 1, 2, 3, ..."
                yield Finding(f"{where}:{line}", text)
            expected = number + 1
        for task in (task for task in exercise.tasks if task.file == file):
            yield from _task(exercise, task, functions, numbers)


def _task(
    exercise: Exercise,
    task: Task,
    functions: dict[str, ast.FunctionDef],
    numbers: list[tuple[int, int]],
) -> Iterator[Finding]:
    where = f"solutions/{exercise.name}/{task.file}"
    if not task.of_constants and task.name not in functions:
        yield at_key(
            exercise, f"task.{task.name}", f"{where} has no function {task.name}; write it or remove the task"
        )
        return
    first, last = 1, max((line for line, _ in numbers), default=1)
    if not task.of_constants:
        first, last = functions[task.name].lineno, functions[task.name].end_lineno or 0
    mine = [number for line, number in numbers if first <= line <= last]
    if not mine:
        text = f"{task.name} has no TODO; write '# TODO n: what to do' above its solution"
        yield Finding(f"{where}:{first}", text)
    elif (said := _TODO_IN_TITLE.search(task.title)) and _span(said) != (mine[0], mine[-1]):
        text = f"says {said[0]}, and {where} numbers it TODO {mine[0]}"
        text += f" to {mine[-1]}" if len(mine) > 1 else ""
        yield at_key(exercise, f"task.{task.name}.title", text)


def _numbers(source: str) -> list[tuple[int, int]]:
    """Line and number of every TODO that a comment sets."""
    lines = enumerate(source.splitlines(), start=1)
    return [(line, int(found[1])) for line, text in lines if (found := _TODO.search(text))]


def _span(said: re.Match[str]) -> tuple[int, int]:
    return int(said[1]), int(said[2] or said[1])
