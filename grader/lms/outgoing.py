"""OUT as it is about to leave for a platform: every penalty worked out anew, the kept roster, the results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course
from grader.errors import UsageError
from grader.exercise import Exercise
from grader.folder import opened
from grader.late import Recharge, extensions_of, recharge
from grader.manual import final_results, refresh_manual
from grader.roster import Roster, load_roster
from grader.scoring import Result


@dataclass(frozen=True)
class Outgoing:
    """The results in OUT, the roster kept there (None without one), and whose penalty has just changed."""

    results: tuple[Result, ...]
    roster: Roster | None
    recharged: tuple[Recharge, ...]


def outgoing(out: Path, course: Course, exercise: Exercise) -> Outgoing:
    """Bring OUT up to date with course.toml and the roster, and read it.

    Raises:
        UsageError: There are no results, or they are another exercise's, or the roster cannot be read.
        GraderError: A result is damaged, or something could not be written.
    """
    from grader.keeping import keep_feedback  # noqa: PLC0415 - it brings the whole grader along

    if not (out / "students").is_dir():
        raise UsageError(f"{out} holds no results; grade first, or name the folder with --out DIR.")
    if _holds_sample(out) and not course.sample:
        raise UsageError(f"{out} holds the sample class; grade your own first.")
    kept = out / "roster.csv"
    roster = load_roster([kept]) if kept.is_file() else None
    names = {person.id: person.name for person in roster.people} if roster else {}

    def write_feedback(folder: Path, result: Result) -> None:
        keep_feedback(folder, exercise, result, names.get(result.student, ""))

    with opened(out, course, exercise):
        extensions = extensions_of(roster, course.timezone)
        refresh_manual(course, exercise, out)
        changes = recharge(out, course, exercise, extensions, write_feedback)
    return Outgoing(tuple(final_results(out)), roster, tuple(changes))


def _holds_sample(out: Path) -> bool:
    """Whether these are the sample class's results, which opening OUT for a real class would clear away."""
    try:
        mark = json.loads((out / "grader.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(mark, dict) and mark.get("sample") is True
