"""Where the kit and its tests lie, and the environment of programs that coverage need not measure."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"


def unmeasured():
    """Return our environment without what makes coverage measure a process, which doubles its time."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
