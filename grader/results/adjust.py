"""Points that a person gave in nbgrader's formgrader, as OUT keeps them: ``OUT/manual.json``.

When the gradebook that they were given in is gone, they go into ``OUT/manual-kept.json`` and still count,
unless a person gives that student other points in the new gradebook.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from grader.base.errors import GraderError
from grader.base.files import write_whole

MANUAL_FILE = "manual.json"
KEPT_FILE = "manual-kept.json"


def read_manual(out: Path) -> dict[str, float]:
    """The scores that people gave, in points before the late penalty, by student.

    Raises:
        GraderError: A file of them is damaged.
    """
    return read_kept(out) | _read(out / MANUAL_FILE)


def read_kept(out: Path) -> dict[str, float]:
    """Those of them that were given in a gradebook that is gone.

    Raises:
        GraderError: The file of them is damaged.
    """
    return _read(out / KEPT_FILE)


def write_manual(out: Path, manual: Mapping[str, float]) -> None:
    """Keep the scores that the gradebook holds now; without any, there is no file."""
    _write(out / MANUAL_FILE, manual)


def keep_manual(out: Path) -> None:
    """Keep all scores that are known now for good: the gradebook that held them is gone."""
    _write(out / KEPT_FILE, read_manual(out))
    _write(out / MANUAL_FILE, {})


def _read(path: Path) -> dict[str, float]:
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(points, int | float) for points in found.values()):
        raise GraderError(f"{path} is damaged; remove it, and grade again to have it written anew.")
    return {str(student): float(points) for student, points in found.items()}


def _write(path: Path, manual: Mapping[str, float]) -> None:
    if manual:
        write_whole(path, (json.dumps(dict(sorted(manual.items())), indent=1) + "\n").encode())
    else:
        path.unlink(missing_ok=True)
