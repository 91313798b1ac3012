"""Reading one hand-in has an end."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from grader.sources.reader import TooLongError, within


def endless():
    """What never ends by itself."""
    while True:
        pass


def stubborn():
    """What takes the first bell for an error of its own."""
    try:
        endless()
    except TooLongError:
        endless()


@pytest.mark.slow
@pytest.mark.parametrize("work", [endless, stubborn])
def test_reading_that_takes_too_long_is_stopped(work):
    """By CPU time, at the second signal if need be; a sentence says what would be right."""
    with pytest.raises(TooLongError, match="hand in plain files"), within(0.05):
        work()


def test_waiting_is_not_counted_and_the_timer_is_reset():
    """Only CPU time counts; the previous handler is restored."""
    before = signal.getsignal(signal.SIGPROF)
    with within(0.05):
        time.sleep(0.1)
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_another_thread_reads_without_a_limit():
    """Only the main thread receives signals."""
    done = []

    def read():
        with within(0.001):
            done.append(signal.getitimer(signal.ITIMER_PROF))

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    assert done == [(0.0, 0.0)]
