"""CPU seconds by stage."""

import os
import time

import pytest

from grader.run.stages import Stages


def spin(seconds: float) -> None:
    """Use CPU seconds in this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_stages_count_their_own_and_their_processes():
    """A stage has what its thread and the processes that ended in it used; all together is what was used."""
    stages = Stages()
    begun = time.process_time()
    with stages.measured("here"):
        spin(0.05)
    with stages.measured("below"):
        mine = time.thread_time()
        pid = os.fork()
        if pid == 0:
            spin(0.05)
            os._exit(0)
        usage = os.wait4(pid, 0)[2]
        used = time.thread_time() - mine + usage.ru_utime + usage.ru_stime
    with stages.measured("here"):
        time.sleep(0.05)
    stages.add({"submission": 1.0, "points": 0.5})
    stages.add({"submission": 0.5})
    found = stages.all()
    assert 0.05 <= found["here"] < 0.1
    assert used >= 0.04
    assert found["below"] == pytest.approx(used, abs=0.02)
    assert found["the submissions' own code"] == 1.5
    assert found["points and sentences"] == 0.5
    assert found["start"] <= begun
    assert next(iter(found)) == "start"
