"""Makes ``pytest`` in this folder run the visible tests on the files in exercises/."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


sys.path.insert(0, str(ROOT))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --map and --hint."""
    from grader.bundle.options import add  # noqa: PLC0415 - only now it can be found

    add(parser)


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Give a hint in place of running the tests, if one is asked for."""
    from grader.lesson.in_course import give_hint  # noqa: PLC0415 - the same

    return give_hint(config, ROOT)


def pytest_configure(config: pytest.Config) -> None:
    """Start explaining."""
    from grader.lesson.in_course import start  # noqa: PLC0415 - the same

    start(config, ROOT)
