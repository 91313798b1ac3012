"""Run the suite on versions of an exercise: in the sandbox as for submissions, and in pytest as students do.

Only the course's own code runs here, never a submission.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.base.errors import CourseError, GraderError
from grader.check.versions import Version, constants_of, solution
from grader.course.model import Course, Exercise
from grader.sandbox.tiers import Tier
from grader.suite.process import WorkerError, WorkerProcess
from grader.suite.run import Exchange

_SECONDS = 120
# Of this machine's environment only what Python needs to start and to make temporary files.
_KEPT = ("PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")


@dataclass(frozen=True)
class VersionRun:
    """What the suite reports on one version; a test is known by its node id below ``tests/``.

    ``passed`` has every test, ``complaints`` the first line of each failed one. ``answers`` are digests of
    what the functions returned, by function and call. ``exchanges`` are those of all tests.
    """

    passed: Mapping[str, bool]
    complaints: Mapping[str, str]
    answers: Mapping[str, Mapping[str, str]]
    exchanges: Sequence[Exchange] = ()


def run_in_sandbox(
    course: Course,
    exercise: Exercise,
    tier: Tier,
    twice: Sequence[Version],
    once: Sequence[Version],
    *,
    classes: bool = False,
) -> tuple[list[list[VersionRun]], dict[str, VersionRun]]:
    """Run versions on two workers side by side: those of ``twice`` on both, those of ``once`` on either.

    With ``classes`` only the classes of the exercise's criteria run, and not their whole files.

    Returns:
        The two runs of each version of ``twice``, and the run of each version of ``once`` by its name.

    Raises:
        CourseError: The tests cannot be collected.
        GraderError: The grader itself failed on a version.
    """
    constants = constants_of(exercise, solution(course, exercise).files)
    halves = [half for half in ([*twice, *once[::2]], [*twice, *once[1::2]]) if half]
    with ExitStack() as stack, ThreadPoolExecutor(len(halves)) as threads:
        workers = [
            stack.enter_context(
                closing(WorkerProcess(course, exercise, tier, constants, tells_all=True, classes=classes))
            )
            for _ in halves
        ]
        runs = list(threads.map(_run, workers, halves))
    named = (pair for half, ran in zip(halves, runs, strict=True) for pair in zip(half, ran, strict=True))
    return [list(pair) for pair in zip(*(ran[: len(twice)] for ran in runs), strict=True)], {
        version.name: run for version, run in named if version not in twice
    }


def _run(worker: WorkerProcess, versions: Iterable[Version]) -> list[VersionRun]:
    runs = []
    for version in versions:
        try:
            run = worker.run(version.files, notebook=version.notebook)
        except WorkerError as error:
            raise GraderError(f"{version.where}: {error}.") from None
        if run.fault:
            raise GraderError(f"{version.where}: the grader failed: {run.fault}.")
        entries = {entry["nodeid"]: entry for entry in run.report["tests"]}
        passed = {test: entry["outcome"] == "passed" for test, entry in entries.items()}
        complaints = {test: _complaint(entries[test]) for test in entries if not passed[test]}
        runs.append(VersionRun(passed, complaints, run.answers, run.exchanges))
    return runs


def _complaint(entry: Mapping[str, Any]) -> str:
    """The first line of a failed test's message."""
    stages = [entry[stage] for stage in ("setup", "call", "teardown") if stage in entry]
    texts = [stage.get("crash", {}).get("message") or stage.get("longrepr", "") for stage in stages]
    return next((str(text).strip().splitlines()[0] for text in texts if text), "it was not run")


def run_in_pytest(course: Course, tests: Sequence[Path], version: Version, seed: int) -> dict[str, bool]:
    """Run test files under plain pytest, as on a student's machine: real modules, a given hash seed.

    Returns:
        Whether each test passed, by its node id below ``tests/``.

    Raises:
        CourseError: pytest took too long, or wrote no report.
    """
    root = course.root / "tests"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        for name, data in version.files.items():
            Path(folder, name).write_bytes(data)
        command = [sys.executable, "-B", "-P", "-m", "pytest", "-c", os.devnull, "--rootdir", str(root)]
        command += ["--noconftest", "--import-mode=importlib", "-p", "no:cacheprovider", "--tb=line", "-q"]
        command += ["-p", "pytest_jsonreport.plugin", "--json-report", f"--json-report-file={report}"]
        environment = {
            **{key: os.environ[key] for key in _KEPT if key in os.environ},
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONHASHSEED": str(seed),
            "PYTHONPATH": folder,
        }
        try:
            done = subprocess.run(
                [*command, "--", *map(str, tests)],
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise CourseError(f"{version.where}: pytest took longer than {_SECONDS} seconds.") from None
        except OSError as error:
            raise CourseError(f"{version.where}: pytest could not be started: {error.strerror}.") from None
        try:
            entries = json.loads(report.read_bytes())["tests"]
        except (OSError, ValueError):
            last = done.stdout.decode(errors="replace").strip().splitlines()[-1:]
            raise CourseError(f"{version.where}: pytest wrote no report: {''.join(last)}") from None
    return {entry["nodeid"]: entry["outcome"] == "passed" for entry in entries}
