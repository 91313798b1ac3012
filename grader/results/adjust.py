"""Points and comments by hand, as OUT keeps them: ``OUT/manual.json``, all of a student in their order.

Changes by ``grader adjust`` and by nbgrader's formgrader are in one list. For each criterion the later one
counts, until the person takes it back; all are kept. ``OUT/gradebook.json`` holds what of them the gradebook
had when it was last brought up to date, by which a person's new points are told from old ones.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from grader.base.errors import GraderError
from grader.base.files import write_whole
from grader.grading.score import Change

MANUAL_FILE = "manual.json"
KEPT_FILE = "manual-kept.json"  # where an earlier version kept the scores of a gradebook that is gone

GRADEBOOK_FILE = "gradebook.json"
_Item = tuple[str, str, float | str]

ChangesByStudent = dict[str, tuple[Change, ...]]  # all changes of each student, in their order


ValueKey = tuple[str, str]
Values = Mapping[ValueKey, float | str]
"""Values that count, by what they are (points, extra, comment) and of which criterion or task."""


def counting(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes that count, in their order: of each criterion the last one that was not taken back.

    Formgrader shows what counts, so that what a person removes there is gone whoever gave it; any other
    source takes back its own changes only. A change of the whole score makes all earlier points void.
    """
    latest: dict[tuple[str, str, str], tuple[int, Change]] = {}
    for place, change in enumerate(changes):
        if change.source == "formgrader" and change.value is None:
            for key in [key for key in latest if key[:2] == (change.what, change.criterion)]:
                del latest[key]
        latest[change.what, change.criterion, change.source] = place, change
    counts: dict[ValueKey, Change] = {}
    for _, change in sorted(latest.values(), key=lambda item: item[0]):
        if change.value is not None:
            if not change.criterion:
                counts = {key: one for key, one in counts.items() if one.what == "comment"}
            counts.pop((change.what, change.criterion), None)
            counts[change.what, change.criterion] = change
    return tuple(counts.values())


def values_of(changes: Iterable[Change]) -> Values:
    """The values that count; those of a score as a whole are left out."""
    found = {(one.what, one.criterion): one.value for one in counting(changes) if one.criterion}
    return {key: value for key, value in found.items() if value is not None}


def read_in_gradebook(out: Path) -> dict[str, Values] | None:
    """Read what the gradebook had, by student; None if nothing was ever recorded."""
    path = out / GRADEBOOK_FILE
    try:
        return {
            student: {(what, name): value for what, name, value in some}
            for student, some in msgspec.json.decode(path.read_bytes(), type=dict[str, list[_Item]]).items()
        }
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise GraderError(
            f"{path} is damaged; remove it, and grade again to have it written again."
        ) from None


def write_in_gradebook(out: Path, known: Mapping[str, Values]) -> None:
    """Keep what the gradebook has of everyone with changes by hand, also where all are taken back."""
    plain = {student: items_of(values) for student, values in sorted(known.items())}
    write_whole(out / GRADEBOOK_FILE, (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode())


def items_of(values: Values) -> list[_Item]:
    """Values as JSON holds them, sorted."""
    return sorted((what, name, value) for (what, name), value in values.items())


def read_changes(out: Path) -> ChangesByStudent:
    """Read all changes by hand, by student."""
    found: ChangesByStudent = {}
    for name, source in ((KEPT_FILE, "kept"), (MANUAL_FILE, "formgrader")):
        for student, some in _read(out / name, source).items():
            found[student] = (*found.get(student, ()), *some)
    return found


def write_changes(out: Path, changes: ChangesByStudent) -> None:
    """Keep all changes; without any, there is no file."""
    path = out / MANUAL_FILE
    plain = {student: msgspec.to_builtins(some) for student, some in sorted(changes.items()) if some}
    if plain:
        write_whole(path, (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode())
    else:
        path.unlink(missing_ok=True)
    (out / KEPT_FILE).unlink(missing_ok=True)


def _read(path: Path, source: str) -> ChangesByStudent:
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
        raise GraderError(
            f"{path} is damaged: restore it from a backup. If you remove it, points count only as far "
            "as the gradebook has them."
        ) from None
