"""Measure how the cost of `grader grade` grows with the class, and draw it.

Usage: python benchmarks/growth.py [COUNT...]

Without sizes the picture growth.svg is drawn from the figures in growth.csv; with sizes they are measured
first: CPU time of every process for each submission, all included, and the memory of the largest process.
"""

from __future__ import annotations

import csv
import hashlib
import resource
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIGURES, PICTURE = HERE / "growth.csv", HERE / "growth.svg"
COLUMNS = ("submissions", "cpu_ms_each", "largest_process_mib")


def measure(sizes: list[int]) -> None:
    """Grade a class of each size and write the figures."""
    from compare import ROOT, adopt_orphans, cost, whole_grader  # noqa: PLC0415 - drawing needs none of it
    from hand_ins import write_class  # noqa: PLC0415

    from grader.course.load import load_course  # noqa: PLC0415

    adopt_orphans()
    course = load_course(ROOT / "course.toml")
    rows = []
    for size in sorted(sizes):  # the largest process until then is that of the largest class
        with tempfile.TemporaryDirectory() as name:
            folder, out = Path(name) / "class", Path(name) / "out"
            write_class(folder, size)
            seconds = cost(lambda: whole_grader(course, folder, out, 1))  # noqa: B023 - called at once
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        rows.append((size, round(seconds / size * 1000, 1), round(memory)))
        print("{:>6} submissions: {:7.1f} ms CPU each; largest process {} MiB".format(*rows[-1]), flush=True)
    with FIGURES.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


def digest() -> str:
    """Return what the picture says of the figures that it shows."""
    return f"figures with the SHA-256 {hashlib.sha256(FIGURES.read_bytes()).hexdigest()}"


def draw() -> None:
    """Draw the figures: the same figures give the same picture."""
    import matplotlib as mpl  # noqa: PLC0415 - the test of the picture needs none

    mpl.use("svg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    with FIGURES.open(encoding="utf-8", newline="") as file:
        rows = [[float(row[column]) for column in COLUMNS] for row in csv.DictReader(file)]
    sizes, costs, memory = zip(*rows, strict=True)
    plt.rcParams.update({"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 11})
    figure, left = plt.subplots(figsize=(7, 3.6), layout="constrained")
    right = left.twinx()
    shown = [
        *left.plot(sizes, costs, "o-", color="#0b5cad", label="CPU time of each submission (left)"),
        *right.plot(sizes, memory, "s--", color="#a3261c", label="largest process (right)"),
    ]
    left.set(xscale="log", xlabel="submissions in the class", ylabel="ms", ylim=(0, 1.2 * max(costs)))
    right.set(ylabel="MiB", ylim=(0, 1.2 * max(memory)))
    left.set_xticks(sizes, [f"{size:,.0f}" for size in sizes], minor=False)
    left.minorticks_off()
    left.legend(handles=shown, loc="lower left", frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None, "Description": digest()})


if __name__ == "__main__":
    if sys.argv[1:]:
        measure([int(size) for size in sys.argv[1:]])
    draw()
