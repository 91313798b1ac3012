"""Run the released bundle as a student does: once untouched, once solved. Any system, Python 3.10 or newer.

Usage: ``python .ci/try_bundle.py DIST SOLUTIONS``. DIST holds what ``grader release`` wrote, one zip for each
exercise; SOLUTIONS has one folder of the same name for each.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NOTHING = re.compile(r"^0 of \d+ visible points", re.MULTILINE)
EVERYTHING = re.compile(r"^All visible tests pass", re.MULTILINE)


def run_pytest(folder: Path) -> tuple[int, str]:
    """Exit status and output of pytest in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=300,
        check=False,
    )
    print(done.stdout.encode("ascii", "replace").decode())  # any terminal can show that
    return done.returncode, done.stdout


def try_bundle(archive: Path, solution: Path, scratch: Path) -> list[str]:
    """What is wrong with one bundle, a line each."""
    shutil.unpack_archive(archive, scratch)
    (folder,) = [path for path in scratch.iterdir() if path.is_dir()]
    faults = []
    status, output = run_pytest(folder)
    if status != 1 or not NOTHING.search(output):
        faults.append(f"{archive.name}: untouched: expected status 1 and 0 points; it ended with {status}.")
    for path in folder.glob("*.py"):
        if (solution / path.name).is_file():
            shutil.copy(solution / path.name, path)
    status, output = run_pytest(folder)
    if status != 0 or not EVERYTHING.search(output):
        faults.append(
            f"{archive.name}: solved: expected status 0 and all tests passed; it ended with {status}."
        )
    return faults


def main(dist: str, solutions: str) -> int:
    """Try every bundle; 0 when all are well."""
    faults = []
    archives = sorted(Path(dist).glob("*.zip"))
    for archive in archives:
        with tempfile.TemporaryDirectory() as scratch:
            faults += try_bundle(archive, Path(solutions) / archive.stem, Path(scratch))
    for fault in faults or ([] if archives else [f"{dist} holds no zip."]):
        print(fault, file=sys.stderr)
    return 1 if faults or not archives else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
