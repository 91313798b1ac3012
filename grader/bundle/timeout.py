"""Stop a call that runs too long, on every platform, with the interrupt that Ctrl-C sends."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

SECONDS = 10.0
"""How long one call, or one import, may take."""

_HERE = str(Path(__file__).parent)
_DEBUGGERS = {"pydevd", "debugpy"}


class TimeLimitReached(BaseException):
    """The time limit is over. Not an Exception: a student's ``except Exception`` must not catch it."""


class Interrupter:
    """A thread that interrupts the main thread after some seconds, then once a second until it is ended.

    ``strike`` is the handler of the interrupts.
    """

    def __init__(self, seconds: float) -> None:
        self.times = 0
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._trace = sys.gettrace()
        threading.Thread(target=self._wait, args=(seconds,), daemon=True).start()

    def _wait(self, seconds: float) -> None:
        while not self._over.wait(seconds):
            seconds = 1.0
            with self._lock:
                if not self._over.is_set():
                    self.times += 1
                    _thread.interrupt_main()

    def strike(self, _signal: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt in the student's code, which may swallow it with a bare ``except``.

        From the second time on, it is raised once more some lines later, each time one line further: so it
        also reaches the lines of the ``except``, from which it gets out. When the student's code has ended
        meanwhile, nothing is raised.
        """
        theirs = []
        while frame is not None and not frame.f_code.co_filename.startswith(_HERE):
            theirs.append(frame)
            frame = frame.f_back
        if self.times and all(one.f_code.co_filename == contextlib.__file__ for one in theirs):
            return
        if self.times > 1:
            left = self.times - 2

            def trace(frame: FrameType, event: str, _about: object) -> Any:
                nonlocal left
                left -= event == "line"
                if left < 0 and frame in theirs:
                    raise KeyboardInterrupt
                return trace if frame in theirs else None

            for one in theirs:
                one.f_trace = trace
            sys.settrace(trace)
        raise KeyboardInterrupt

    def end(self) -> None:
        """Send no more interrupts."""
        with self._lock:
            self._over.set()
        if self.times > 1:
            sys.settrace(self._trace)


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[Interrupter | None]:
    """Stop the code inside after this many seconds; under a debugger and in a browser there is no limit.

    Yields what may end the limit early; None without a limit.

    Raises:
        TimeLimitReached: The time was over. A real Ctrl-C stays a KeyboardInterrupt.
    """
    usual = signal.getsignal(signal.SIGINT)
    can_interrupt = (
        sys.platform != "emscripten"  # no threads in a browser, where the page keeps the clock
        and threading.current_thread() is threading.main_thread()
        and (usual is signal.default_int_handler or isinstance(getattr(usual, "__self__", None), Interrupter))
    )
    if not can_interrupt or _DEBUGGERS & set(sys.modules):
        yield None
        return
    interrupter = Interrupter(seconds)
    signal.signal(signal.SIGINT, interrupter.strike)
    try:
        yield interrupter
    except KeyboardInterrupt:
        if not interrupter.times:
            raise
        raise TimeLimitReached from None
    finally:
        interrupter.end()
        signal.signal(signal.SIGINT, usual)
