"""The versions of an exercise on which the suite is run: the solution, the stub and every wrong version."""

import ast
import inspect
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from grader.base.errors import CourseError
from grader.base.files import read_text
from grader.bundle.display import call_text
from grader.check.finding import Finding
from grader.check.layout import MISCONCEPTIONS
from grader.course.model import Course, Exercise
from grader.grading.diagnosis import Reflection
from grader.lesson import wrong_versions
from grader.lesson.leaks import given_away
from grader.suite.notebook import Notebook
from grader.suite.run import answer_digest

_KIT = inspect.getsource(wrong_versions)


@dataclass(frozen=True)
class Version:
    """A set of files to run."""

    name: str  # a wrong version's is that of its misconception
    where: str  # the place for messages
    files: Mapping[str, bytes]
    task: str = ""  # what a wrong version gets wrong
    notebook: Notebook | None = None  # stands for the files that are not there


def solution(course: Course, exercise: Exercise, place: str = "solutions") -> Version:
    """Read the reference solution."""
    folder = Path(place, exercise.name)
    files = {name: (course.root / folder / name).read_bytes() for name in exercise.files}
    return Version(place, folder.as_posix(), files)


def stub(course: Course, exercise: Exercise) -> Version:
    """Read the stub."""
    return solution(course, exercise, "exercises")


