"""What pytest in a student's folder knows of an exercise: its tasks, TODOs, visible criteria and points."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from grader.bundle.warn import file_digest

if TYPE_CHECKING:  # pytest in exercises/ reads this module, and a fresh clone has pytest alone
    from grader.course.model import Exercise

POINTS = "kit/points.json"  # the file that holds it, in ``exercises/NAME/`` and in the bundle

_TODO = re.compile(r"TODO (?P<number>\d+)(?:: (?P<text>.*))?")


def points_bytes(
    exercise: Exercise,
    files: Mapping[str, bytes],
    causes: Mapping[str, Any],
    python: tuple[int, int] | None = None,
) -> bytes:
    """Make the content of ``kit/points.json`` from the stubs and visible tests.

    ``causes`` say by what answers a likely cause is known (``mistakes.py``), ``python`` which version grades.
    """
    made = points(exercise, files) | {"causes": causes}
    if python:
        made["python"] = list(python)
    return (json.dumps(made, indent=1, ensure_ascii=False) + "\n").encode()


def points(exercise: Exercise, files: Mapping[str, bytes]) -> dict[str, Any]:
    """What the bundle's plugin knows, from course.toml and the stubs and visible tests in ``files``."""
    tasks = []
    for task in exercise.tasks:
        nodes = ast.parse(files.get(f"test_{task.file}", b"")).body
        names = {
            node.name: [
                item.name
                for item in node.body
                if isinstance(item, ast.FunctionDef) and item.name.startswith("test")
            ]
            for node in nodes
            if isinstance(node, ast.ClassDef)
        }
        shown = [
            {
                "tests": criterion.tests,
                "points": criterion.points,
                "sentence": criterion.sentence,
                "hint": criterion.hint,
                "names": names.get(criterion.tests, []),
            }
            for criterion in exercise.criteria_of(task.name)
            if criterion.visibility == "visible"
        ]
        hidden = sum(one.points for one in exercise.criteria_of(task.name) if one.visibility == "hidden")
        about = {"name": task.name, "file": task.file, "title": task.title, "hints": list(task.hints)}
        tasks.append({**about, "hidden": hidden, "criteria": shown})
    limits = exercise.limits
    tests = [name for name in (f"test_{file}" for file in exercise.files) if name in files]
    return {
        "title": exercise.title,
        "points": exercise.points,
        "hidden": sum(task["hidden"] for task in tasks),
        "files": {file: list(functions) for file, functions in exercise.functions.items()},
        "limits": {
            "call": limits.call_cpu_seconds,
            "import": limits.import_cpu_seconds,
            "all": limits.submission_cpu_seconds,
        },
        "tests": {name: file_digest(files[name]) for name in tests},
        "tasks": tasks,
        "todos": [
            todo for name in exercise.files for todo in read_todos(exercise, name, files[name].decode())
        ],
    }


def read_todos(exercise: Exercise, file: str, stub: str) -> Iterator[dict[str, Any]]:
    """Read a stub's numbered TODOs, in order: a constant has it in a comment, a function in its error."""
    lines = stub.splitlines()
    for node in ast.parse(stub).body:
        found = _TODO.search("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        todo = {"number": int(found["number"]), "text": (found["text"] or "").rstrip("\")'")} if found else {}
        if isinstance(node, ast.FunctionDef) and node.name in exercise.functions[file] and found:
            yield {**todo, "name": node.name, "file": file, "task": node.name, "constant": False}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and found:
            name = node.targets[0].id
            yield {**todo, "name": name, "file": file, "task": file.removesuffix(".py"), "constant": True}
