"""What the suite says of each version: the solution passes all, the stub nothing, each mistake is seen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from grader.check.finding import Finding
from grader.check.plain import plain_outcomes
from grader.check.runs import Told, run_apart
from grader.check.testfiles import TestFile
from grader.check.versions import Misconceptions, Version, solution, stub
from grader.course.model import Course, Exercise, class_id, test_file
from grader.grading.diagnosis import answer_table_bytes, table_path
from grader.sandbox.tiers import Tier

LONGEST_ID = 60
_SEEDS = (1, 2)
_PRIVATE = "private/"


@dataclass(frozen=True)
class Suite:
    """The exercise's suite, ready to be run."""

    course: Course
    exercise: Exercise
    tier: Tier
    files: Sequence[TestFile]

    def line(self, test: str) -> str:
        """Where a test stands, as ``file:line``, from its node id."""
        path, group, name = test.split("::")[:3]
        source = next(
            test_file(self.course, self.exercise, criterion)
            for criterion in self.exercise.criteria
            if class_id(self.exercise, criterion) == f"{path}::{group}"
        )
        file = next(file for file in self.files if file.path == source)
        return file.line(group, name.partition("[")[0])

    def tests_of(self, task: str, told: Told) -> list[list[str]]:
        """The tests of a task, one list a criterion."""
        groups = [class_id(self.exercise, criterion) + "::" for criterion in self.exercise.criteria_of(task)]
        return [[test for test in told.passed if test.startswith(group)] for group in groups]


@dataclass(frozen=True)
class Tried:
    """What was run, for the last line: how many tests and wrong versions."""

    findings: tuple[Finding, ...]
    tests: int
    wrong: int


def outcomes(suite: Suite) -> Tried:
    """Run the suite on everything.

    Raises:
        CourseError: Tests or misconceptions cannot be loaded.
        GraderError: The grader itself failed.
    """
    right = solution(suite.course, suite.exercise)
    empty = stub(suite.course, suite.exercise)
    registry = Misconceptions(suite.course, suite.exercise)
    wrong = list(registry.versions())
    halves = [[right, empty, *half] for half in (wrong[::2], wrong[1::2])]
    runs = run_apart(suite.course, suite.exercise, suite.tier, halves)
    on_right, on_empty = [run[0] for run in runs], [run[1] for run in runs]
    plain = _in_pytest(suite, (right, empty))
    findings = [
        *long_ids(suite, on_right[0]),
        *rejected(suite, on_right[0]),
        *accepted(suite, on_empty[0]),
        *unsteady(suite, right, on_right, plain[0]),
        *unsteady(suite, empty, on_empty, plain[1]),
        *registry.findings(),
    ]
    if all(on_right[0].passed.values()):
        told = {
            v.name: t for half, run in zip(halves, runs, strict=True) for v, t in zip(half, run, strict=True)
        }
        findings += unnoticed(suite, wrong, told)
        findings += alike(wrong, told)
        findings += untold(suite, on_right[0], wrong, told)
    return Tried(tuple(findings), len(on_right[0].passed), len(wrong))


def long_ids(suite: Suite, right: Told) -> Iterator[Finding]:
    """Names of tests that hide their message in a terminal of 80 columns."""
    for test in right.passed:
        name = test.rpartition("/")[2]
        if len(name) > LONGEST_ID:
            text = f"{name} has {len(name)} characters; shorten it to {LONGEST_ID}"
            yield Finding(suite.line(test), text)


def rejected(suite: Suite, right: Told) -> Iterator[Finding]:
    """Tests that the reference solution does not pass."""
    for test, complaint in right.complaints.items():
        yield Finding(suite.line(test), f"the solution does not pass it ({complaint}); correct one of them")


def accepted(suite: Suite, empty: Told) -> Iterator[Finding]:
    """Tests that are passed before anything is written."""
    for test, passed in empty.passed.items():
        if passed:
            yield Finding(suite.line(test), "the stub passes it; ask what an unwritten answer cannot know")