class Misconceptions:
    """The registry of wrong functions, ``ALL`` in ``solutions/NAME/misconceptions.py``, if it is there."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._exercise = exercise
        self._right = solution(course, exercise).files
        self._where = f"solutions/{exercise.name}/{MISCONCEPTIONS}"
        # Statements that register nothing (imports, helpers), which all wrong versions share.
        self._shared: list[ast.stmt] = []
        # Each entry of ALL, the statement that registered it, and its place among those of that statement.
        self._entries: list[tuple[Any, ast.stmt, int]] = []
        self._space: dict[str, Any] = {"__name__": "course_misconceptions"}
        path, future = course.root / self._where, ast.parse("from __future__ import annotations").body
        text = read_text(path, self._where) if path.is_file() else "ALL = []"
        try:
            for node in ast.parse(text).body:
                code = compile(ast.Module([*future, node], []), path, "exec")
                exec(code, self._space)  # noqa: S102 - the course's own
                listed = self._space.get("ALL")
                new = listed[len(self._entries) :] if isinstance(listed, list) else []
                self._entries += [(entry, node, place) for place, entry in enumerate(new)]
                if isinstance(node, ast.ImportFrom) and node.module == wrong_versions.__name__:
                    # The jail has no grader: wrong versions get a copy.
                    self._shared += (one for one in ast.parse(_KIT).body if not _is_future(one))
                elif not (new or _is_future(node)):
                    self._shared.append(node)
        except Exception as error:  # whatever the author's own code raises is a mistake in the course
            text = f"failed with {type(error).__name__}: {error}"
            raise CourseError(f"{self._where}: {text}.") from error
        if not isinstance(self._space.get("ALL"), list):
            text = "there is no list ALL of the misconceptions; write it at the end"
            raise CourseError(f"{self._where}: {text}.")
        for one in self._space.get("REFLECTIONS", ()):
            if not (isinstance(one, tuple) and len(one) == 3 and isinstance(one[2], dict)):
                text = f"REFLECTIONS holds {one!r:.80}; write (id, sentence, {{constant: value}})"
                raise CourseError(f"{self._where}: {text}.")

    def unfit(self, calls: Iterable[Mapping[str, Any]]) -> Iterator[Finding]:
        """Find entries that no call of the tests fits: their parameters are other ones than the stub's."""
        asked: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for call in calls:
            asked[call["name"]].append(call)
        for entry, node, _ in self._entries:
            errors = []
            for call in asked[entry.task]:
                try:
                    inspect.signature(entry.function).bind(*call["arguments"], **dict(call["keywords"]))
                except TypeError as error:
                    errors.append(error)
            if errors and len(errors) == len(asked[entry.task]):
                first = asked[entry.task][0]
                like = call_text(entry.task, first["arguments"], dict(first["keywords"]))
                text = f"{entry.id} cannot be called like {like}: {errors[0]}; write the stub's parameters"
                yield Finding(f"{self._where}:{node.lineno}", text)

    def findings(self) -> Iterator[Finding]:
        """Find entries of an unknown task, without text or with a repeated name; tasks without entry."""
        seen: set[str] = set()
        functions = {name for names in self._exercise.functions.values() for name in names}
        known = functions | {task.name for task in self._exercise.tasks if task.of_constants}
        for entry, node, _ in self._entries:
            where = f"{self._where}:{node.lineno}"
            if entry.id in seen:
                yield Finding(where, f"{entry.id} is there twice; rename one")
            seen.add(entry.id)
            if entry.task not in known:
                tasks = ", ".join(sorted(known))
                yield Finding(where, f"{entry.id} is of no task {entry.task!r}; the tasks are: {tasks}")
            if not str(entry.explanation).strip():
                yield Finding(where, f"{entry.id} explains nothing; write a sentence for the student")
        yield from self._findings_of_extras()
        for task in sorted(functions - {entry.task for entry, *_ in self._entries}) if self._entries else ():
            yield Finding(self._where, f"{task} has no wrong version; add one that the tests must not accept")

    def _findings_of_extras(self) -> Iterator[Finding]:
        """Find misspelt names of what a file need not have, and reflections that nobody ever reads."""
        spelt = {one.lower(): one for one in self._space}
        for name in sorted({"REFLECTIONS", "compositions"} - self._space.keys()):
            for near in get_close_matches(name.lower(), spelt, n=1, cutoff=0.8):
                yield Finding(self._where, f"there is {spelt[near]}, but no {name}; correct the name")
        constants = [{*names} for names in constants_of(self._exercise, self._right).values()]
        for name, _, given in self._space.get("REFLECTIONS", ()):
            if not any(names.issuperset(given) for names in constants):
                text = f"REFLECTIONS: {name} names constants that no file of the solution has"
                yield Finding(self._where, text)
            before = [one for one, _, values in self._space["REFLECTIONS"] if values == given]
            if before[0] != name:
                text = f"REFLECTIONS: {name} is never said, since {before[0]} is about the same values"
                yield Finding(self._where, text)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield what students are told, each with its place."""
        yield from ((f"{self._where}:{node.lineno}", str(one.explanation)) for one, node, _ in self._entries)
        yield from ((self._where, str(text)) for _, text, _ in self._space.get("REFLECTIONS", ()))

    def versions(self, task: str = "") -> Iterator[Version]:
        """Make for each entry, or for those of one task, the solution with its one function replaced."""
        file_of = {name: file for file, names in self._exercise.functions.items() for name in names}
        constants = {one.name: one.file for one in self._exercise.tasks if one.of_constants}
        texts = {  # each statement is written once, and not for every version
            file: [
                (getattr(one, "name", ""), ast.unparse(one))
                for one in ast.parse(self._right[file]).body
                if not _is_future(one)
            ]
            for file in dict.fromkeys(file_of.values())
        }
        shared = ast.unparse(ast.Module(self._shared, []))
        for entry, node, place in self._entries:
            if task and entry.task != task:
                continue
            if entry.task in file_of:
                file = file_of[entry.task]
                wrong = f"{shared}\n{ast.unparse(node)}\n{entry.task} = ALL[{place}].function"
                body = [wrong if name == entry.task else text for name, text in texts[file]]
                data = "\n".join(["from __future__ import annotations", *body, ""]).encode()
            elif file := constants.get(entry.task, ""):
                lines = "".join(f"{name} = {value!r}\n" for name, value in entry.constants.items())
                data = self._right[file] + b"\n" + lines.encode()
            else:
                continue
            where = f"{self._where}:{node.lineno}"
            yield Version(entry.id, where, {**self._right, file: data}, entry.task)

    def together(self, task: str) -> Iterator[tuple[tuple[str, ...], Callable[..., Any]]]:
        """Yield what the file's ``compositions(task)`` gives: names, and the function that has them all."""
        yield from self._space.get("compositions", lambda _task: ())(task)

    def entries(self, task: str) -> list[Any]:
        """Return the entries of a task."""
        return [entry for entry, *_ in self._entries if entry.task == task]

    def reflections(self, known: Collection[str]) -> Iterator[tuple[Reflection, dict[str, str]]]:
        """Yield what ``REFLECTIONS``, if there is such a list, says to values of the ``known`` constants."""
        for name, sentence, given in self._space.get("REFLECTIONS", ()):
            if set(known).issuperset(given):
                yield Reflection(name, sentence), constant_digests(given)


def sentences_that_tell(
    course: Course, exercise: Exercise, registry: Misconceptions | None = None, calls: Iterable[str] = ()
) -> Iterator[Finding]:
    """Find what students are told that gives away a call of a hidden test or a line of the solution.

    ``calls`` are more calls of hidden tests, such as those whose arguments only a run shows.
    """
    registry = registry or Misconceptions(course, exercise)
    yield from (Finding(*one) for one in given_away(course, exercise, registry.texts(), calls))


def constants_of(exercise: Exercise, files: Mapping[str, bytes]) -> dict[str, list[str]]:
    """Find the constants of each file of constants: the names that the solution gives a value."""
    found = {}
    for task in exercise.tasks:
        if task.of_constants:
            body = ast.parse(files[task.file]).body
            targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
            found[task.file] = [target.id for target in targets if isinstance(target, ast.Name)]
    return found


def constant_digests(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of constants with these values."""
    return {name: answer_digest({"kind": "value", "value": value}) for name, value in values.items()}


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"
