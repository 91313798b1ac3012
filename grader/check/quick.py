"""Check tasks quickly while a lesson is written: remember outcomes, leave out generated files.

What a version did in the tests of a task is kept in ``.check/NAME.json``, under a digest of all that it
depends on: the version's files, the task's test classes and the code beside them, limits and sandbox.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from grader import __version__
from grader.base.errors import CourseError
from grader.base.files import write_whole
from grader.check import Checked, static_findings
from grader.check.finding import Finding
from grader.check.outcomes import Suite, accepted, rejected, told_apart
from grader.check.runs import VersionRun, run_in_sandbox
from grader.check.testfiles import TestFile
from grader.check.versions import Misconceptions, Version, solution
from grader.course.model import Course, Exercise, test_file
from grader.lesson.stubs import stub_text
from grader.sandbox.tiers import Tier

FOLDER = ".check"

_Remembered = dict[str, dict[str, VersionRun]]


def check_quickly(course: Course, exercise: Exercise, tier: Tier, tasks: Iterable[str]) -> Checked:
    """Check these tasks: their tests on the solution, the stub and their wrong versions.

    Raises:
        GraderError: The grader itself failed.
    """
    count = sum(len(exercise.criteria_of(task)) for task in tasks)
    found, files = static_findings(course, exercise)
    if files is None:
        return Checked(tuple(found), count)
    path = course.root / FOLDER / f"{exercise.name}.json"
    known = _read(path)
    tests = wrong = 0
    try:
        right, registry = solution(course, exercise), Misconceptions(course, exercise)
        stubs = {name: _stub(exercise, name, data) for name, data in right.files.items()}
        empty = Version("exercises", f"exercises/{exercise.name}", stubs)
        found += registry.findings()
        for task in tasks:
            suite = Suite(course, replace(exercise, criteria=exercise.criteria_of(task)), tier, files)
            mine = list(registry.versions(task))
            runs, known[task] = _runs(suite, [right, empty, *mine], known.get(task, {}))
            found += rejected(suite, right, runs[right.name])
            found += accepted(suite, empty, runs[empty.name])
            found += told_apart(suite, mine, runs) if not runs[right.name].complaints else ()
            tests, wrong = tests + len(runs[right.name].passed), wrong + len(mine)
    except CourseError as error:
        return Checked((*found, Finding("", str(error).rstrip("."))), count)
    write_whole(path, msgspec.json.encode(known), durable=False)
    return Checked(tuple(dict.fromkeys(found)), count, tests, wrong=wrong, ran=True)


def _stub(exercise: Exercise, name: str, data: bytes) -> bytes:
    return stub_text(data.decode(), f"solutions/{exercise.name}/{name}").encode()


def _runs(
    suite: Suite, versions: Sequence[Version], known: Mapping[str, VersionRun]
) -> tuple[dict[str, VersionRun], dict[str, VersionRun]]:
    """Run the versions that are not remembered; return all runs by the version's name, and by digest."""
    basis = _basis(suite)
    digests = {version.name: _digest(basis, version) for version in versions}
    todo = [version for version in versions if digests[version.name] not in known]
    fresh: dict[str, VersionRun] = {}
    if todo:
        _, fresh = run_in_sandbox(suite.course, suite.exercise, suite.tier, [], todo, classes=True)
    runs = {name: fresh.get(name) or known[digest] for name, digest in digests.items()}
    return runs, {digests[name]: replace(run, exchanges=()) for name, run in runs.items()}


def _basis(suite: Suite) -> bytes:
    """Collect what the runs of all versions depend on."""
    parts = [__version__, suite.tier.name, repr(suite.exercise.limits)]
    for criterion in suite.exercise.criteria:
        place = test_file(suite.course, suite.exercise, criterion)
        parts += [str(place), criterion.tests]
    places = {test_file(suite.course, suite.exercise, criterion) for criterion in suite.exercise.criteria}
    wanted = {criterion.tests for criterion in suite.exercise.criteria}
    parts += [_source(file, wanted) for file in suite.files if file.path in places]
    return "\0".join(parts).encode()


def _source(file: TestFile, wanted: set[str]) -> str:
    """Return the wanted classes of a test file and all that stands beside its classes."""
    body = [node for node in file.tree.body if not isinstance(node, ast.ClassDef) or node.name in wanted]
    return "\n".join(ast.dump(node, include_attributes=True) for node in body)


def _digest(basis: bytes, version: Version) -> str:
    total = hashlib.sha256(basis)
    for name, data in version.files.items():
        total.update(f"\0{name}\0{len(data)}\0".encode() + data)
    return total.hexdigest()


def _read(path: Path) -> _Remembered:
    """Read what is remembered; return nothing if it is missing or has another form."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Remembered)
    except (OSError, msgspec.DecodeError):
        return {}
