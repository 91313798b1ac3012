"""Versions -> what the suite says of them, in the sandbox and by the same way as submissions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

from grader.base.errors import GraderError
from grader.check.versions import Version
from grader.course.model import Course, Exercise
from grader.sandbox.tiers import Tier
from grader.suite.process import WorkerError, WorkerProcess


@dataclass(frozen=True)
class Told:
    """One version's run: whether each test passed, what each failed one said, and what was answered.

    Tests are known by their node ids below ``tests/``; ``answers`` are digests, by function and call.
    """

    passed: Mapping[str, bool]
    complaints: Mapping[str, str]
    answers: Mapping[str, Mapping[str, str]]


def run_apart(
    course: Course, exercise: Exercise, tier: Tier, versions: Sequence[Sequence[Version]]
) -> list[list[Told]]:
    """Run each list of versions on a worker of its own, side by side.

    Raises:
        CourseError: The tests cannot be collected.
        GraderError: The grader itself failed on a version.
    """
    with ExitStack() as stack, ThreadPoolExecutor(len(versions)) as threads:
        workers = [stack.enter_context(closing(WorkerProcess(course, exercise, tier))) for _ in versions]
        return list(threads.map(_run, workers, versions))


def _run(worker: WorkerProcess, versions: Iterable[Version]) -> list[Told]:
    told = []
    for version in versions:
        try:
            run = worker.run(version.files)
        except WorkerError as error:
            raise GraderError(f"{version.where}: {error}.") from None
        if run.fault:
            raise GraderError(f"{version.where}: the grader failed: {run.fault}.")
        entries = run.report["tests"]
        told.append(
            Told(
                {entry["nodeid"]: entry["outcome"] == "passed" for entry in entries},
                {entry["nodeid"]: _complaint(entry) for entry in entries if entry["outcome"] != "passed"},
                run.answers,
            )
        )
    return told


def _complaint(entry: Mapping[str, Any]) -> str:
    """The first line of what a test said when it failed."""
    stages = [entry[stage] for stage in ("setup", "call", "teardown") if stage in entry]
    texts = [stage.get("crash", {}).get("message") or stage.get("longrepr", "") for stage in stages]
    return next((str(text).strip().splitlines()[0] for text in texts if text), "it was not run")