def unsteady(
    suite: Suite, version: Version, runs: Sequence[Told], plain: Sequence[Mapping[str, bool]]
) -> Iterator[Finding]:
    """Tests whose outcome changes from run to run, or between the grader and a student's machine."""
    seen = dict(zip(("in the grader", "in the grader again"), (run.passed for run in runs), strict=True))
    seen |= {f"in pytest with hash seed {seed}": run for seed, run in zip(_SEEDS, plain, strict=True)}
    for test in runs[0].passed:
        passing = [where for where, passed in seen.items() if passed.get(test)]
        if passing and len(passing) < len(seen) and not test.startswith(_PRIVATE):
            failing = next(where for where in seen if where not in passing)
            text = f"on {version.where} it passes {passing[0]} and fails {failing}"
            yield Finding(suite.line(test), f"{text}; let it depend on answers alone")


def _in_pytest(suite: Suite, versions: Sequence[Version]) -> list[list[Mapping[str, bool]]]:
    """For each version its outcomes in plain pytest, one a hash seed."""
    private = suite.course.private
    paths = [file.path for file in suite.files if not (private and file.path.is_relative_to(private))]
    with ThreadPoolExecutor(2) as threads:
        runs = [
            [threads.submit(plain_outcomes, suite.course, paths, version, seed) for seed in _SEEDS]
            for version in versions
        ]
        return [[run.result() for run in each] for each in runs]


def unnoticed(suite: Suite, wrong: Sequence[Version], told: Mapping[str, Told]) -> Iterator[Finding]:
    """Wrong versions that earn all points of their task."""
    for version in wrong:
        run = told[version.name]
        if all(run.passed[test] for tests in suite.tests_of(version.task, run) for test in tests):
            text = f"{version.name} earns all points of {version.task}; add a test that it does not pass"
            yield Finding(version.where, text)


def alike(wrong: Sequence[Version], told: Mapping[str, Told]) -> Iterator[Finding]:
    """Wrong versions of one task that answer every test in the same way."""
    first: dict[str, str] = {}
    for version in wrong:
        answers = told[version.name].answers.get(version.task, {})
        key = json.dumps([version.task, dict(answers)], sort_keys=True)
        if key in first:
            text = f"{version.name} answers every test as {first[key]} does; merge them or add a test"
            yield Finding(version.where, text)
        first.setdefault(key, version.name)


def untold(
    suite: Suite, right: Told, wrong: Sequence[Version], told: Mapping[str, Told]
) -> Iterator[Finding]:
    """The table from which students' mistakes are named, when it is not what these runs make."""
    path = table_path(suite.course, suite.exercise)
    if suite.course.private:
        return  # its calls are in no table, so that students' mistakes are named by the course's own tests
    if not path.is_file() or path.read_bytes() != diagnoses(right, wrong, told):
        where = path.relative_to(suite.course.root).as_posix()
        yield Finding(where, "is not what its source makes; run 'grader build'")


def make_diagnoses(course: Course, exercise: Exercise, tier: Tier) -> bytes:
    """Run the solution and every wrong version, and make the table.

    Raises:
        CourseError: Tests or misconceptions cannot be loaded.
        GraderError: The grader itself failed.
    """
    right, wrong = solution(course, exercise), list(Misconceptions(course, exercise).versions())
    halves = [[right, *wrong[::2]], wrong[1::2]]
    runs = run_apart(course, exercise, tier, halves)
    told = {
        version.name: one
        for half, run in zip(halves, runs, strict=True)
        for version, one in zip(half, run, strict=True)
    }
    return diagnoses(told[right.name], wrong, told)


def diagnoses(right: Told, wrong: Sequence[Version], told: Mapping[str, Told]) -> bytes:
    """That table, as it should be."""
    answers = ((v.task, v.name, v.explanation, told[v.name].answers) for v in wrong)
    return answer_table_bytes(right.answers, answers)
