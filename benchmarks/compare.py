"""Compare the CPU time of `grader grade` with that of plain pytest, one process for each submission.

Usage: python benchmarks/compare.py [--count N] [--plain N]

Both grade the same submissions with the same tests, in one run on one machine. Quote the ratio. CPU time is
user plus system time of every process. This program adopts orphans (PR_SET_CHILD_SUBREAPER), because
bubblewrap's inner process outlives its outer one and would not be counted otherwise.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.base.machine import usable_cpus
from grader.course.load import load_course
from grader.course.model import Course, Exercise
from grader.feedback import feedback_html, feedback_markdown
from grader.grading.workers import grade_all
from grader.intake.collect import collect
from grader.results.final import final_result
from grader.sandbox.host import choose_tier

ROOT = Path(__file__).resolve().parent.parent
_SUBREAPER = 36


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


def write_class(folder: Path, course: Course, exercise: Exercise, count: int) -> list[Path]:
    """Write ``count`` hand-ins, no two the same: right, partly right and untouched in turn."""
    solution = course.root / "solutions" / exercise.name
    stub = course.root / "exercises" / exercise.name
    hand_ins = []
    for number in range(count):
        place = folder / f"student{number:04d}"
        place.mkdir(parents=True)
        for name in exercise.files:
            text = (solution / name).read_text(encoding="utf-8")
            if number % 4 == 1:
                text = text.replace(" * block", " * block + block").replace(
                    "sum(lengths)", "max(lengths, default=0)"
                )
            if number % 4 == 3:
                text = (stub / name).read_text(encoding="utf-8")
            (place / name).write_text(f"{text}\n# hand-in {number}\n", encoding="utf-8")
        hand_ins.append(place)
    return hand_ins


def plain_pytest(course: Course, exercise: Exercise, hand_ins: Sequence[Path], scratch: Path) -> None:
    """Grade the usual way: one pytest for each submission, in one process with its tests."""
    tests = [course.root / "tests" / kind / exercise.name for kind in ("visible", "hidden")]
    for place in hand_ins:
        command = [sys.executable, "-m", "pytest", "--import-mode=importlib", "-q", "-p", "no:cacheprovider"]
        command += ["--rootdir", str(course.root / "tests"), "-c", os.devnull, "-o", f"pythonpath={place}"]
        command += ["--json-report", f"--json-report-file={scratch / place.name}.json", *map(str, tests)]
        subprocess.run(
            command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=scratch
        )
        if not (scratch / f"{place.name}.json").exists():
            raise SystemExit(f"plain pytest wrote no report for {place}")


def whole_grader(course: Course, folder: Path, out: Path, jobs: int) -> None:
    """Run ``grader grade`` as an instructor does, from intake to feedback."""
    command = [sys.executable, "-m", "grader", "grade", str(folder), "--out", str(out), "--quiet"]
    command += ["--course", str(course.root / "course.toml"), "--jobs", str(jobs), "--no-gradebook"]
    subprocess.run(command, check=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200, help="submissions for the grader (default 200)")
    parser.add_argument("--plain", type=int, default=12, help="submissions for plain pytest (default 12)")
    parser.add_argument("--jobs", type=int, default=usable_cpus(), help="workers of the grader")
    options = parser.parse_args()
    if ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        raise SystemExit("this kernel has no PR_SET_CHILD_SUBREAPER")
    course = load_course(ROOT / "course.toml")
    exercise = course.exercise("contiguous_reservation")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        hand_ins = write_class(scratch / "class", course, exercise, max(options.count, options.plain))
        plain = (
            cost(lambda: plain_pytest(course, exercise, hand_ins[: options.plain], scratch)) / options.plain
        )
        whole = cost(lambda: whole_grader(course, scratch / "class", scratch / "out", options.jobs)) / len(
            hand_ins
        )
        stages(course, exercise, scratch / "class", options.jobs)
    print(f"{'plain pytest, a process each':34}{plain * 1000:9.1f} ms CPU a submission ({options.plain})")
    print(f"{'grader grade, everything':34}{whole * 1000:9.1f} ms CPU a submission ({len(hand_ins)})")
    print(f"{'ratio':34}{whole / plain:9.3f}    1/{plain / whole:.1f}")


def stages(course: Course, exercise: Exercise, folder: Path, jobs: int) -> None:
    """Print the CPU time of each stage of the grader, run in this process."""
    tier = choose_tier("auto", exercise.limits, unsafe=False)
    print(tier.title)
    kept: dict[str, list[object]] = {}

    def intake() -> None:
        kept["in"] = list(collect([folder], exercise).submissions)

    def core() -> None:
        kept["graded"] = list(grade_all(course, exercise, tier, kept["in"], jobs))  # type: ignore[arg-type]

    def feedback() -> None:
        for graded in kept["graded"]:
            result = final_result(graded.result)  # type: ignore[attr-defined]
            feedback_html(result, exercise)
            feedback_markdown(result, exercise)

    for label, work in (
        ("intake", intake),
        ("core: jail, tests, points", core),
        ("feedback pages", feedback),
    ):
        seconds = cost(work)
        print(f"{'  ' + label:34}{seconds / len(kept['in']) * 1000:9.1f} ms CPU a submission")


if __name__ == "__main__":
    main()
