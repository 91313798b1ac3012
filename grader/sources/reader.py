"""A bound on what reading one hand-in may cost: whatever a student packs, the others get their turn."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from grader.base.errors import GraderError

READING_SECONDS = 20.0
"""CPU seconds that each step of reading may take for one student; an honest hand-in takes thousandths."""


class TooLongError(GraderError):
    """Reading took too long."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Stop the block after so many CPU seconds of this process; only in the main thread, which has signals.

    Raises:
        TooLongError: The time was up.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError("reading it took too long; hand in plain files, as small as they need to be")

    before = signal.signal(signal.SIGPROF, stop)
    # It rings again, should the first one meet code that takes it for an error of its own.
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
