"""What grading costs against plain pytest, counted in CPU time of all processes in one run."""

import re
import subprocess
import sys

import pytest
from helpers.paths import ROOT, unmeasured

pytestmark = pytest.mark.slow


def test_grading_costs_no_more_than_twice_what_it_did():
    """Of a class of 40, one with an endless loop, a hand-in costs 1/4 of plain pytest, and 1/5 again.

    Twice as bad fails. In a class of 40 most of it is the start; ``make bench`` has the larger ones.
    """
    call = [sys.executable, "benchmarks/compare.py", "--count", "40", "--plain", "5"]
    done = subprocess.run(
        call, capture_output=True, text=True, check=True, cwd=ROOT, timeout=900, env=unmeasured()
    )
    cold, kept = (float(found) for found in re.findall(r"1/([0-9.]+) of plain pytest", done.stdout))
    assert cold > 4 / 2, done.stdout
    assert kept > 5 / 2, done.stdout
    assert float(re.findall(r"largest process +(\d+) MiB", done.stdout)[0]) < 300
    assert float(re.findall(r"grader --help +([0-9.]+) s", done.stdout)[0]) < 0.3
