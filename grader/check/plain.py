"""The suite under plain pytest, as on a student's machine: real modules, no stand-in, a hash seed of choice.

Only the course's own code runs here, never a submission.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from grader.base.errors import CourseError
from grader.check.versions import Version
from grader.course.model import Course

_SECONDS = 120
# Of this machine's environment only what Python needs to start and to make temporary files.
_KEPT = ("PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")


def plain_outcomes(course: Course, tests: Sequence[Path], version: Version, seed: int) -> dict[str, bool]:
    """Whether each test, by its node id below ``tests/``, passes on a version's files.

    Raises:
        CourseError: pytest did not come to an end, or wrote no report.
    """
    root = course.root / "tests"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        for name, data in version.files.items():
            Path(folder, name).write_bytes(data)
        command = [sys.executable, "-B", "-P", "-m", "pytest", "-c", os.devnull, "--rootdir", str(root)]
        command += ["--noconftest", "--import-mode=importlib", "-p", "no:cacheprovider", "--tb=line", "-q"]
        command += ["-p", "pytest_jsonreport.plugin", "--json-report", f"--json-report-file={report}"]
        environment = {
            **{key: os.environ[key] for key in _KEPT if key in os.environ},
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONHASHSEED": str(seed),
            "PYTHONPATH": folder,
        }
        try:
            done = subprocess.run(
                [*command, "--", *map(str, tests)],
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise CourseError(f"{version.where}: pytest took longer than {_SECONDS} seconds.") from None
        except OSError as error:
            raise CourseError(f"{version.where}: pytest could not be started: {error.strerror}.") from None
        try:
            entries = json.loads(report.read_bytes())["tests"]
        except (OSError, ValueError):
            last = done.stdout.decode(errors="replace").strip().splitlines()[-1:]
            raise CourseError(f"{version.where}: pytest wrote no report: {''.join(last)}") from None
    return {entry["nodeid"]: entry["outcome"] == "passed" for entry in entries}
