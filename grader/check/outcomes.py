"""Run the suite on each version: the solution must pass all, the stub nothing, and no mistake everything."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from grader.bundle.display import call_text
from grader.check.answers import make_table
from grader.check.editions import as_notebook
from grader.check.finding import Finding, at_key, build_call
from grader.check.runs import VersionRun, run_in_pytest, run_in_sandbox
from grader.check.testfiles import TestFile
from grader.check.versions import Misconceptions, Version, sentences_that_tell, solution, stub
from grader.course.model import Course, Criterion, Exercise, class_id, test_file
from grader.grading.diagnosis import AnswerTable, diagnose, load_answer_table, parse_answer_table, table_path
from grader.sandbox.tiers import Tier
from grader.suite.run import Exchange, answer_digests

LONGEST_ID = 60  # characters of a test's node id from which an 80-column terminal hides its message

_SEEDS = (1, 2)

Runs = Mapping[str, VersionRun]  # the run of each version, by the version's name


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

    def fails(self, criterion: Criterion, run: VersionRun) -> bool:
        """True if a version failed a test of the criterion's class."""
        place = f"{class_id(self.exercise, criterion)}::"
        return any(not passed for test, passed in run.passed.items() if test.startswith(place))


@dataclass(frozen=True)
class Cost:
    """What one misconception costs: the criteria lost of its task's, and the ids that are said of it."""

    name: str
    lost: tuple[str, ...]
    criteria: int
    said: tuple[str, ...]


def outcomes(suite: Suite) -> tuple[list[Finding], int, tuple[Cost, ...]]:
    """Run the suite on all versions; return findings, the number of tests, and each mistake's cost."""
    course, exercise = suite.course, suite.exercise
    right, empty = both = solution(course, exercise), stub(course, exercise)
    registry = Misconceptions(course, exercise)
    wrong = list(registry.versions())
    solved, unsolved = (as_notebook(course, exercise, one, solved=one is right) for one in both)
    runs, again = run_in_sandbox(course, exercise, suite.tier, [solved, unsolved, *wrong], twice=both)
    private, on_right = course.private, runs[right.name]
    paths = [file.path for file in suite.files if not (private and file.path.is_relative_to(private))]
    with ThreadPoolExecutor(2) as threads:
        calls = {
            version.name: [threads.submit(run_in_pytest, course, paths, version, seed) for seed in _SEEDS]
            for version in both
        }
        plain = {name: [call.result() for call in some] for name, some in calls.items()}
    findings = [
        Finding(suite.line(test), f"{name} has {len(name)} characters; shorten it to {LONGEST_ID}")
        for test in on_right.passed
        if len(name := test.rpartition("/")[2]) > LONGEST_ID
    ]
    findings += solved_or_not(suite, right, empty, runs)
    for version in both:
        findings += unsteady(suite, version, [runs[version.name], again[version.name]], plain[version.name])
    findings += registry.findings()
    findings += registry.unfit(e.request for e in on_right.exchanges if e.request["verb"] == "call")
    answers = load_answer_table(course, exercise)
    if not on_right.complaints:
        findings += solved_or_not(suite, solved, unsolved, runs)
        findings += told_apart(suite, wrong, runs)
        findings += shortcuts(suite, on_right)
        asked = [e.request for e in on_right.exchanges if not e.test.startswith("visible/")]
        hidden = [
            call_text(one["name"], one["arguments"], dict(one["keywords"]))
            for one in asked
            if one["verb"] == "call" and one["arguments"]
        ]
        findings += sentences_that_tell(course, exercise, registry, hidden)
        path = table_path(course, exercise)
        # Private calls are in no table, so that students' mistakes are named by the course's own tests.
        if wrong and not private:
            table = make_table(registry, right, on_right)
            if not (path.is_file() and path.read_bytes() == table):
                text = f"is not what its source makes; run '{build_call(course, exercise)}'"
                findings.append(Finding(path.relative_to(course.root).as_posix(), text))
            answers = parse_answer_table(table)
    return findings, len(on_right.passed), tuple(costs(suite, wrong, runs, answers))


def solved_or_not(suite: Suite, right: Version, empty: Version, runs: Runs) -> Iterator[Finding]:
    """Find tests that the reference solution does not pass, and those that the stub passes."""
    what = " as a notebook" if right.notebook else ""
    for test, complaint in runs[right.name].complaints.items():
        text = f"the solution{what} does not pass it ({complaint}); correct one of them"
        yield Finding(suite.line(test), text)
    for test, passed in runs[empty.name].passed.items():
        if passed:
            text = f"the stub{what} passes it; ask what an unwritten answer cannot know"
            yield Finding(suite.line(test), text)


