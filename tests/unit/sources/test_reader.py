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
def test_what_takes_too_long_is_stopped(work):
    """By the computing that it costs, at the second bell if need be; a sentence says what would be right."""
    with pytest.raises(TooLongError, match="hand in plain files"), within(0.05):
        work()


def test_waiting_costs_nothing_and_nothing_rings_afterwards():
    """The clock is that of computing, and is put away with what it found before."""
    before = signal.getsignal(signal.SIGPROF)
    with within(0.05):
        time.sleep(0.1)
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_another_thread_reads_without_a_clock():
    """Signals reach the main thread alone, so none is set up elsewhere."""
    done = []

    def read():
        with within(0.001):
            done.append(signal.getitimer(signal.ITIMER_PROF))

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    assert done == [(0.0, 0.0)]
