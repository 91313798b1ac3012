"""For every test: no waiting for the disk, Ctrl-C works in background jobs, in CI a skipped test fails."""

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import TypeVar

import pytest

VARIABLE = "KIT_NOTHING_SKIPPED"

T = TypeVar("T")
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

# Images of containers often set this for their own build; then every process compiles tests and grader.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No test cuts the power; waiting for the disk took half of the time of the tests that write files.
os.fsync = lambda _file: None

# Whoever runs the visible tests in a clone has pytest alone.
with suppress(ModuleNotFoundError):
    import hypothesis

    # A busy machine draws examples slowly; that is no reason to fail.
    hypothesis.settings.register_profile(
        "kit", suppress_health_check=[hypothesis.HealthCheck.too_slow], deadline=None
    )
    hypothesis.settings.load_profile("kit")


def pytest_configure() -> None:
    """Receive Ctrl-C also where a shell started the session in the background.

    A shell starts background jobs with SIGINT ignored, and every child process inherits that; the students'
    plugin, which stops endless loops with SIGINT, would then leave them running.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without Python's garbage collector, which takes 40 % of the time and finds nothing."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a test's skip into a failure."""
    return _not_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn the skip of a whole file into a failure."""
    return _not_skipped((yield))


def _not_skipped(report: Report) -> Report:
    if os.environ.get(VARIABLE) and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason}; with {VARIABLE} set nothing may be skipped"
    return report


@pytest.fixture(scope="module")
def unforked() -> Iterator[None]:
    """Tables are read without a process of their own, which costs far more than a small table.

    ``tests/unit/sources/`` has the tests of that process.
    """
    import msgspec  # noqa: PLC0415 - pytest alone is enough for the visible tests

    def read_here(read: Callable[[], T], kind: type[T], _seconds: float) -> T:
        return msgspec.json.decode(msgspec.json.encode(read()), type=kind)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.sources.table.read_one", read_here)
        yield


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser; without one the test is skipped."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    return found or pytest.skip("there is no Chromium here (apt-get install chromium)")
