"""Points that people gave, as OUT keeps them: ``OUT/manual.json``, all changes of a student in their order.

Changes by ``grader adjust`` and by nbgrader's formgrader are in one list. For each criterion the later one
counts, until the person takes it back; all are kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from grader.base.errors import GraderError
from grader.base.files import write_whole
from grader.grading.score import Change

MANUAL_FILE = "manual.json"
KEPT_FILE = "manual-kept.json"
"""Where an earlier version kept the scores of a gradebook that is gone."""

Changes = dict[str, tuple[Change, ...]]
"""All changes of each student, in their order."""


def counting(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes that count, in their order: of each criterion the last one that was not taken back.

    Each source takes back its own changes only. A change of the whole score makes all earlier ones void.
    """
    latest: dict[tuple[str, str], tuple[int, Change]] = {}
    for place, change in enumerate(changes):
        latest[change.criterion, change.source] = place, change
    counts: dict[str, Change] = {}
    for _, change in sorted(latest.values(), key=lambda item: item[0]):
        if change.points is not None:
            if not change.criterion:
                counts.clear()
            counts.pop(change.criterion, None)
            counts[change.criterion] = change
    return tuple(counts.values())


def noted(changes: Iterable[Change], given: Mapping[str, float], at: str = "") -> tuple[Change, ...]:
    """Add what is new in formgrader; ``given`` holds all points that people gave there, by criterion."""
    changes = tuple(changes)
    known = {change.criterion: change.points for change in changes if change.source == "formgrader"}
    now: dict[str, float | None] = {**dict.fromkeys(known), **given}
    new = [name for name, points in now.items() if known.get(name) != points]
    return (*changes, *(Change(name, now[name], "formgrader", at=at) for name in sorted(new)))


def kept(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Keep for good what was given in formgrader: the gradebook that held it is gone."""
    return tuple(
        replace(change, source="kept") if change.source == "formgrader" else change for change in changes
    )


def read_changes(out: Path) -> Changes:
    """Read all changes by hand, by student.

    Raises:
        GraderError: A file of them is damaged.
    """
    found: Changes = {}
    for name, source in ((KEPT_FILE, "kept"), (MANUAL_FILE, "formgrader")):
        for student, some in _read(out / name, source).items():
            found[student] = (*found.get(student, ()), *some)
    return found


def write_changes(out: Path, changes: Changes) -> None:
    """Keep all changes; without any, there is no file."""
    path = out / MANUAL_FILE
    plain = {student: msgspec.to_builtins(some) for student, some in sorted(changes.items()) if some}
    if plain:
        write_whole(path, (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode())
    else:
        path.unlink(missing_ok=True)
    (out / KEPT_FILE).unlink(missing_ok=True)


def _read(path: Path, source: str) -> Changes:
    """Read one file; a number is a whole score, as an earlier version kept it."""
    try:
        found: dict[str, Any] = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        return {
            student: msgspec.convert(
                some if isinstance(some, list) else [{"criterion": "", "points": some, "source": source}],
                tuple[Change, ...],
            )
            for student, some in found.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise GraderError(f"{path} is damaged; remove it, and grade again to have it written anew.") from None
