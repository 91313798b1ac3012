"""The versions of an exercise that the suite is tried on: the solution, the stub, and every wrong one."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.base.errors import CourseError
from grader.check.finding import Finding
from grader.check.layout import MISCONCEPTIONS
from grader.course.model import Course, Exercise


@dataclass(frozen=True)
class Version:
    """What is run: the bytes of each file, and ``where`` it comes from.

    A misconception's version has its ``name``, the ``task`` whose function it replaces and its explanation.
    """

    name: str
    where: str
    files: Mapping[str, bytes]
    task: str = ""
    explanation: str = ""


def solution(course: Course, exercise: Exercise) -> Version:
    """The reference solution."""
    return _folder(course, exercise, "solutions")


def stub(course: Course, exercise: Exercise) -> Version:
    """What a student starts from."""
    return _folder(course, exercise, "exercises")


def _folder(course: Course, exercise: Exercise, place: str) -> Version:
    folder = Path(place, exercise.name)
    files = {name: (course.root / folder / name).read_bytes() for name in exercise.files}
    return Version(place, folder.as_posix(), files)


class Misconceptions:
    """The registry of wrong functions, ``ALL`` in ``solutions/NAME/misconceptions.py``.

    Raises:
        CourseError: The file cannot be run, or its registry holds something else than its own functions.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._exercise = exercise
        self._right = solution(course, exercise).files
        self._where = f"solutions/{exercise.name}/{MISCONCEPTIONS}"
        path = course.root / self._where
        self._entries = _registry(path, self._where)
        body = ast.parse(path.read_text(encoding="utf-8")).body
        self._functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
        wrong = {entry.function.__name__ for entry in self._entries}
        if strange := sorted(wrong - set(self._functions)):
            raise CourseError(f"{self._where}: ALL holds {strange[0]}, which is no function of this file.")
        # What the wrong functions share: imports and helpers, but no other wrong function.
        self._shared = [
            node for node in body if getattr(node, "name", "") not in wrong and not _is_future(node)
        ]

    def findings(self) -> Iterator[Finding]:
        """Entries that cannot be tried, have no explanation, or whose names repeat."""
        seen: set[str] = set()
        known = {name for names in self._exercise.functions.values() for name in names}
        for entry in self._entries:
            where = self._line(entry)
            if entry.id in seen:
                yield Finding(where, f"{entry.id} is there twice; rename one")
            seen.add(entry.id)
            if entry.task not in known:
                tasks = ", ".join(sorted(known))
                yield Finding(where, f"{entry.id} is of no task {entry.task!r}; the functions are: {tasks}")
            if not str(entry.explanation).strip():
                yield Finding(where, f"{entry.id} explains nothing; write a sentence for the student")
        for task in sorted(known - {entry.task for entry in self._entries}):
            yield Finding(self._where, f"{task} has no wrong version; add one that the tests must not accept")

    def versions(self) -> Iterator[Version]:
        """For each wrong function the solution with that one function replaced."""
        file_of = {name: file for file, names in self._exercise.functions.items() for name in names}
        trees = {file: ast.parse(self._right[file]) for file in file_of.values()}
        for entry in self._entries:
            if entry.task not in file_of:
                continue
            file = file_of[entry.task]
            body = self._replaced(trees[file].body, entry)
            source = ast.unparse(ast.Module(body=body, type_ignores=[]))
            files = {**self._right, file: f"from __future__ import annotations\n{source}\n".encode()}
            yield Version(entry.id, self._line(entry), files, entry.task, str(entry.explanation))

    def _replaced(self, body: list[ast.stmt], entry: Any) -> list[ast.stmt]:
        """The solution's statements with the wrong function, under both of its names, for the right one."""
        name = entry.function.__name__
        wrong = copy(self._functions[name])
        wrong.decorator_list = []
        alias = ast.parse(f"{entry.task} = {name}").body
        new: list[ast.stmt] = []
        for node in body:
            if getattr(node, "name", "") == entry.task:
                new += [*self._shared, wrong, *alias]
            elif not _is_future(node):
                new.append(node)
        return new

    def _line(self, entry: Any) -> str:
        return f"{self._where}:{self._functions[entry.function.__name__].lineno}"


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _registry(path: Path, where: str) -> list[Any]:
    """The entries of the course's own file, run as a module that nothing else can import."""
    spec = importlib.util.spec_from_file_location("course_misconceptions", path)
    if spec is None or spec.loader is None:
        raise CourseError(f"{where}: is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the author's own code raises is a mistake in the course
        raise CourseError(f"{where}: failed with {type(error).__name__}: {error}.") from error
    entries = getattr(module, "ALL", None)
    if not isinstance(entries, list | tuple):
        raise CourseError(f"{where}: there is no list ALL of the misconceptions; write it at the end.")
    return list(entries)
