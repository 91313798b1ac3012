"""What a bundle's plugin knows: tasks, TODOs and visible criteria; of hidden criteria only the points."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from grader.course.model import Exercise, Task

_TODO = re.compile(r"TODO (?P<number>\d+)(?:: (?P<text>.*))?")


def points(exercise: Exercise, files: Mapping[str, bytes]) -> dict[str, Any]:
    """The data for ``kit/points.json``, made from the stubs and visible test files among ``files``."""
    names = {name: _tests(files[f"test_{name}"]) for name in exercise.files}
    tasks = [_task(exercise, task, names[task.file]) for task in exercise.tasks]
    return {
        "title": exercise.title,
        "points": exercise.points,
        "hidden": sum(task["hidden"] for task in tasks),
        "files": {file: list(functions) for file, functions in exercise.functions.items()},
        "tasks": tasks,
        "todos": [todo for name in exercise.files for todo in _todos(exercise, name, files[name].decode())],
    }


def _task(exercise: Exercise, task: Task, names: Mapping[str, list[str]]) -> dict[str, Any]:
    criteria = exercise.criteria_of(task.name)
    return {
        "name": task.name,
        "file": task.file,
        "title": task.title,
        "hidden": sum(criterion.points for criterion in criteria if criterion.visibility == "hidden"),
        "criteria": [
            {
                "tests": criterion.tests,
                "points": criterion.points,
                "sentence": criterion.sentence,
                "hint": criterion.hint,
                "names": names.get(criterion.tests, []),
            }
            for criterion in criteria
            if criterion.visibility == "visible"
        ],
    }


def _tests(source: bytes) -> dict[str, list[str]]:
    """The names of the tests in each class of a test file."""
    return {
        node.name: [
            item.name
            for item in node.body
            if isinstance(item, ast.FunctionDef) and item.name.startswith("test")
        ]
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
    }


def _todos(exercise: Exercise, file: str, stub: str) -> Iterator[dict[str, Any]]:
    """The numbered TODOs of a stub, in its order: a constant's in a comment, a function's in its error."""
    lines = stub.splitlines()
    for node in ast.parse(stub).body:
        found = _TODO.search("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        todo = {"number": int(found["number"]), "text": (found["text"] or "").rstrip("\")'")} if found else {}
        if isinstance(node, ast.FunctionDef) and node.name in exercise.functions[file] and found:
            yield {**todo, "name": node.name, "file": file, "task": node.name, "constant": False}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and found:
            name = node.targets[0].id
            yield {**todo, "name": name, "file": file, "task": file.removesuffix(".py"), "constant": True}
