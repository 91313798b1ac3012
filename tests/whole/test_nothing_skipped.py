"""With KIT_NOTHING_SKIPPED set, as in CI, a skipped test is a failure."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TESTS = """\
import pytest

def test_passes():
    pass

def test_skips():
    pytest.skip("no dragon here")

@pytest.mark.skipif(True, reason="no unicorn here")
def test_is_skipped():
    pass

@pytest.mark.xfail(strict=True)
def test_is_known_to_fail():
    assert False
"""


def run(folder, **variables):
    """Run pytest in a folder with our conftest; return its output."""
    shutil.copy(Path(__file__).parents[1] / "conftest.py", folder)
    (folder / "pytest.ini").write_text("[pytest]\n")
    kept = {key: value for key, value in os.environ.items() if key != "KIT_NOTHING_SKIPPED"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", str(folder)],
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    return done.stdout


@pytest.fixture
def folder(tmp_path):
    """A folder with a test that passes, two that skip, and a file that skips as a whole."""
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "test_none.py").write_text(
        "import pytest\npytest.skip('no griffin here', allow_module_level=True)\n"
    )
    return tmp_path


def test_skips_are_failures_with_the_variable(folder):
    """A skipped test fails, with its reason; an expected failure does not."""
    (folder / "test_none.py").unlink()
    said = run(folder, KIT_NOTHING_SKIPPED="1")
    for reason in ("no dragon here", "no unicorn here"):
        assert f"{reason}; with KIT_NOTHING_SKIPPED set nothing may be skipped" in said
    assert "1 failed, 1 passed, 1 xfailed, 1 error" in said


def test_a_skipped_file_is_an_error_with_the_variable(folder):
    """A file that skips itself is an error."""
    said = run(folder, KIT_NOTHING_SKIPPED="1")
    assert "no griffin here; with KIT_NOTHING_SKIPPED set nothing may be skipped" in said
    assert "1 error" in said


def test_skips_are_skips_without_it(folder):
    """Without the variable a skip is a skip."""
    assert "1 passed, 3 skipped, 1 xfailed" in run(folder)
