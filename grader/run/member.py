"""Grade chunks of a run in the process of a Dask worker.

A worker that joins a run proves that its grader is the same as ours, chooses the best sandbox of its machine,
and keeps the course's tests in a folder of its own, which is removed with the run or with the worker.
"""

import hashlib
import pickle
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from grader.base.errors import GraderError
from grader.course.model import Course, Exercise
from grader.grading.workers import Graded, Grader, by_student
from grader.sandbox.host import choose_tier
from grader.sandbox.tiers import Tier
from grader.sources.submission import Submission


@dataclass(frozen=True)
class Order:
    """What a worker needs for every chunk: the course, its files by relative path, and the sandbox to use."""

    course: Course
    files: Mapping[str, bytes] = field(repr=False)
    exercise: str
    sandbox: str
    unsafe: bool


@dataclass(frozen=True)
class _Joined:
    """What this process keeps of one run: the course in a folder of its own, and its Graders.

    ``guard`` is a process that removes the folder when our pipe to it closes, also because we were killed.
    """

    course: Course
    exercise: Exercise
    tier: Tier
    guard: subprocess.Popen[bytes]
    graders: list[Grader] = field(default_factory=list)
    idle: list[Grader] = field(default_factory=list)


_runs: dict[str, _Joined] = {}


def kit() -> str:
    """Name what grades here: a digest of all files of the package, and the versions that decide outcomes."""
    package = Path(__file__).parents[1]
    total = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            data = path.read_bytes()
            total.update(f"{path.relative_to(package)} {len(data)}\n".encode() + data)
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"grader {total.hexdigest()[:12]}, Python {python}, pytest {pytest.__version__}"


def join(run: str, theirs: str, order_bytes: bytes, dask_worker: Any) -> Mapping[str, str]:
    """Join a run; return this host with its tier, or this host with ``why`` it cannot grade.

    Dask gives ``dask_worker`` to a function with an argument of this name.
    """
    host = socket.gethostname()
    if (ours := kit()) != theirs:
        return {"host": host, "why": f"has {ours}, and not {theirs}; install the same there."}
    order: Order = pickle.loads(order_bytes)  # noqa: S301 - its sender may run any code here
    exercise = order.course.exercise(order.exercise)
    try:
        tier = choose_tier(order.sandbox, exercise.limits, unsafe=order.unsafe)
    except GraderError as error:
        return {"host": host, "why": f"cannot grade safely: {error}"}
    # Dask, too, removes what a killed worker left in its folder: when the next one starts there.
    folder = Path(tempfile.mkdtemp(prefix="course-", dir=dask_worker.local_directory))
    remove = ["sh", "-c", 'read -r end; rm -rf -- "$1"', "guard", str(folder)]
    guard = subprocess.Popen(remove, stdin=subprocess.PIPE, cwd="/", start_new_session=True)
    for name, data in order.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    private = folder / "private" if order.course.private else None
    course = replace(order.course, root=folder / "course", private=private)
    _runs[run] = _Joined(course, exercise, tier, guard)
    return {"host": host, "tier": tier.title.partition(":")[0]}


def grade_chunk(run: str, submissions: Sequence[Submission]) -> list[Graded]:
    """Grade a chunk with a Grader that an earlier chunk left warm, or a new one.

    Raises GraderError if this process did not join the run, or left it.
    """
    if not (joined := _runs.get(run)):
        raise GraderError("it did not join this run")
    try:
        grader = joined.idle.pop()
    except IndexError:
        grader = Grader(joined.course, joined.exercise, joined.tier)
        joined.graders.append(grader)
    try:
        return [one for attempts in by_student(submissions) for one in grader.grade_attempts(attempts)]
    finally:
        joined.idle.append(grader)
        if run not in _runs:  # the run ended meanwhile
            grader.close()


def leave(run: str) -> None:
    """End a run in this process, whatever it is doing, and remove the course."""
    if joined := _runs.pop(run, None):
        for grader in joined.graders:
            grader.stop()
        for grader in joined.idle:
            grader.close()
        joined.guard.communicate()
