"""Compare the CPU time of `grader grade` with that of plain pytest, one process for each submission.

Usage: python benchmarks/compare.py [--count N ...] [--plain N]

Both grade hand-ins of the same class with the same tests, in one run on one machine. Quote the ratio. CPU
time is user plus system time of every process. This program adopts orphans (PR_SET_CHILD_SUBREAPER), because
bubblewrap's inner process outlives its outer one and would not be counted otherwise.

The class is that of ``hand_ins.py``. The grader does everything, from intake to gradebook, with one worker,
in a new folder; then the same class again: with nothing changed, with one hand-in changed, and without the
results, so that all are graded with the outcomes kept. Plain pytest has the report's plugin alone. It gets a
sample of the class without endless loops, which nothing would stop there.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from hand_ins import is_endless, write_class

from grader.course.load import load_course
from grader.course.model import Course, Exercise

ROOT = Path(__file__).resolve().parent.parent
_SUBREAPER = 36


def adopt_orphans() -> None:
    """Make this process the parent of every orphan below it, so that its CPU time is counted."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        raise SystemExit("this kernel has no PR_SET_CHILD_SUBREAPER")


def cpu_seconds() -> float:
    """CPU seconds of this process and of every ended process below it."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            break
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def cost(work: Callable[[], object]) -> float:
    """CPU seconds of ``work`` and its processes."""
    before = cpu_seconds()
    work()
    return cpu_seconds() - before


def plain_pytest(course: Course, exercise: Exercise, hand_ins: Sequence[Path], scratch: Path) -> None:
    """Grade the usual way: one pytest for each submission, in one process with its tests."""
    tests = [course.root / "tests" / kind / exercise.name for kind in ("visible", "hidden")]
    for place in hand_ins:
        command = [sys.executable, "-m", "pytest", "--import-mode=importlib", "-q", "-p", "no:cacheprovider"]
        command += ["--noconftest", "--rootdir", str(course.root / "tests"), "-c", os.devnull]
        command += ["-o", f"pythonpath={place}", "-p", "pytest_jsonreport.plugin", "--json-report"]
        command += [f"--json-report-file={scratch / place.name}.json", *map(str, tests)]
        subprocess.run(
            command,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=scratch,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        )
        if not (scratch / f"{place.name}.json").exists():
            raise SystemExit(f"plain pytest wrote no report for {place}")


def whole_grader(course: Course, folder: Path, out: Path, jobs: int = 1) -> None:
    """Run ``grader grade`` as an instructor does, from intake to gradebook."""
    command = [sys.executable, "-m", "grader", "grade", str(folder), "--out", str(out), "--quiet"]
    command += ["--exercise", "contiguous_reservation", "--course", str(course.root / "course.toml")]
    subprocess.run([*command, "--jobs", str(jobs)], check=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, nargs="+", default=[120], help="sizes of the class (120)")
    parser.add_argument("--plain", type=int, default=12, help="submissions for plain pytest (12)")
    parser.add_argument("--jobs", type=int, default=1, help="workers of the grader (1)")
    options = parser.parse_args()
    adopt_orphans()
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise("contiguous_reservation")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        places = [
            place for place in write_class(scratch / "plain", max(options.count)) if not is_endless(place)
        ]
        sample = places[:: max(1, len(places) // options.plain)][: options.plain]
        plain = cost(lambda: plain_pytest(course, exercise, sample, scratch)) / len(sample)
        print(f"{'plain pytest, a process each':40}{plain * 1000:9.1f} ms CPU each ({len(sample)})")
        print(f"{'grader --help':40}{cost(show_help):9.2f} s CPU")
        for count in options.count:
            measure(course, scratch, count, options.jobs, plain)


def show_help() -> None:
    """Run ``grader --help``."""
    subprocess.run([sys.executable, "-m", "grader", "--help"], check=True, stdout=subprocess.DEVNULL)


def measure(course: Course, scratch: Path, count: int, jobs: int, plain: float) -> None:
    """Grade a class from cold, again, and again with one hand-in changed; print what each cost."""
    folder, out = scratch / f"class{count}", scratch / f"out{count}"
    places = write_class(folder, count)
    cold = cost(lambda: whole_grader(course, folder, out, jobs)) / count
    unchanged = cost(lambda: whole_grader(course, folder, out, jobs))
    changed = places[0] / "reservation.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    one = cost(lambda: whole_grader(course, folder, out, jobs))
    shutil.rmtree(out / "students")  # --regrade would forget the outcomes, too
    again = cost(lambda: whole_grader(course, folder, out, jobs)) / count
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"a class of {count}")
    for label, each in (("from cold, everything", cold), ("graded again, outcomes kept", again)):
        print(f"{'  ' + label:40}{each * 1000:9.1f} ms CPU each    1/{plain / each:.1f} of plain pytest")
    print(f"{'  nothing changed':40}{unchanged:9.2f} s CPU")
    print(f"{'  one hand-in changed':40}{one:9.2f} s CPU")
    print(f"{'  largest process':40}{memory:9.0f} MiB")


if __name__ == "__main__":
    main()
