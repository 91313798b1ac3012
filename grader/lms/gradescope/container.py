"""Grade one submission inside Gradescope's container; ``results/results.json`` is written whatever happens.

``submission/`` holds the student's files, and ``submission_metadata.json`` says when they came and when they
were due. The work is done by the commands ``grade`` and ``export``, as an instructor would call them.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.course.layers import COURSE_FILE, PRIVATE_FILE
from grader.course.load import load_course
from grader.sources.archives import NBGRADER_TIMESTAMP

STUDENT = "student"
COMMAND_SECONDS = 600.0
"""How long each command may take; Gradescope stops an autograder after a limit of 10 minutes or more."""
NO_RESULT = "The grader itself failed. It is not your code; your instructor can run it again."
"""What a student reads when there is no result."""


def main(root: Path) -> int:
    """Grade the submission; return the exit status, 0 if there is a result."""
    results = root / "results" / "results.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="grading-") as work:
        try:
            done = _grade(root, Path(work), results)
        except Exception as error:  # noqa: BLE001 - there is a result whatever happens
            sys.stdout.write(f"{type(error).__name__}: {error}\n")
            done = False
    if not done or not results.is_file():
        # Without a score Gradescope says that the autograder failed, which is true.
        fault = {"output": NO_RESULT, "output_format": "text"}
        fault |= {"visibility": "visible", "stdout_visibility": "hidden"}
        results.write_text(json.dumps(fault) + "\n", encoding="utf-8")
    results.chmod(0o644)
    return 0 if done else 1


def _grade(root: Path, work: Path, results: Path) -> bool:
    course = root / "source" / "course" / COURSE_FILE
    private = root / "source" / "private"
    has_private = (private / PRIVATE_FILE).is_file()
    exercise = load_course(course, private if has_private else None).exercise(None).name
    metadata = _metadata(root / "submission_metadata.json")
    submitted = work / "submitted" / STUDENT / exercise
    # A link is copied as a link, and the intake refuses it; sockets and the like are left out.
    with suppress(shutil.Error):
        shutil.copytree(
            root / "submission", submitted, symlinks=True, ignore=shutil.ignore_patterns(NBGRADER_TIMESTAMP)
        )
    came = _time(metadata.get("created_at"))
    if came is not None:
        (submitted / NBGRADER_TIMESTAMP).write_text(came.isoformat(), encoding="utf-8")
    roster = work / "roster.csv"
    due = _own_due(metadata)
    roster.write_text(
        f"id,name,email,extension\n{STUDENT},,,{due.isoformat() if due else ''}\n", encoding="utf-8"
    )
    out = work / "graded"
    common = ["--course", str(course), "--out", str(out), "--quiet"]
    common += ["--private", str(private)] if has_private else []
    wanted = ["--format", "nbgrader", "--sandbox", "landlock", "--no-gradebook", "--roster", str(roster)]
    _call("grade", str(work / "submitted"), *wanted, *common)
    return _call("export", "gradescope", "--student", STUDENT, "--to", str(results), *common)


def _call(*arguments: str) -> bool:
    """Run one of our commands; its messages go to standard output, which students do not see."""
    command = [sys.executable, "-P", "-m", "grader", *arguments]
    done = subprocess.run(command, stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS, check=False)
    return done.returncode == 0


def _metadata(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        document = json.loads(path.read_bytes())
        return document if isinstance(document, dict) else {}
    return {}


def _own_due(metadata: dict[str, Any]) -> datetime | None:
    """The latest due date among the group's members, with extensions; else the assignment's."""
    members = metadata.get("users")
    dates = []
    for holder in (*(members if isinstance(members, list) else ()), metadata):
        assignment = holder.get("assignment") if isinstance(holder, dict) else None
        dates.append(_time(assignment.get("due_date")) if isinstance(assignment, dict) else None)
    return max((date for date in dates[:-1] if date), default=dates[-1])


def _time(text: object) -> datetime | None:
    """A time with its zone, in UTC; None for anything else."""
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        return moment.astimezone(UTC) if moment is not None and moment.tzinfo is not None else None
    return None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
