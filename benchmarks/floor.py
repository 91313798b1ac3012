"""Compare the grader's core with the least that any grader must do for a submission.

Usage: python benchmarks/floor.py [--count N]

The floor: fork a warm process, import the submission's files there, and make the same calls over a pipe, in
JSON, without a jail and without looking at the replies. The core: the jailed child, the calls and pytest's
outcome, remembered from an equal hand-in. Both stay on one CPU, and both are CPU time of every process,
without the start, which a class pays for once. Quote the ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import types
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any


def floor(files: Mapping[str, str], requests: Sequence[Mapping[str, Any]], count: int) -> None:
    """Fork, import and call ``count`` times, on one CPU, as the core does."""
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    for _ in range(count):
        ours, theirs = socket.socketpair()
        if os.fork() == 0:
            ours.close()
            _serve(files, theirs.makefile("rw", buffering=1))
        theirs.close()
        with ours, ours.makefile("rw", buffering=1) as pipe:
            for request in requests:
                pipe.write(json.dumps(request) + "\n")
                json.loads(pipe.readline())
        os.wait()


def _serve(files: Mapping[str, str], pipe: Any) -> None:
    """Import the files and answer calls until there are no more. Runs in the fork and never returns."""
    modules = {name.removesuffix(".py"): text for name, text in files.items()}
    for name, text in modules.items():
        sys.modules[name] = types.ModuleType(name)
        exec(compile(text, name, "exec"), vars(sys.modules[name]))  # noqa: S102 - our own solution
    for line in pipe:
        request = json.loads(line)
        found = getattr(sys.modules[request["module"]], request["name"])
        try:
            value = found(*request["arguments"], **request["keywords"]) if "arguments" in request else found
        except Exception as error:  # noqa: BLE001 - tests ask for errors, too
            value = type(error).__name__
        pipe.write(json.dumps(value) + "\n")
    os._exit(0)


def main() -> None:
    """Measure and print."""
    from compare import ROOT, adopt_orphans, cost  # noqa: PLC0415 - the floor has none of it

    from grader.course.load import load_course  # noqa: PLC0415
    from grader.sandbox.host import choose_tier  # noqa: PLC0415
    from grader.suite.process import WorkerProcess  # noqa: PLC0415
    from grader.suite.run import Run  # noqa: PLC0415

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=300, help="times that the solution is graded")
    count = parser.parse_args().count
    adopt_orphans()
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise("contiguous_reservation")
    tier = choose_tier("auto", exercise.limits, unsafe=False)
    folder = ROOT / "solutions" / exercise.name
    files = {name: (folder / name).read_bytes() for name in exercise.files}

    def core(times: int, *, tells_all: bool = False) -> Run:
        with closing(WorkerProcess(course, exercise, tier, tells_all=tells_all)) as worker:
            runs = [worker.run(files) for _ in range(times)]
        if runs[-1].fault:
            raise SystemExit(runs[-1].fault)
        return runs[-1]

    requests = [one.request for one in core(1, tells_all=True).exchanges if "name" in one.request]

    def start_floor(times: int) -> None:
        job = [{name: data.decode() for name, data in files.items()}, requests, times]
        subprocess.run(
            [sys.executable, "-S", "-P", __file__, "--floor"], input=json.dumps(job), text=True, check=True
        )

    found = {}
    for label, work in (("core", core), ("floor", start_floor)):
        start = cost(partial(work, 5))
        found[label] = (cost(partial(work, count + 5)) - start) / count
    calls = f"({len(requests)} calls)"
    print(f"{'floor: fork, import, calls':34}{found['floor'] * 1000:9.2f} ms CPU a submission {calls}")
    print(f"{'core: jailed child, calls, outcome':34}{found['core'] * 1000:9.2f} ms CPU a submission")
    print(f"{'ratio':34}{found['core'] / found['floor']:9.2f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--floor"]:
        floor(*json.load(sys.stdin))
    else:
        main()
