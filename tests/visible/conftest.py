"""Makes ``pytest`` in this folder run the visible tests on the files in exercises/."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_configure(config: pytest.Config) -> None:
    """Start explaining."""
    sys.path.insert(0, str(ROOT))
    from grader.lesson.in_course import start  # noqa: PLC0415 - only now it can be found

    start(config, ROOT)
