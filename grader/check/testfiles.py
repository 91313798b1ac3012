"""Check the text of test files: imports, fixtures, names, and points.

Tests run on the stub, on the solution, on a student's machine and against a stand-in in the grader, and must
give the same outcome each time. What could make a difference is refused here, before anything runs.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader.check.finding import Finding, at_key
from grader.check.layout import shown
from grader.course.model import Course, Exercise, test_file
from grader.lesson.stubs import parse_python

MODULES = frozenset({"pytest", "math", "fractions", "hashlib"})

# These differ from run to run or between machines, or read more than an answer.
_UNSTEADY = frozenset({"hash", "id", "open", "input", "eval", "exec", "compile", "__import__", "vars", "dir"})
_XUNIT = frozenset(
    f"{stage}_{of}" for stage in ("setup", "teardown") for of in ("module", "class", "method", "function")
)


@dataclass(frozen=True)
class TestFile:
    """One test file: its path, its path in messages, and the lines of its classes and tests."""

    path: Path
    where: str
    tree: ast.Module
    classes: dict[str, int] = field(default_factory=dict)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)

    __test__ = False  # pytest would take it for a test class

    def line(self, group: str, test: str) -> str:
        """Return where a test of a class is defined, as ``file:line``."""
        number = self.lines.get((group, test), self.classes.get(group, 1))
        return f"{self.where}:{number}"


def read_test_files(course: Course, exercise: Exercise) -> list[TestFile]:
    """Read every test file of the exercise."""
    files = []
    for path in dict.fromkeys(test_file(course, exercise, criterion) for criterion in exercise.criteria):
        where = shown(course, path)
        file = TestFile(path, where, parse_python(path, where)[1])
        for group in _classes(file.tree):
            file.classes[group.name] = group.lineno
            file.lines.update({(group.name, test.name): test.lineno for test in _functions(group.body)})
        files.append(file)
    return files


def code_findings(file: TestFile, exercise: Exercise) -> Iterator[Finding]:
    """Find imports, fixtures and names that make an outcome depend on more than the submission's answers."""
    own = {Path(name).stem for name in exercise.files}
    for node in ast.walk(file.tree):
        for text in (*_imports(node, own), *_code(node)):
            yield Finding(f"{file.where}:{getattr(node, 'lineno', 1)}", text)


def _imports(node: ast.AST, own: set[str]) -> Iterator[str]:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    if isinstance(node, ast.ImportFrom):
        names = ["." * node.level + (node.module or "")]
        if names[0].partition(".")[0] in own:
            how = f"write 'import {node.module}' and call {node.module}.NAME in a test"
            yield f"takes names from {node.module} while tests are collected; {how}"
    for name in names:
        if name.partition(".")[0] not in MODULES | own:
            allowed = ", ".join((*sorted(MODULES), *sorted(own)))
            yield f"imports {name}; tests import nothing but {allowed}"


def _code(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and node.attr in ("fixture", "usefixtures"):
        yield f"uses pytest.{node.attr}; write the values into the test"
    elif isinstance(node, ast.Name) and node.id in _UNSTEADY:
        yield f"uses {node.id}(); a test's outcome depends on the submission's answers alone"
    elif isinstance(node, ast.FunctionDef) and node.name in _XUNIT:
        yield f"{node.name} prepares tests; write the values into each test"
    elif isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
        given = {"self", *(name for mark in node.decorator_list for name in _parametrized(mark))}
        arguments = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        if wanted := [name for name in arguments if name not in given]:
            yield f"{node.name} uses the fixture {wanted[0]}; write the values into the test"


def _parametrized(mark: ast.expr) -> list[str]:
    """Return the arguments that a ``pytest.mark.parametrize`` gives."""
    if not (isinstance(mark, ast.Call) and getattr(mark.func, "attr", "") == "parametrize" and mark.args):
        return []
    texts = [node.value for node in ast.walk(mark.args[0]) if isinstance(node, ast.Constant)]
    return [name.strip() for text in texts if isinstance(text, str) for name in text.split(",")]


def name_findings(file: TestFile) -> Iterator[Finding]:
    """Find repeated names (the first is never run) and tests that pytest does not collect."""

    def repeated(names: list[tuple[str, int]]) -> Iterator[Finding]:
        last = dict(names)
        for name, line in names:
            if line != last[name]:
                text = f"{name} is there again in line {last[name]}, which replaces it; rename one"
                yield Finding(f"{file.where}:{line}", text)

    groups = _classes(file.tree)
    yield from repeated([(group.name, group.lineno) for group in groups])
    for test in _functions(file.tree.body):
        text = f"{test.name} stands in no class; points belong to classes"
        yield Finding(f"{file.where}:{test.lineno}", text)
    for group in groups:
        tests = _functions(group.body)
        yield from repeated([(f"{group.name}.{test.name}", test.lineno) for test in tests])
        if tests and not group.name.startswith("Test"):
            text = f"{group.name} has tests and is never run; let its name begin with Test"
            yield Finding(f"{file.where}:{group.lineno}", text)


def point_findings(course: Course, exercise: Exercise, files: list[TestFile]) -> Iterator[Finding]:
    """Find classes without points, and points without a class."""
    by_path = {file.path: file for file in files}
    earned: dict[Path, set[str]] = {file.path: set() for file in files}
    for criterion in exercise.criteria:
        path = test_file(course, exercise, criterion)
        earned[path].add(criterion.tests)
        if not any(group == criterion.tests for group, _ in by_path[path].lines):
            yield at_key(
                exercise,
                f"criterion.{criterion.id}.tests",
                f"there is no test in {by_path[path].where}::{criterion.tests}; write it or name another",
            )
    for file in files:
        groups = {group for group, _ in file.lines if group.startswith("Test")}
        for group in sorted(groups - earned[file.path]):
            text = f"{group} earns no points; add a criterion or remove it"
            yield Finding(f"{file.where}:{file.classes[group]}", text)


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def _functions(body: list[ast.stmt]) -> list[ast.FunctionDef]:
    return [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
