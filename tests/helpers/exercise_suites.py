"""The lesson's own test suites, loaded once and run in this process against any version of a function."""

import builtins
import contextlib
import importlib.util
import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader.course.load import load_course
from grader.course.model import Exercise, class_id
from grader.sandbox.inside import wire
from grader.sandbox.inside.serve import Server
from grader.sandbox.reply import check_verdict
from grader.suite.run import Exchange
from helpers.paths import ROOT

NAME = "contiguous_reservation"


def load_module(path, name):
    """A Python file as a module under that name, registered nowhere."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Suites:
    """Visible and hidden tests of a lesson, bound to stand-in modules that are filled before each run."""

    def __init__(self, name: str = NAME) -> None:
        self.exercise: Exercise = load_course(ROOT / "course.toml").exercise(name)
        stems = [Path(file).stem for file in self.exercise.files]
        self.solutions = {stem: load_module(ROOT / "solutions" / name / f"{stem}.py", stem) for stem in stems}
        self.stand_ins = {stem: ModuleType(stem) for stem in stems}
        self.tests: dict[tuple[str, str], ModuleType] = {}
        self.test = ""
        before = {stem: sys.modules.get(stem) for stem in stems}
        sys.modules.update(self.stand_ins)
        try:
            for visibility in ("visible", "hidden"):
                for path in sorted((ROOT / "tests" / visibility / name).glob("test_*.py")):
                    file = path.name.removeprefix("test_")
                    self.tests[visibility, file] = load_module(path, f"{visibility}_{path.stem}")
        finally:
            for stem, module in before.items():
                if module is None:
                    del sys.modules[stem]
                else:
                    sys.modules[stem] = module

    def classes(self, visibility: str, file: str) -> dict[str, type]:
        """The test classes of one file, by name; none where there is no such file of tests."""
        module = self.tests.get((visibility, file))
        return {} if module is None else {k: v for k, v in vars(module).items() if k.startswith("Test")}

    def run(
        self, task: str, changes: Mapping[str, Any], visibilities: tuple[str, ...] = ("visible", "hidden")
    ) -> dict[str, dict[str, BaseException | None]]:
        """For each criterion of ``task``: what each of its tests ended in, None meaning passed.

        ``changes`` replaces names of the solution by others; the rest stays right.
        """
        for stem, stand_in in self.stand_ins.items():
            vars(stand_in).update(vars(self.solutions[stem]))
            vars(stand_in).update({name: value for name, value in changes.items() if hasattr(stand_in, name)})
        file = self.exercise.task(task).file
        ended: dict[str, dict[str, BaseException | None]] = {}
        for criterion in (c for c in self.exercise.criteria_of(task) if c.visibility in visibilities):
            cls = self.classes(criterion.visibility, file)[criterion.tests]
            ended[criterion.id] = {}
            for name in (name for name in vars(cls) if name.startswith("test_")):
                self.test = f"{class_id(self.exercise, criterion)}::{name}"
                ended[criterion.id][name] = _outcome(getattr(cls(), name))
        return ended

    def graded(self, task: str, function: Callable[..., Any]) -> tuple[set[str], list[Exchange]]:
        """The criteria of ``task`` that a function passes, and the exchanges that the grader would have."""
        exchanges: list[Exchange] = []
        server, module = Server(-1, 1000), Path(self.exercise.task(task).file).stem

        def remote(*arguments: Any, **keywords: Any) -> Any:
            request = {"verb": "call", "module": module, "name": task}
            request |= {"arguments": [wire.encode(argument) for argument in arguments]}
            request |= {"keywords": [[key, wire.encode(value)] for key, value in keywords.items()]}
            with contextlib.redirect_stdout(io.StringIO()):
                verdict = check_verdict({**server.call(function, request)[0], "n": ""}, "", request)
            exchanges.append(Exchange(self.test, request, verdict, {}))
            for position, tree in verdict.get("changed", ()):
                arguments[position][:] = wire.decode(tree)
            if verdict["kind"] == "raised":
                raise getattr(builtins, verdict["classes"][0])
            return wire.decode(verdict["value"])

        passed: set[str] = set()
        for visibility in ("visible", "hidden"):
            ended = self.run(task, {task: remote}, (visibility,))
            passed |= {c for c, tests in ended.items() if all(error is None for error in tests.values())}
        return passed, exchanges

    def passed(self, task: str, changes: Mapping[str, Any]) -> set[str]:
        """The criteria of ``task`` of which all tests pass, with ``changes`` made to the solution."""
        return {
            criterion
            for criterion, ended in self.run(task, changes).items()
            if all(error is None for error in ended.values())
        }


def _outcome(test: Callable[[], None]) -> BaseException | None:
    try:
        test()
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever a test ends in is its outcome
        return error
    return None
