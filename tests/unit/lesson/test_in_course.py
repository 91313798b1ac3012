"""pytest where a person first tries it: in a clone of the course, in exercises/ and in tests/visible."""

import subprocess
import sys

import pytest
from helpers.paths import ROOT

WITH_PYTEST_ALONE = """
import sys
from importlib.metadata import packages_distributions

needed = {"pytest", "_pytest", "py", "iniconfig", "packaging", "pluggy", "pygments", "grader"}
sys.modules.update(dict.fromkeys([*(set(packages_distributions()) - needed), "grader.cli"]))
import pytest
"""
NAME = "contiguous_reservation"


def run(folder, *arguments):
    """``pytest`` in a folder of the course, where no other package can be imported; status and lines."""
    code = f"{WITH_PYTEST_ALONE}\nsys.exit(pytest.main(['-p', 'no:cacheprovider', *{arguments!r}]))"
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        cwd=ROOT / folder,
        env={"PYTHONUTF8": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=False,
        timeout=60,
        encoding="utf-8",
    )
    return done.returncode, done.stdout.splitlines() + done.stderr.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "arguments", "points"),
    [
        (f"exercises/{NAME}", [], [12]),
        ("exercises/block_tables", [], [14]),
        ("exercises", [], [14, 12]),
        ("tests/visible", [], [14, 12]),
        (".", ["tests/visible"], [14, 12]),
        (".", [f"exercises/{NAME}"], [12]),
        (f"tests/visible/{NAME}", [], [12]),
    ],
)
def test_visible_tests_run_on_the_stubs(folder, arguments, points):
    """All tests of the lessons that are asked for run on the untouched stubs, each with a summary."""
    status, lines = run(folder, *arguments)
    assert status == 1
    assert [line for line in lines if " not started in " in line and "passed" not in line]
    assert sum(line.startswith("○ ") and line.endswith("not started") for line in lines) == 6 * len(points)
    said = [int(line.split()[2]) for line in lines if "visible points so far" in line]
    assert sorted(said) == sorted(points)
    assert not [line for line in lines if "Traceback" in line or "Next time" in line]


@pytest.mark.slow
def test_one_test_is_found_beside_the_stubs():
    """A test file is named in the exercise's folder as a student names it in the bundle."""
    status, lines = run(f"exercises/{NAME}", "test_reservation.py::TestPagedUp")
    assert status == 1
    assert [line for line in lines if " not started in " in line]
