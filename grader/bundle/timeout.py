"""Stop a call that runs too long, on every platform, with the interrupt that Ctrl-C sends."""

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


class TimeLimitReached(BaseException):
    """The time limit is over. Not an Exception: a student's ``except Exception`` must not catch it."""


class Interrupter:
    """A thread that interrupts the main thread after some seconds, then once a second until it is ended.

    It repeats because a broad ``except`` in the student's code may swallow the first interrupt.
    """

    def __init__(self, seconds: float) -> None:
        self.fired = False
        self._over = threading.Event()
        self._lock = threading.Lock()
        threading.Thread(target=self._wait, args=(seconds,), daemon=True).start()

    def _wait(self, seconds: float) -> None:
        while not self._over.wait(seconds):
            seconds = 1.0
            with self._lock:
                if not self._over.is_set():
                    self.fired = True
                    _thread.interrupt_main()

    def end(self) -> None:
        """Send no more interrupts, and absorb one that is still on its way."""
        while True:
            try:
                with self._lock:
                    self._over.set()
                if self.fired:
                    time.sleep(0.05)
            except KeyboardInterrupt:
                if not self.fired:
                    raise
            else:
                return


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[Interrupter | None]:
    """Stop the code inside after this many seconds; under a debugger and in a browser there is no limit.

    Yields what may end the limit early; None without a limit.

    Raises:
        TimeLimitReached: The time was over. A real Ctrl-C stays a KeyboardInterrupt.
    """
    can_interrupt = (
        sys.platform != "emscripten"  # no threads in a browser, where the page keeps the clock
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not can_interrupt or _DEBUGGERS & set(sys.modules):
        yield None
        return
    interrupter = Interrupter(seconds)
    try:
        yield interrupter
    except KeyboardInterrupt:
        if not interrupter.fired:
            raise
        raise TimeLimitReached from None
    finally:
        interrupter.end()
