"""Run the suite on each version: the solution must pass all, the stub nothing, and no mistake everything."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from grader.check.answers import make_table
from grader.check.editions import as_notebook
from grader.check.finding import Finding, at_key, build_call
from grader.check.runs import VersionRun, run_in_pytest, run_in_sandbox
from grader.check.testfiles import TestFile
from grader.check.versions import Misconceptions, Version, solution, stub
from grader.course.model import Course, Criterion, Exercise, class_id, test_file
from grader.grading.diagnosis import diagnose, load_answer_table, table_path
from grader.sandbox.tiers import Tier
from grader.suite.run import Exchange, answer_digests

LONGEST_ID = 60
"""Characters of a test's node id from which an 80-column terminal hides its message."""

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
        """Return where a test is defined, as ``file:line``, from its node id."""
        path, group, name = test.split("::")[:3]
        source = next(
            test_file(self.course, self.exercise, criterion)
            for criterion in self.exercise.criteria
            if class_id(self.exercise, criterion) == f"{path}::{group}"
        )
        file = next(file for file in self.files if file.path == source)
        return file.line(group, name.partition("[")[0])


@dataclass(frozen=True)
class Cost:
    """What one misconception costs: the criteria lost of its task's, and the ids that are said of it."""

    name: str
    lost: tuple[str, ...]
    criteria: int
    said: tuple[str, ...]


@dataclass(frozen=True)
class Outcomes:
    """The findings of all runs, the number of tests that were run, and the cost of each wrong version."""

    findings: tuple[Finding, ...]
    tests: int
    costs: tuple[Cost, ...]


def outcomes(suite: Suite) -> Outcomes:
    """Run the suite on the solution, the stub and every wrong version.

    Raises:
        CourseError: Tests or misconceptions cannot be loaded.
        GraderError: The grader itself failed.
    """
    course, exercise = suite.course, suite.exercise
    right, empty = solution(course, exercise), stub(course, exercise)
    registry = Misconceptions(course, exercise)
    wrong = list(registry.versions())
    solved, unsolved = (as_notebook(course, exercise, one, solved=one is right) for one in (right, empty))
    (on_right, on_empty), runs = run_in_sandbox(
        course, exercise, suite.tier, (right, empty), [solved, unsolved, *wrong]
    )
    private = course.private
    paths = [file.path for file in suite.files if not (private and file.path.is_relative_to(private))]
    with ThreadPoolExecutor(2) as threads:
        calls = [
            threads.submit(run_in_pytest, course, paths, version, seed)
            for version in (right, empty)
            for seed in _SEEDS
        ]
        plain = [call.result() for call in calls]
    findings = [
        *long_ids(suite, on_right[0]),
        *rejected(suite, right, on_right[0]),
        *accepted(suite, empty, on_empty[0]),
        *unsteady(suite, right, on_right, plain[:2]),
        *unsteady(suite, empty, on_empty, plain[2:]),
        *registry.findings(),
        *registry.unfit(e.request for e in on_right[0].exchanges if e.request["verb"] == "call"),
    ]
    if all(on_right[0].passed.values()):
        findings += rejected(suite, solved, runs[solved.name])
        findings += accepted(suite, unsolved, runs[unsolved.name])
        findings += told_apart(suite, wrong, runs)
        findings += shortcuts(suite, on_right[0])
        path = table_path(course, exercise)
        # Private calls are in no table, so that students' mistakes are named by the course's own tests.
        if wrong and not private:
            table = make_table(registry, right, on_right[0])
            if not (path.is_file() and path.read_bytes() == table):
                where = path.relative_to(course.root).as_posix()
                findings.append(
                    Finding(where, f"is not what its source makes; run '{build_call(course, exercise)}'")
                )
    return Outcomes(tuple(findings), len(on_right[0].passed), tuple(costs(suite, wrong, runs)))


def told_apart(suite: Suite, wrong: Sequence[Version], runs: Mapping[str, VersionRun]) -> Iterator[Finding]:
    """Find what the wrong versions show of tests: too few, or several criteria that are one."""
    yield from unnoticed(suite, wrong, runs)
    yield from indistinct(wrong, runs)
    yield from inseparable(suite, wrong, runs)


def long_ids(suite: Suite, right: VersionRun) -> Iterator[Finding]:
    """Find tests with a name that is too long."""
    for test in right.passed:
        name = test.rpartition("/")[2]
        if len(name) > LONGEST_ID:
            text = f"{name} has {len(name)} characters; shorten it to {LONGEST_ID}"
            yield Finding(suite.line(test), text)


def rejected(suite: Suite, right: Version, run: VersionRun) -> Iterator[Finding]:
    """Find tests that the reference solution does not pass."""
    what = "the solution as a notebook" if right.notebook else "the solution"
    for test, complaint in run.complaints.items():
        yield Finding(suite.line(test), f"{what} does not pass it ({complaint}); correct one of them")


def accepted(suite: Suite, empty: Version, run: VersionRun) -> Iterator[Finding]:
    """Find tests that the stub passes."""
    what = "the stub as a notebook" if empty.notebook else "the stub"
    for test, passed in run.passed.items():
        if passed:
            yield Finding(suite.line(test), f"{what} passes it; ask what an unwritten answer cannot know")


