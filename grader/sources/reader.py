"""A limit on the CPU time that reading one hand-in may take, so that one student cannot hold up a class."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from grader.base.errors import GraderError

READING_SECONDS = 20.0
"""CPU seconds to read everything that one student handed in; an ordinary hand-in takes milliseconds."""


class TooLongError(GraderError):
    """Reading took too long."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Stop the block after so many CPU seconds of this process; only the main thread can be stopped.

    Raises:
        TooLongError: The time is up.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError("reading it took too long; hand in plain files, as small as they need to be")

    before = signal.signal(signal.SIGPROF, stop)
    # Repeat: a broad `except` may swallow the first signal.
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
