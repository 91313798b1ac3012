"""OUT as it is about to leave for a platform: every penalty worked out anew, the kept roster, the results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.base.errors import UsageError
from grader.course.model import Course, Exercise
from grader.grading.score import Result
from grader.results.adjust import final_results, refresh_manual
from grader.results.folder import holds_sample, opened
from grader.results.late import Recharge, extensions_of, recharge
from grader.roster.roster import Roster, load_roster


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
    from grader.results.student import keep_feedback  # noqa: PLC0415 - it brings the whole grader along

    if not (out / "students").is_dir():
        raise UsageError(f"{out} holds no results; grade first, or name the folder with --out DIR.")
    if holds_sample(out) and not course.sample:
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
        results = tuple(final_results(out))
    _refuse_other_points(out, exercise, results)
    return Outgoing(results, roster, tuple(changes))


def _refuse_other_points(out: Path, exercise: Exercise, results: Iterable[Result]) -> None:
    """Refuse scores out of another maximum than the exercise's, such as those with private criteria."""
    for result in results:
        if result.score is not None and result.max_score != exercise.points:
            raise UsageError(
                f"{out}: {result.student} was graded out of {result.max_score} points, and the exercise is "
                f"worth {exercise.points}; grade again, or name the private criteria with --private DIR."
            )
