"""Check tasks quickly while a lesson is written: remember outcomes, leave out generated files.

What a version did in a test class is kept in ``.check/NAME.json``, under a digest of all that it depends on.
"""

import ast
import contextlib
import hashlib
import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from grader import __version__
from grader.base.errors import CourseError
from grader.base.files import write_whole
from grader.check import Checked, static_findings
from grader.check.finding import Finding
from grader.check.outcomes import Suite, shortcuts, solved_or_not, told_apart
from grader.check.runs import VersionRun, run_in_sandbox
from grader.check.versions import Misconceptions, Version, solution
from grader.course.model import Course, Criterion, Exercise, class_id, test_file
from grader.lesson.stubs import stub_text
from grader.sandbox.tiers import Tier
from grader.suite.run import answer_digests

FOLDER = ".check"


def check_quickly(course: Course, exercise: Exercise, tier: Tier, tasks: Iterable[str]) -> Checked:
    """Check these tasks: their tests on the solution, the stub and their wrong versions."""
    count = sum(len(exercise.criteria_of(task)) for task in tasks)
    found, files = static_findings(course, exercise, quick=True)
    if files is None:
        return Checked(tuple(found), count)
    path = course.root / FOLDER / f"{exercise.name}.json"
    known: dict[str, dict[str, VersionRun]] = {}
    with contextlib.suppress(OSError, msgspec.DecodeError):  # what is missing or damaged is run again
        known = msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, VersionRun]])
    tests = wrong = 0
    try:
        right, registry = solution(course, exercise), Misconceptions(course, exercise)
        stubs = {
            name: stub_text(data.decode(), f"{right.where}/{name}").encode()
            for name, data in right.files.items()
        }
        empty = Version("exercises", f"exercises/{exercise.name}", stubs)
        found += registry.findings()
        for task in tasks:
            suite = Suite(course, replace(exercise, criteria=exercise.criteria_of(task)), tier, files)
            mine = list(registry.versions(task))
            runs, known[task] = _runs(suite, [right, empty, *mine], known.get(task, {}))
            found += solved_or_not(suite, right, empty, runs)
            if not runs[right.name].complaints:
                found += [*told_apart(suite, mine, runs), *shortcuts(suite, runs[right.name])]
            tests, wrong = tests + len(runs[right.name].passed), wrong + len(mine)
    except CourseError as error:
        return Checked((*found, Finding.of(error)), count)
    write_whole(path, msgspec.json.encode(known), durable=False)
    return Checked(tuple(dict.fromkeys(found)), count, tests, wrong=wrong, ran=True)


def _runs(
    suite: Suite, versions: Sequence[Version], known: Mapping[str, VersionRun]
) -> tuple[dict[str, VersionRun], dict[str, VersionRun]]:
    """Run what is not remembered; return the runs by the version's name, and those of each class by digest.

    The first version is the solution: of its runs the exchanges are kept, too.
    """
    criteria = suite.exercise.criteria
    bases = {criterion.id: _basis(suite, criterion) for criterion in criteria}
    digests = {(v.name, one): _digest(basis, v) for v in versions for one, basis in bases.items()}
    kept = {digest: known[digest] for digest in digests.values() if digest in known}
    missing = {key for key, digest in digests.items() if digest not in kept}
    if missing:
        todo = [version for version in versions if any(name == version.name for name, _ in missing)]
        asked = tuple(criterion for criterion in criteria if any(one == criterion.id for _, one in missing))
        exercise = replace(suite.exercise, criteria=asked)
        fresh, _ = run_in_sandbox(suite.course, exercise, suite.tier, todo, classes=True)
        for version, criterion in itertools.product(todo, asked):
            run = _of_class(fresh[version.name], f"{class_id(exercise, criterion)}::")
            kept[digests[version.name, criterion.id]] = (
                run if version is versions[0] else replace(run, exchanges=())
            )
    joined = {}
    for version in versions:
        parts = [kept[digests[version.name, criterion.id]] for criterion in criteria]
        answers: dict[str, dict[str, str]] = defaultdict(dict)
        for name, some in (pair for part in parts for pair in part.answers.items()):
            answers[name].update(some)
        joined[version.name] = VersionRun(
            {test: passed for part in parts for test, passed in part.passed.items()},
            {test: text for part in parts for test, text in part.complaints.items()},
            answers,
            [exchange for part in parts for exchange in part.exchanges],
        )
    return joined, kept


def _of_class(run: VersionRun, place: str) -> VersionRun:
    """Take out of a run what belongs to one test class, and what was read outside of tests."""
    mine = [exchange for exchange in run.exchanges if exchange.test.startswith(place)]
    return VersionRun(
        {test: passed for test, passed in run.passed.items() if test.startswith(place)},
        {test: text for test, text in run.complaints.items() if test.startswith(place)},
        answer_digests([*mine, *(exchange for exchange in run.exchanges if not exchange.test)]),
        mine,
    )


def _basis(suite: Suite, criterion: Criterion) -> bytes:
    """Collect what a run depends on beside the version: test class, code beside it, limits, sandbox."""
    place = test_file(suite.course, suite.exercise, criterion)
    file = next(file for file in suite.files if file.path == place)
    body = [n for n in file.tree.body if not isinstance(n, ast.ClassDef) or n.name == criterion.tests]
    parts = [__version__, suite.tier.name, repr(suite.exercise.limits), str(place), *map(ast.dump, body)]
    return "\0".join(parts).encode()


def _digest(basis: bytes, version: Version) -> str:
    total = hashlib.sha256(basis)
    for name, data in version.files.items():
        total.update(f"\0{name}\0{len(data)}\0".encode() + data)
    return total.hexdigest()
