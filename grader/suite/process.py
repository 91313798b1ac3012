"""Start a worker process, read the list of tests that it collected, and send it submissions."""

import hashlib
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from grader.base.errors import CourseError, GraderError
from grader.base.text import one_line
from grader.course.model import Course, Exercise, class_id, test_file
from grader.sandbox.tiers import Tier
from grader.suite.channel import receive, send
from grader.suite.memory import Shared
from grader.suite.notebook import Notebook
from grader.suite.run import Job, Run, Setup


def group_tests(exercise: Exercise, tests: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return our own list of tests: for each criterion's id the node ids of its class."""
    rest = dict.fromkeys(tests)
    groups: dict[str, tuple[str, ...]] = {}
    for criterion in exercise.criteria:
        prefix = class_id(exercise, criterion) + "::"
        groups[criterion.id] = tuple(test for test in rest if test.startswith(prefix))
        if not groups[criterion.id]:
            raise CourseError(
                f"{criterion.file}: exercise.{exercise.name}.criterion.{criterion.id}.tests: "
                f"there is no test in {_place(prefix)}; write the class or name another."
            )
        for test in groups[criterion.id]:
            del rest[test]
    if rest:
        raise CourseError(
            f"{_place(next(iter(rest)))}: its class earns no points; add a criterion or remove the test."
        )
    return groups


def _place(test: str) -> str:
    """Return the path of a node id as the reader knows it: in the course's folder or the private one."""
    place, private, rest = test.removesuffix("::").partition("private/")
    return f"the private folder's tests/hidden/{rest}" if private and not place else f"tests/{place}"


# Added to a submission's own time limit: for the start of a worker, pytest, and a busy machine.
_EXTRA_SECONDS = 120.0
_ENDING_SECONDS = 10.0
_STDERR_TAIL = 200  # characters of a worker's last error output that its fault quotes


class WorkerError(GraderError):
    """A worker ended in the middle of its work, or did not answer in time; the text ends with its stderr."""


class WorkerProcess:
    """A worker that has collected the tests; ``tests`` are their node ids in order.

    ``constants`` are read from every submission, by file; ``shared`` are class runs that all workers know.
    With ``tells_all`` a Run has the exchanges of all tests, also hidden ones, which feedback must never see.
    With ``classes`` only the classes of the exercise's criteria are collected, and not their whole files.
    """

    def __init__(
        self,
        course: Course,
        exercise: Exercise,
        tier: Tier,
        constants: Mapping[str, Sequence[str]] | None = None,
        *,
        shared: Shared | None = None,
        tells_all: bool = False,
        classes: bool = False,
    ) -> None:
        self._shared, self._told = shared or Shared(), 0
        places = [
            (test_file(course, exercise, criterion), criterion.tests) for criterion in exercise.criteria
        ]
        tests = (f"{file}::{group}" if classes else str(file) for file, group in places)
        self._channel, theirs = socket.socketpair()
        # A file and not a pipe: nobody has to read it while the worker runs.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._last_output = ""
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "grader.suite.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                env=_environment(),
            )
        setup = Setup(
            files=exercise.functions,
            constants=constants or {},
            limits=exercise.limits,
            tier=tier.name,
            tests=[*dict.fromkeys(tests)],
            root=str(course.root / "tests"),
            private=str(course.private / "tests" / "hidden") if course.private else "",
            tells_all=tells_all,
        )
        self._patience = exercise.limits.submission_wall_seconds + _EXTRA_SECONDS
        answer = self._request(setup, dict[str, Any])
        if "tests" not in answer:
            self.close()
            raise CourseError(f"The tests could not be collected: {answer['refused']}")
        self.tests: Sequence[str] = answer["tests"]

    def run(self, files: Mapping[str, bytes], share: float = 1.0, notebook: Notebook | None = None) -> Run:
        """Run all tests on a submission's files, within this share of its seconds.

        A ``notebook`` stands for the expected files that are not there. Raises WorkerError if the worker
        ended, or did not answer in time.
        """
        told = self._shared.since(self._told)
        self._told += len(told)
        run: Run = self._request(Job(files, share, notebook, told), Run)
        self._told = self._shared.add(run.told, self._told)
        return run

    def _request(self, message: Any, kind: Any) -> Any:
        try:
            send(self._channel, message)
            answer = receive(self._channel, kind, seconds=self._patience)
            is_late = False
        except OSError as error:
            answer, is_late = None, isinstance(error, TimeoutError)
        if answer is None:
            self.close()
            what = "did not answer in time" if is_late else f"ended unexpectedly ({self._process.returncode})"
            said = f"; its last error output: {self._last_output}" if self._last_output else ""
            raise WorkerError(f"a worker of the grader {what}{said}")
        return answer

    def kill(self) -> None:
        """End the worker at once; a ``run`` that waits for it raises WorkerError."""
        self._process.kill()

    def close(self) -> None:
        """End the worker, its zygote and its child, and keep the tail of its stderr."""
        self._channel.close()
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if not self._stderr.closed:
            with self._stderr as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - 4 * _STDERR_TAIL))
                tail = file.read().decode(errors="replace")
            self._last_output = one_line(tail, 16 * _STDERR_TAIL)[-_STDERR_TAIL:]


def report_versions() -> str:
    """Name what pytest's report depends on beside the tests: Python, pytest, its JSON report, this code."""
    code = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    parts = [metadata.version(name) for name in ("pytest", "pytest-json-report", "pluggy")]
    return " ".join([sys.version, *parts, hashlib.sha256(code).hexdigest()])


def _environment() -> dict[str, str]:
    """Return the machine's environment without variables that change pytest's behaviour or output."""
    dropped = {"CI", "BUILD_NUMBER", "LINES", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "PYTHONHASHSEED"}
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in dropped and not key.startswith(("PYTEST_", "COV_"))
    }
    return kept | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "80"}
