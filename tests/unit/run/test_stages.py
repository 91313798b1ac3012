"""CPU seconds by stage."""

from __future__ import annotations

import os
import time

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
        pid = os.fork()
        if pid == 0:
            spin(0.05)
            os._exit(0)
        os.waitpid(pid, 0)
    with stages.measured("here"):
        time.sleep(0.05)
    stages.add({"submission": 1.0, "points": 0.5})
    stages.add({"submission": 0.5})
    found = stages.all()
    assert 0.05 <= found["here"] < 0.1
    assert 0.04 <= found["below"] < 0.2
    assert found["the submissions' own code"] == 1.5
    assert found["points and sentences"] == 0.5
    assert found["start"] <= begun
    assert next(iter(found)) == "start"
