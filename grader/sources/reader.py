"""Read what students hand in inside forked processes with limits of memory, CPU seconds and time.

A few bytes can keep a parser busy for days or take all memory, in one call that no handler of a signal can
interrupt. So whatever parses a hand-in runs in a fork of the grader, which sees all that its parent has read
so far and gives back plain bytes or JSON. What runs in it needs no limits of its own.
"""

import ctypes
import gc
import os
import resource
import signal
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import NoReturn, TypeVar

import msgspec

from grader.base.errors import GraderError, UsageError
from grader.base.machine import limit_memory

T = TypeVar("T")

MEMORY = 1 << 30  # bytes that a reading process may take in addition to what it had at its start
_PATIENCE = 10  # how many times its CPU seconds a step may last, on a busy machine or a slow disk

_FEWEST_SECONDS = 0.05

_ANSWER, _END, _FAULT = b"a", b"e", b"f"
_ERRORS = {b"m": UsageError, b"r": GraderError, _FAULT: RuntimeError}
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


class LimitError(GraderError):
    """A reading process was ended by its limits, or crashed; the text ends a sentence about what it read."""

    def __init__(self) -> None:
        super().__init__(
            "takes too much time or memory to read; hand in plain files, as small as they can be"
        )


def allow(seconds: float) -> None:
    """Give the next step so many CPU seconds, and ``_PATIENCE`` times as long; 0 sets no limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE * seconds)


def read_one(read: Callable[[], T], kind: type[T], seconds: float) -> T:
    """Return what ``read`` returns in a fork with so many CPU seconds; ``kind`` is its type, as JSON."""

    def work() -> Iterator[bytes]:
        allow(seconds)
        yield msgspec.json.encode(read())

    (answer,) = read_apart(work)
    return msgspec.json.decode(answer, type=kind)


def read_each(
    items: Sequence[T], read: Callable[[T], bytes], seconds: Callable[[T], float]
) -> Iterator[tuple[T, bytes | None]]:
    """Read items one after the other in a fork; yield each with what ``read`` returned.

    None stands for an item that takes more than its ``seconds`` of CPU time, or too much memory, or at which
    ``read`` failed. Then a new fork goes on with the next. An item with hardly any seconds is not read.
    """
    at = 0

    def work() -> Iterator[bytes]:
        for item in items[at:]:
            if (most := seconds(item)) < _FEWEST_SECONDS:
                return
            allow(most)
            try:
                answer = read(item)
            except Exception:  # noqa: BLE001 - nobody can foresee what students hand in
                return
            yield answer

    while at < len(items):
        with suppress(LimitError):
            for answer in read_apart(work):
                at += 1
                yield items[at - 1], answer
        if at < len(items):
            at += 1
            yield items[at - 1], None


def read_apart(work: Callable[[], Iterable[bytes]], memory: int = MEMORY) -> Iterator[bytes]:
    """Run ``work`` in a fork and yield what it yields; the fork ends when the caller stops asking.

    Raises:
        LimitError: The fork was ended by its limits, or crashed.
        GraderError: The work raised it (UsageError if it was one).
    """
    source, target = Pipe(duplex=False)
    parent = os.getpid()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: the fork needs none of them
        pid = os.fork()
    if pid == 0:
        source.close()
        _serve(work, target, memory, parent)
    target.close()
    kind, body = _ANSWER, b""
    try:
        with source:
            while kind == _ANSWER:
                message = source.recv_bytes()
                kind, body = message[:1], message[1:]
                if kind == _ANSWER:
                    yield body
    except (EOFError, OSError):  # it was ended, perhaps in the middle of a message
        raise LimitError from None
    finally:
        if kind == _ANSWER:  # it did not say that it ends
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    if kind != _END:
        raise _ERRORS.get(kind, GraderError)(body.decode())


def _serve(work: Callable[[], Iterable[bytes]], target: Connection, memory: int, parent: int) -> NoReturn:
    """Do the work within the limits and send what it yields. Runs in the fork and never returns."""
    try:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        for number in (signal.SIGPROF, signal.SIGALRM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        gc.freeze()  # what the parent holds stays shared with it
        limit_memory(memory)
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        try:
            for answer in work():
                target.send_bytes(_ANSWER + answer)
            target.send_bytes(_END)
        except (MemoryError, RecursionError):
            pass  # it ends without a word, as when it is killed
        except GraderError as error:
            kind = next(kind for kind, known in _ERRORS.items() if isinstance(error, known))
            target.send_bytes(kind + str(error).encode())
        except Exception:  # noqa: BLE001 - a fault of the grader, told to the parent
            target.send_bytes(_FAULT + traceback.format_exc().encode("utf-8", "replace"))
    finally:
        os._exit(1)
