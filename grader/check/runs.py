"""Run the suite on versions of an exercise: in the sandbox as for submissions, and in pytest as students do.

Only the course's own code runs here, never a submission.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from grader.base.errors import CourseError, GraderError
from grader.check.versions import Version, constants_of, solution
from grader.course.model import Course, Exercise
from grader.sandbox.tiers import Tier
from grader.suite.process import WorkerError, WorkerProcess
from grader.suite.run import Exchange

_SECONDS = 120
# Of this machine's environment only what Python needs to start and to make temporary files.
_KEPT = ("PATH", "TMPDIR", "TEMP", "TMP")


@dataclass(frozen=True)
class VersionRun:
    """What the suite reports on one version; a test is known by its node id below ``tests/``."""

    passed: Mapping[str, bool]
    complaints: Mapping[str, str]  # the first line of each failed test
    answers: Mapping[str, Mapping[str, str]]  # digests of what the functions returned, by function and call
    exchanges: Sequence[Exchange] = ()  # those of all tests


def run_in_sandbox(
    course: Course,
    exercise: Exercise,
    tier: Tier,
    versions: Sequence[Version],
    *,
    twice: Sequence[Version] = (),
    classes: bool = False,
) -> tuple[dict[str, VersionRun], dict[str, VersionRun]]:
    """Run versions on two workers side by side, and those of ``twice`` on both.

    With ``classes`` only the classes of the exercise's criteria run, and not their whole files. Returns the
    runs of all versions by name, and those of the second worker.
    """
    constants = constants_of(exercise, solution(course, exercise).files)

    def run_half(half: Sequence[Version]) -> dict[str, VersionRun]:
        if not half:
            return {}
        worker = WorkerProcess(course, exercise, tier, constants, tells_all=True, classes=classes)
        with closing(worker):
            return {version.name: run_on(worker, version) for version in half}

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(run_half, ([*twice, *versions[::2]], [*twice, *versions[1::2]]))
    return second | first, second


def run_on(worker: WorkerProcess, version: Version) -> VersionRun:
    """Run the suite on one version."""
    try:
        run = worker.run(version.files, notebook=version.notebook)
    except WorkerError as error:
        raise GraderError(f"{version.where}: {error}.") from None
    if run.fault:
        raise GraderError(f"{version.where}: the grader failed: {run.fault}.")
    passed, complaints = {}, {}
    for entry in run.report["tests"]:
        test = entry["nodeid"]
        passed[test] = entry["outcome"] == "passed"
        if not passed[test]:
            stages = [entry[stage] for stage in ("setup", "call", "teardown") if stage in entry]
            texts = [one.get("crash", {}).get("message") or one.get("longrepr", "") for one in stages]
            lines = (str(text).strip().splitlines()[0] for text in texts if text)
            complaints[test] = next(lines, "it was not run")
    return VersionRun(passed, complaints, run.answers, run.exchanges)


def run_in_pytest(course: Course, tests: Sequence[Path], version: Version, seed: int) -> dict[str, bool]:
    """Run test files under plain pytest, as on a student's machine; return whether each passed, by node id.

    Raises CourseError if pytest took too long, or wrote no report.
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
        try:
            entries = json.loads(report.read_bytes())["tests"]
        except (OSError, ValueError):
            last = done.stdout.decode(errors="replace").strip().splitlines()[-1:]
            raise CourseError(f"{version.where}: pytest wrote no report: {''.join(last)}") from None
    return {entry["nodeid"]: entry["outcome"] == "passed" for entry in entries}
