"""Grade on a Dask cluster: the same Grader on other machines, given the course and the submissions.

Nothing has to be shared but Python and the kit: a worker gets the course (its settings as they were read
here, and its tests) with its first chunk, keeps the files in a temporary folder of its own, builds the best
sandbox that its machine has, and keeps its Grader warm for the chunks that follow.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.base.errors import GraderError, UsageError
from grader.course.model import Course, Exercise, test_file
from grader.grading.diagnosis import table_path
from grader.grading.workers import Graded, Grader, by_student, ungraded
from grader.sandbox.host import choose_tier
from grader.sources.submission import Submission

if TYPE_CHECKING:
    from distributed import Client

_CHUNK = 25
_CONNECT_SECONDS = 10


@dataclass(frozen=True)
class Order:
    """What a worker needs for every chunk: the course, its files by relative path, and the sandbox to use."""

    course: Course
    files: Mapping[str, bytes]
    exercise: str
    sandbox: str
    unsafe: bool


def connected(address: str) -> Client:
    """A client of the Dask scheduler at ``address``.

    Raises:
        UsageError: There is no scheduler, or Dask is not installed.
    """
    try:
        from distributed import Client  # noqa: PLC0415 - heavy, and only clusters need it
    except ImportError:
        raise UsageError("--scheduler needs Dask; install the kit with the extra [cluster].") from None
    try:
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError):
        raise UsageError(
            f"No Dask scheduler answers at {address}; give its address like tcp://HOST:8786."
        ) from None


def grade_on_cluster(
    exercise: Exercise, order: Order, submissions: Sequence[Submission], client: Client
) -> Iterator[Graded]:
    """Grade submissions on the workers of a Dask scheduler, in the order they are done; closes ``client``.

    Dask tries a chunk elsewhere when its worker dies. When it fails for good, its submissions count as the
    grader's fault and the others go on.
    """
    from distributed import as_completed  # noqa: PLC0415 - heavy, and only clusters need it

    with client, client.as_current():
        chunks: list[list[Submission]] = []
        for attempts in by_student(submissions):  # in one chunk, because they share their seconds
            if not chunks or len(chunks[-1]) >= _CHUNK:
                chunks.append([])
            chunks[-1] += attempts
        shared = client.scatter(order, broadcast=True)  # type: ignore[no-untyped-call]
        futures = {client.submit(grade_chunk, shared, chunk, pure=False): chunk for chunk in chunks}
        for future in as_completed(futures):  # type: ignore[no-untyped-call]
            error = future.exception()
            if isinstance(error, GraderError):
                raise error
            yield from (
                future.result()
                if error is None
                else [ungraded(exercise, one, f"the cluster lost it: {error}") for one in futures[future]]
            )


def order_for(course: Course, exercise: Exercise, *, sandbox: str, unsafe: bool) -> Order:
    """The course as far as grading needs it: its settings and the exercise's tests."""
    roots = {"course": course.root} | ({"private": course.private} if course.private else {})
    wanted = [test_file(course, exercise, criterion) for criterion in exercise.criteria]
    wanted += [table_path(course, exercise)]
    files = {
        f"{name}/{path.relative_to(root)}": path.read_bytes()
        for name, root in roots.items()
        for path in sorted(set(wanted))
        if path.is_relative_to(root) and path.is_file()
    }
    return Order(course, files, exercise.name, sandbox, unsafe)


_warm: dict[int, tuple[Order, Grader]] = {}


def grade_chunk(order: Order, submissions: Sequence[Submission]) -> list[Graded]:
    """Grade a chunk in this worker process, with the Grader that its last chunk left warm.

    Raises:
        UsageError: No sandbox can be built on this machine.
        CourseError: The tests cannot be collected.
    """
    if 0 not in _warm or _warm[0][0] != order:
        if 0 in _warm:
            _warm.pop(0)[1].close()
        _warm[0] = (order, _start(order))
    return [one for attempts in by_student(submissions) for one in _warm[0][1].grade_attempts(attempts)]


def _start(order: Order) -> Grader:
    folder = Path(tempfile.mkdtemp(prefix="course-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, data in order.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    private = folder / "private" if order.course.private else None
    course = replace(order.course, root=folder / "course", private=private)
    exercise = course.exercise(order.exercise)
    grader = Grader(course, exercise, choose_tier(order.sandbox, exercise.limits, unsafe=order.unsafe))
    atexit.register(grader.close)
    return grader