def unsteady(
    suite: Suite, version: Version, runs: Sequence[VersionRun], plain: Sequence[Mapping[str, bool]]
) -> Iterator[Finding]:
    """Find tests with an outcome that changes from run to run, or between the grader and pytest."""
    seen = dict(zip(("in the grader", "in the grader again"), (run.passed for run in runs), strict=True))
    seen |= {f"in pytest with hash seed {seed}": run for seed, run in zip(_SEEDS, plain, strict=True)}
    for test in runs[0].passed:
        passing = [where for where, passed in seen.items() if passed.get(test)]
        if passing and len(passing) < len(seen) and not test.startswith(_PRIVATE):
            failing = next(where for where in seen if where not in passing)
            text = f"on {version.where} it passes {passing[0]} and fails {failing}"
            yield Finding(suite.line(test), f"{text}; let it depend on answers alone")


def unnoticed(suite: Suite, wrong: Sequence[Version], runs: Mapping[str, VersionRun]) -> Iterator[Finding]:
    """Find wrong versions that earn all points of their task."""
    for version in wrong:
        criteria = suite.exercise.criteria_of(version.task)
        if not any(_fails(suite, criterion, runs[version.name]) for criterion in criteria):
            text = f"{version.name} earns all points of {version.task}; add a test that it does not pass"
            yield Finding(version.where, text)


def inseparable(suite: Suite, wrong: Sequence[Version], runs: Mapping[str, VersionRun]) -> Iterator[Finding]:
    """Find criteria that fail on the same wrong versions, or never alone: they may not have an idea each."""
    for task in dict.fromkeys(version.task for version in wrong):
        criteria = suite.exercise.public.criteria_of(task)
        mine = [version.name for version in wrong if version.task == task]
        failed = {c.id: {name for name in mine if _fails(suite, c, runs[name])} for c in criteria}
        paired: set[str] = set()
        for one, other in itertools.combinations(failed, 2):
            if failed[one] == failed[other]:
                paired |= {one, other}
                text = f"and {other} fail on the same wrong versions; add one that breaks only one idea"
                yield at_key(suite.exercise, f"criterion.{one}", text)
        for name, versions in failed.items():
            others = {v: [one for one in failed if one != name and v in failed[one]] for v in versions}
            if name not in paired and all(others.values()):
                near = min(others, key=lambda version: (len(others[version]), version), default="")
                like = f" ({near} also fails {' and '.join(others[near])})" if near else ""
                text = f"never fails alone{like}; add a wrong version that breaks this idea only"
                yield at_key(suite.exercise, f"criterion.{name}", text)


def _fails(suite: Suite, criterion: Criterion, run: VersionRun) -> bool:
    place = f"{class_id(suite.exercise, criterion)}::"
    return any(not passed for test, passed in run.passed.items() if test.startswith(place))


def shortcuts(suite: Suite, right: VersionRun) -> Iterator[Finding]:
    """Find criteria that are earned without thought: with one answer to every call, or an argument."""
    for criterion in suite.exercise.criteria:
        place = f"{class_id(suite.exercise, criterion)}::"
        calls = [
            exchange
            for exchange in right.exchanges
            if exchange.test.startswith(place) and exchange.request["name"] == criterion.task
        ]
        if not calls:
            continue
        first, *others = (json.dumps(_answer(call)) for call in calls)
        arguments = [dict([*enumerate(c.request["arguments"], 1), *c.request["keywords"]]) for c in calls]
        known = set.intersection(*map(set, arguments))
        given = [
            key
            for key in sorted(known, key=str)
            if all(
                json.dumps([some[key], None]) == json.dumps(_answer(call))
                for some, call in zip(arguments, calls, strict=True)
            )
        ]
        if all(other == first for other in others):
            text = "all its calls expect one answer; add one that expects another"
        elif given:
            text = f"all its calls expect argument {given[0]} back; add one that expects something else"
        else:
            continue
        yield at_key(suite.exercise, f"criterion.{criterion.id}.tests", text)


def _answer(call: Exchange) -> list[Any]:
    """Return the value and the error of a call, one of which is None."""
    return [call.verdict.get("value"), call.verdict.get("classes")]


def costs(suite: Suite, wrong: Sequence[Version], runs: Mapping[str, VersionRun]) -> Iterator[Cost]:
    """Find for each wrong version the criteria that it loses, and what its student would be told."""
    table = load_answer_table(suite.course, suite.exercise)
    for version in wrong:
        run, criteria = runs[version.name], suite.exercise.criteria_of(version.task)
        lost = tuple(criterion.id for criterion in criteria if _fails(suite, criterion, run))
        visible = answer_digests(e for e in run.exchanges if not e.test or e.test.startswith("visible/"))
        said = [
            one.misconception for one in diagnose(table, run.answers, visible) if one.task == version.task
        ]
        yield Cost(version.name, lost, len(criteria), tuple(said))


def indistinct(wrong: Sequence[Version], runs: Mapping[str, VersionRun]) -> Iterator[Finding]:
    """Find wrong versions of one task that answer every test in the same way."""
    first: dict[str, str] = {}
    for version in wrong:
        answers = runs[version.name].answers.get(version.task, {})
        key = json.dumps([version.task, dict(answers)], sort_keys=True)
        if key in first:
            text = f"{version.name} answers every test as {first[key]} does; merge them or add a test"
            yield Finding(version.where, text)
        first.setdefault(key, version.name)
