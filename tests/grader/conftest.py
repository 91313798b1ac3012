"""What every test of the grader may rely on."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Take interrupts as a terminal's user does, also where the session was started in the background.

    A shell starts background jobs with SIGINT ignored, and every process below inherits that; the students'
    plugin, which stops endless loops by an interrupt, then rightly leaves them alone.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
