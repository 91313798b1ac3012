"""Make the table by which a likely cause is named at home: what misconceptions answer to visible calls."""

import ast
import base64
import contextlib
import copy
import functools
import io
from collections.abc import Iterator, Mapping
from typing import Any

from grader.base.errors import CourseError
from grader.base.files import read_text
from grader.bundle import causes, display, plain
from grader.course.model import Course, Exercise, test_file
from grader.lesson.own_code import Limit, run_module

_FILE = "misconceptions.py"
_SECONDS = 2.0

_Call = tuple[str, list[Any], dict[str, Any]]


def mistakes_table(course: Course, exercise: Exercise) -> dict[str, Any]:
    """Make the table of :mod:`grader.bundle.causes`; it is empty if the course's files cannot be run."""
    path = f"solutions/{exercise.name}/{_FILE}"
    if not (course.root / path).is_file():
        return {}
    table: dict[str, Any] = {}
    known = {}
    try:
        calls = {task.name: list(_visible_calls(course, exercise, task.name)) for task in exercise.tasks}
        for file, functions in exercise.functions.items():
            solution = run_module(course, f"solutions/{exercise.name}/{file}") if functions else None
            for name in functions:
                if answers := _answers(getattr(solution, name, None), calls[name]):
                    marks = " ".join(causes.sign(answer) for _, answer in answers)
                    told = " ".join(call for call, _ in answers)
                    table[name] = {"calls": told, "right": marks, "mistakes": []}
                    known[name] = dict(answers)
        for place in range(len(run_module(course, path).ALL)):
            # Some misconceptions keep something between calls, so each is loaded anew.
            one = run_module(course, path).ALL[place]
            if one.task in table:
                answers = _answers(one.function, calls[one.task])
                row = mistake_row(answers, known[one.task], one.explanation)
                if row and row not in table[one.task]["mistakes"]:
                    table[one.task]["mistakes"].append(row)
    except (CourseError, AttributeError, TypeError):
        return {}
    return table


def mistake_row(
    answers: list[tuple[str, str]], right: Mapping[str, str], sentence: str
) -> dict[str, str] | None:
    """Make the row of a mistake from digests; None if it answers all visible calls rightly.

    ``right`` has the digest of the right answer of each call. Only with the first wrong answer can the
    ``sentence`` be read.
    """
    first = next((answer for call, answer in answers if answer != right[call]), "")
    marks = " ".join(causes.sign(answer) for _, answer in answers)
    says = base64.b64encode(causes.mixed(sentence.encode(), first)).decode()
    return {"answers": marks, "says": says} if first else None


def _visible_calls(course: Course, exercise: Exercise, function: str) -> Iterator[_Call]:
    """Read the calls of a function in its visible tests, in their order, each once."""
    seen: set[str] = set()
    criteria = [one for one in exercise.criteria_of(function) if one.visibility == "visible"]
    for path in dict.fromkeys(test_file(course, exercise, one) for one in criteria):
        classes = {one.tests for one in criteria}
        try:
            tree = ast.parse(read_text(path, path.name)) if path.is_file() else ast.Module([], [])
        except SyntaxError:
            continue
        tests = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in classes)
        for test in (item for node in tests for item in node.body if isinstance(item, ast.FunctionDef)):
            known: dict[str, Any] = {}
            for node in ast.walk(test):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    known[node.targets[0].id] = node.value
            for node in ast.walk(test):
                if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != function:
                    continue
                try:
                    given = [
                        known.get(one.id, one) if isinstance(one, ast.Name) else one for one in node.args
                    ]
                    args = [ast.literal_eval(one) for one in given]
                    kwargs = {one.arg: ast.literal_eval(one.value) for one in node.keywords if one.arg}
                except ValueError:  # the call's arguments are not written out
                    continue
                text = display.call_text(function, args, kwargs)
                if text not in seen:
                    seen.add(text)
                    yield text, args, kwargs


def _answers(function: Any, calls: list[_Call]) -> list[tuple[str, str]]:
    """Call a function; the digests of the calls and of the answers."""
    limit = Limit(_SECONDS)

    def answer(args: list[Any], kwargs: dict[str, Any]) -> str:
        given = copy.deepcopy(args)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                got = plain.plain(function(*given, **copy.deepcopy(kwargs)))
        except Exception as error:  # noqa: BLE001 - a wrong version may raise anything
            return f"raised {type(error).__name__}"
        pairs = zip(args, given, strict=True)
        return causes.answer_text(got, [now for was, now in pairs if type(was) is list and was != now])

    return [
        causes.digests(text, limit.call(functools.partial(answer, args, kwargs)) or "took too long")
        for text, args, kwargs in (calls if callable(function) else ())
    ]
