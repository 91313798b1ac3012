"""Grade on a Dask cluster: chunks of submissions go to workers on other machines.

Nothing has to be shared but Python and the kit. Each worker is asked to join the run (see ``member``), and
only those that did get chunks: each chunk goes to a certain worker, so that who failed it is known.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent import futures
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from grader.base.errors import CourseError, GraderError, UsageError
from grader.base.text import one_line
from grader.course.model import Course, Exercise, test_file
from grader.grading.diagnosis import table_path
from grader.grading.workers import Graded, by_student, ungraded
from grader.run.member import Order, grade_chunk, join, kit, leave
from grader.sources.submission import Submission

if TYPE_CHECKING:
    from distributed import Client, Future

_CHUNK = 25  # most submissions of a chunk; a small class is cut finer, so that every worker has some
_TRIES = 3  # on so many workers a chunk is tried before its submissions count as the grader's fault
_CONNECT_SECONDS = 10
_JOIN_SECONDS = 60.0  # so long a run waits at its start for workers to join; they may still join later
_LOST_SECONDS = 60.0
"""So long a run waits for another worker when it has none left, and for an answer of the scheduler."""
_LOOK_SECONDS = 2.0


@dataclass(frozen=True)
class _Worker:
    """A worker that joined the run: its machine, its sandbox, and how many chunks it grades at a time."""

    host: str
    tier: str
    threads: int


@dataclass(frozen=True)
class _Chunk:
    """Some submissions; ``tried`` says by address on which workers they were not graded, and why."""

    submissions: Sequence[Submission]
    tried: dict[str, str] = field(default_factory=dict)


class Cluster:
    """The workers of a Dask scheduler that joined one run.

    ``trouble`` has a sentence for each worker that did not join, and for each that was lost.
    """

    def __init__(self, client: Client, address: str, order: Order) -> None:
        self.trouble: list[str] = []
        self._client = client
        self._address = address
        self._run = uuid4().hex
        self._join = (self._run, kit(), pickle.dumps(order))
        self._asked: dict[str, futures.Future[Any] | None] = {}
        self._workers: dict[str, _Worker] = {}

    def gather(self) -> None:
        """Let the workers that are there join.

        Raises:
            UsageError: No worker can grade.
            GraderError: The scheduler was lost.
        """
        began = time.monotonic()
        self._look()
        while any(self._asked.values()) and time.monotonic() - began < _JOIN_SECONDS:
            self._pause()
            self._look()
        late = [worker for worker, asked in self._asked.items() if asked]
        self.trouble += [f"{one} did not answer in {_JOIN_SECONDS:g} s; look at its log." for one in late]
        if not self._workers:
            raise UsageError(f"No worker of {self._address} can grade: {' '.join(self.trouble)}")

    @property
    def title(self) -> str:
        """The machines with their tiers and numbers of workers, and who is not used."""
        count = Counter((one.host, one.tier) for one in self._workers.values())
        there = ", ".join(f"{number} on {host} ({tier})" for (host, tier), number in sorted(count.items()))
        text = f"that of each worker of {self._address}: {there}"
        return f"{text}; not used: {' '.join(self.trouble).rstrip('.')}" if self.trouble else text

    def grade(self, exercise: Exercise, submissions: Sequence[Submission]) -> Iterator[Graded]:
        """Grade submissions, in the order in which they are done.

        The chunk of a worker that is lost, or cannot grade it, is given to another one. What was tried on
        three workers, or on all of them, counts as the grader's fault, and the others go on. Raises
        GraderError if the scheduler or all workers were lost.
        """
        waiting = self._chunks(submissions)
        given: dict[Future[list[Graded]], tuple[_Chunk, str]] = {}
        seen = time.monotonic()
        while waiting or given:
            self._look()
            if self._workers:
                seen = time.monotonic()
            elif time.monotonic() - seen > _LOST_SECONDS:
                raise self._lost(f"All workers of {self._address} were")
            self._give(waiting, given)
            self._pause(*given)
            for future, (chunk, worker) in list(given.items()):
                if future.done() or worker not in self._workers:
                    del given[future]
                    found = self._outcome(future, worker)
                    if isinstance(found, list):
                        yield from found
                    else:
                        chunk.tried[worker] = found
                        waiting.append(chunk)
            for chunk in [one for one in waiting if self._is_hopeless(one)]:
                waiting.remove(chunk)
                why = f"the cluster could not grade it ({'; '.join(chunk.tried.values())})"
                yield from (ungraded(exercise, one, why) for one in chunk.submissions)

    def end(self) -> None:
        """Let the workers end the run and forget the course."""
        with suppress(Exception):  # who is lost cannot be told, and its folder goes with it
            if self._client.status == "running":
                self._client.sync(self._client.run, leave, self._run, on_error="ignore", callback_timeout=5)

    @staticmethod
    def _lost(what: str) -> GraderError:
        text = f"{what} lost; who is graded is kept, and the same call goes on from there."
        return GraderError(text)

    async def _ask(self, worker: str) -> Any:
        """Ask a worker to join: not by a task, because a worker that cannot load one breaks off."""
        answers = await self._client.run(join, *self._join, workers=[worker], on_error="return")
        return answers[worker]

    def _look(self) -> None:
        """Ask new workers to join, take in those that did, and forget those that are gone."""
        try:
            there = self._client.sync(self._client.nthreads, callback_timeout=_LOST_SECONDS)
        except (OSError, RuntimeError, CancelledError):
            raise self._lost(f"The Dask scheduler at {self._address} was") from None
        for address in self._workers.keys() - there:
            host = self._workers.pop(address).host
            self.trouble.append(f"{host} ({address}) was lost; others grade what it had.")
        self._asked = {one: asked for one, asked in self._asked.items() if one in there}
        for address, threads in there.items():
            if address not in self._asked:
                loop = self._client.loop.asyncio_loop
                self._asked[address] = asyncio.run_coroutine_threadsafe(self._ask(address), loop)
            asked = self._asked[address]
            if asked and asked.done():
                self._asked[address] = None
                answer = _result(asked)
                if isinstance(answer, str):
                    self.trouble.append(f"{address} has no grader like ours ({answer}); install it there.")
                elif "why" in answer:
                    self.trouble.append(f"{answer['host']} ({address}) {answer['why']}")
                else:
                    self._workers[address] = _Worker(answer["host"], answer["tier"], threads)

    def _pause(self, *given: Future[list[Graded]]) -> None:
        """Wait until something is done, but not long: workers come and go."""
        from distributed import wait  # noqa: PLC0415 - heavy, and only clusters need it

        if given:
            with suppress(TimeoutError, CancelledError):
                wait(given, timeout=_LOOK_SECONDS, return_when="FIRST_COMPLETED")
        elif asked := [one for one in self._asked.values() if one]:
            futures.wait(asked, timeout=_LOOK_SECONDS)
        else:
            time.sleep(_LOOK_SECONDS / 4)

    def _chunks(self, submissions: Sequence[Submission]) -> list[_Chunk]:
        """Cut the class; a student's attempts stay together, because they share their seconds."""
        threads = sum(one.threads for one in self._workers.values())
        size = min(_CHUNK, 1 + len(submissions) // (4 * threads))
        chunks: list[list[Submission]] = []
        for attempts in by_student(submissions):
            if not chunks or len(chunks[-1]) >= size:
                chunks.append([])
            chunks[-1] += attempts
        return [_Chunk(chunk) for chunk in chunks]

    def _give(self, waiting: list[_Chunk], given: dict[Any, tuple[_Chunk, str]]) -> None:
        """Give each worker a chunk more than it grades at a time, so that it never has to wait."""
        busy = Counter(address for _, address in given.values())
        for address, worker in self._workers.items():
            mine = [chunk for chunk in waiting if address not in chunk.tried]
            for chunk in mine[: max(0, worker.threads + 1 - busy[address])]:
                waiting.remove(chunk)
                work = (grade_chunk, self._run, chunk.submissions)
                given[self._client.submit(*work, workers=[address], pure=False)] = (chunk, address)

    def _outcome(self, future: Any, address: str) -> list[Graded] | str:
        """Return a chunk's results, or where it was not graded and why."""
        if not future.done():
            future.cancel()
            return f"{address} was lost"
        found: list[Graded] | str = _result(future)
        return f"{self._workers[address].host}: {found}" if isinstance(found, str) else found

    def _is_hopeless(self, chunk: _Chunk) -> bool:
        """True if a chunk was tried often enough, or everywhere."""
        everywhere = bool(self._workers) and self._workers.keys() <= chunk.tried.keys()
        return len(chunk.tried) >= _TRIES or everywhere


def _result(future: Any) -> Any:
    """Return what a worker gave, or in one line why there is nothing.

    Raises CourseError if the worker says that the course has a mistake.
    """
    try:
        found = future.result(timeout=_LOST_SECONDS)
    except CourseError:
        raise
    except Exception as error:  # noqa: BLE001 - of any kind, from another machine
        found = error
    if not isinstance(found, Exception):
        return found
    # Where Dask has no better class, the text names the class of the error.
    return one_line(str(found) if type(found) is Exception else f"{type(found).__name__}: {found}", 200)


@contextmanager
def cluster_at(address: str, order: Order) -> Iterator[Cluster]:
    """Connect to the Dask scheduler at ``address``, and let its workers join a run that ends with the block.

    Raises:
        UsageError: There is no scheduler, Dask is not installed, or no worker can grade.
        GraderError: The scheduler was lost.
    """
    client = _connected(address)
    cluster = Cluster(client, address, order)
    try:
        with client.as_current():
            cluster.gather()
            yield cluster
    finally:
        cluster.end()
        with suppress(Exception):
            client.close(timeout=5)


def order_for(course: Course, exercise: Exercise, *, sandbox: str, unsafe: bool) -> Order:
    """Return the course as far as grading needs it: its settings and the exercise's tests."""
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


def _connected(address: str) -> Client:
    """Return a client of the Dask scheduler at ``address``, which has workers.

    Raises UsageError if there is no scheduler or no worker, or Dask is not installed.
    """
    try:
        from distributed import Client  # noqa: PLC0415 - heavy, and only clusters need it
    except ImportError:
        raise UsageError("--scheduler needs Dask; install the kit with the extra [cluster].") from None
    # What Dask logs of lost connections becomes a sentence here.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except Exception as error:  # noqa: BLE001 - whatever answers there, it is no scheduler
        if "ssl_context" in str(error):
            raise UsageError(
                f"{address} needs certificates; name them in Dask's settings distributed.comm.tls "
                "(ca-file, client.cert and client.key), as docs/cluster.md shows."
            ) from None
        raise UsageError(
            f"No Dask scheduler answers at {address} ({one_line(str(error), 200).rstrip('.')}); "
            "give its address like tcp://HOST:8786, or tls://HOST:8786 if it uses TLS."
        ) from None
    try:
        client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
    except TimeoutError:
        client.close(timeout=1)
        raise UsageError(
            f"The Dask scheduler at {address} has no workers; start some with: dask worker {address}"
        ) from None
    return client