def unsteady(
    suite: Suite, version: Version, runs: Sequence[VersionRun], plain: Sequence[Mapping[str, bool]]
) -> Iterator[Finding]:
    """Find tests with an outcome that changes from run to run, or between the grader and pytest."""
    seen = dict(zip(("in the grader", "in the grader again"), (run.passed for run in runs), strict=True))
    seen |= {f"in pytest with hash seed {seed}": run for seed, run in zip(_SEEDS, plain, strict=True)}
    for test in runs[0].passed:
        passing = [where for where, passed in seen.items() if passed.get(test)]
        if passing and len(passing) < len(seen) and not test.startswith("private/"):
            failing = next(where for where in seen if where not in passing)
            text = f"on {version.where} it passes {passing[0]} and fails {failing}"
            yield Finding(suite.line(test), f"{text}; let it depend on answers alone")


def told_apart(suite: Suite, wrong: Sequence[Version], runs: Runs) -> Iterator[Finding]:
    """Find what wrong versions show of tests: too few, or several criteria that have no idea each.

    A version must lose a point and answer like no other one of its task. A criterion must fail on a version
    on which no other one fails, and on other versions than each of the others.
    """
    first: dict[str, str] = {}
    failed: dict[str, dict[str, list[str]]] = {}  # by task and version, the criteria that are lost
    for version in wrong:
        criteria, run = suite.exercise.criteria_of(version.task), runs[version.name]
        lost = [one for one in criteria if suite.fails(one, run)]
        failed.setdefault(version.task, {})[version.name] = [one.id for one in lost if not one.private]
        if not lost:
            text = f"{version.name} earns all points of {version.task}; add a test that it does not pass"
            yield Finding(version.where, text)
        errors = {error for e in run.exchanges for error in e.verdict.get("classes", ())[:1]}
        if slips := errors & {"NameError", "ImportError", "ModuleNotFoundError"}:
            text = f"{version.name} raises {min(slips)}, and so tests nothing; correct the slip"
            yield Finding(version.where, text)
        key = json.dumps([version.task, run.answers.get(version.task, {})], sort_keys=True)
        if first.get(key, version.name) != version.name:
            text = f"{version.name} answers every test as {first[key]} does; merge them or add a test"
            yield Finding(version.where, text)
        first.setdefault(key, version.name)
    for task, lost_by in failed.items():
        criteria = suite.exercise.public.criteria_of(task)
        versions = {one.id: {name for name, some in lost_by.items() if one.id in some} for one in criteria}
        paired: set[str] = set()
        for one, other in itertools.combinations(versions, 2):
            if versions[one] == versions[other]:
                paired |= {one, other}
                text = f"and {other} fail on the same wrong versions; add one that breaks only one idea"
                yield at_key(suite.exercise, f"criterion.{one}", text)
        for one, mine in versions.items():
            others = {name: [other for other in lost_by[name] if other != one] for name in mine}
            if one not in paired and all(others.values()):
                near = min(others, key=lambda name: (len(others[name]), name), default="")
                like = f" ({near} also fails {' and '.join(others[near])})" if near else ""
                text = f"never fails alone{like}; add a wrong version that breaks this idea only"
                yield at_key(suite.exercise, f"criterion.{one}", text)


def shortcuts(suite: Suite, right: VersionRun) -> Iterator[Finding]:
    """Find criteria that are earned without thought: with one answer to every call, or an argument."""

    def answer(call: Exchange) -> str:
        return json.dumps([call.verdict.get("value"), call.verdict.get("classes")])

    def arguments(call: Exchange) -> dict[Any, str]:
        given = dict([*enumerate(call.request["arguments"], 1), *call.request["keywords"]])
        return {key: json.dumps([value, None]) for key, value in given.items()}

    for criterion in suite.exercise.criteria:
        place = f"{class_id(suite.exercise, criterion)}::"
        mine = (call for call in right.exchanges if call.test.startswith(place))
        calls = [call for call in mine if call.request["name"] == criterion.task]
        back = [{key for key, value in arguments(call).items() if value == answer(call)} for call in calls]
        text = ""
        if len({answer(call) for call in calls}) == 1:
            text = "all its calls expect one answer; add one that expects another"
        elif calls and (given := sorted(map(str, set.intersection(*back)))):
            text = f"all its calls expect argument {given[0]} back; add one that expects something else"
        if text:
            yield at_key(suite.exercise, f"criterion.{criterion.id}.tests", text)


def costs(suite: Suite, wrong: Sequence[Version], runs: Runs, table: AnswerTable) -> Iterator[Cost]:
    """Find for each wrong version the criteria that it loses, and what its student would be told."""
    for version in wrong:
        run, criteria = runs[version.name], suite.exercise.criteria_of(version.task)
        lost = tuple(criterion.id for criterion in criteria if suite.fails(criterion, run))
        visible = answer_digests(e for e in run.exchanges if not e.test or e.test.startswith("visible/"))
        found = diagnose(table, run.answers, visible)
        said = tuple(one.misconception for one in found if one.task == version.task)
        yield Cost(version.name, lost, len(criteria), said)
