"""Grade a folder of hand-ins in one tier and print JSON: ``grade_class.py TIER FOLDER JOBS``.

The JSON holds for each student the text of ``result.json`` and the wall seconds of grading, and the processes
that are still alive at the end.
"""

import ctypes
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from grader.base.errors import UsageError
from grader.course.load import load_course
from grader.course.model import Limits
from grader.grading import workers
from grader.intake.collect import collect
from grader.results.student import result_bytes
from grader.sandbox.host import choose_tier
from helpers.paths import ROOT

# Short limits, since many hostile submissions hang; honest calls need a thousandth of them.
LIMITS = Limits(
    call_cpu_seconds=0.15,
    call_wall_seconds=0.9,
    import_cpu_seconds=0.6,
    submission_cpu_seconds=2.0,
    submission_wall_seconds=8.0,
    memory_mib=256,
)
_PR_SET_CHILD_SUBREAPER = 36


def main(tier_name: str, folder: str, jobs: str) -> None:
    """Grade the folder, then look for processes that are still alive."""
    # A process that outlives its parent becomes a child of this one and can be found.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    course = load_course(ROOT / "course.toml")
    exercise = replace(course.exercise("contiguous_reservation"), limits=LIMITS)
    try:
        tier = choose_tier(tier_name, LIMITS, unsafe=False)
    except UsageError as error:
        print(json.dumps({"unavailable": str(error)}))  # noqa: T201
        return
    intake = collect([Path(folder)], exercise)
    seconds = _timed()
    # In their order: who receives what another sends comes after it.
    with patch.object(workers, "by_student", lambda some: [[one] for one in some]):
        graded = [*workers.grade_all(course, exercise, tier, intake.submissions, int(jobs))]
    found = {
        "results": {one.result.student: result_bytes(one.result).decode() for one in graded},
        "seconds": seconds,
        "alive": _left_alive(),
    }
    print(json.dumps(found))  # noqa: T201


def _timed() -> dict[str, float]:
    """Measure the wall seconds of each submission's grading."""
    seconds: dict[str, float] = {}
    grade = workers.Grader.grade

    def timed(self, submission, share):
        begun = time.monotonic()
        graded = grade(self, submission, share)
        seconds[submission.student] = time.monotonic() - begun
        return graded

    workers.Grader.grade = timed  # type: ignore[method-assign]
    return seconds


def _left_alive() -> list[str]:
    """Return the command lines of processes that are alive ten seconds after the end."""
    last = time.monotonic() + 10
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return []
        if pid == 0 and time.monotonic() > last:
            break
        time.sleep(0 if pid else 0.02)
    mine = str(os.getpid())
    alive = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "stat").read_text().rpartition(")")[2].split()[1] == mine:
                alive.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return alive


if __name__ == "__main__":
    main(*sys.argv[1:])
