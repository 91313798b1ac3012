"""A call that runs for too long is ended as Ctrl-C would end it, on every platform."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator

SECONDS = 10.0
"""How long one call, or one import, may take."""

_DEBUGGERS = {"pydevd", "debugpy"}


class TookTooLong(BaseException):
    """The time is over; not an Exception, so that a student's ``except Exception`` lets it through."""


class _Bell:
    """A thread that interrupts the main one after some seconds, and once more each second after that."""

    def __init__(self, seconds: float) -> None:
        self.rang = False
        self._over = threading.Event()
        self._lock = threading.Lock()
        threading.Thread(target=self._wait, args=(seconds,), daemon=True).start()

    def _wait(self, seconds: float) -> None:
        while not self._over.wait(seconds):
            seconds = 1.0
            with self._lock:
                if not self._over.is_set():
                    self.rang = True
                    _thread.interrupt_main()

    def end(self) -> None:
        """Ring no more, and take in an interrupt that is still on its way."""
        while True:
            try:
                with self._lock:
                    self._over.set()
                if self.rang:
                    time.sleep(0.05)
            except KeyboardInterrupt:
                if not self.rang:
                    raise
            else:
                return


@contextlib.contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """End what runs inside after so many seconds; while someone debugs, never.

    Raises:
        TookTooLong: The time was over. A real Ctrl-C stays a KeyboardInterrupt.
    """
    if not _can_interrupt():
        yield
        return
    bell = _Bell(seconds)
    try:
        yield
    except KeyboardInterrupt:
        if not bell.rang:
            raise
        raise TookTooLong from None
    finally:
        bell.end()


def _can_interrupt() -> bool:
    """Whether an interrupt would arrive here as KeyboardInterrupt, and nobody steps through the code."""
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        and not _DEBUGGERS & set(sys.modules)
    )
