"""Bring OUT up to date without running code: lateness by today's due dates, points from the gradebook."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.base.errors import UsageError
from grader.course.model import Course, Exercise
from grader.gradebook.sync import record_out
from grader.grading.score import FinalResult
from grader.results.folder import holds_sample, kept_roster
from grader.results.late import Recharge
from grader.results.out import Out, open_out
from grader.roster.roster import Roster, load_roster


@dataclass(frozen=True)
class Outgoing:
    """Everyone's final results, the roster that was kept (None without one), and changed penalties."""

    results: tuple[FinalResult, ...]
    roster: Roster | None
    recharged: tuple[Recharge, ...]
    said: str = ""  # a sentence about a gradebook that was made anew, else empty


@contextmanager
def reopened(folder: Path, course: Course, exercise: Exercise) -> Iterator[Out]:
    """Hold OUT with the roster that it kept and the points that people gave, until the block ends."""
    with _held(folder, course, exercise) as out:
        sync(out)
        yield out


def sync(out: Out) -> None:
    """Make what people changed in OUT and in its gradebook the same, if it has one.

    Results of another version of the exercise wait until they are graded again.
    """
    worth = {one.id: one.points for one in out.exercise.criteria}
    if all({one.id: one.max_points for one in result.criteria} == worth for result in out.results()):
        record_out(out, only_known=True)


@contextmanager
def outgoing(folder: Path, course: Course, exercise: Exercise) -> Iterator[Outgoing]:
    """Hold OUT, brought up to date with course.toml, the roster and the gradebook, until the block ends."""
    with _held(folder, course, exercise) as out:
        recharged = out.charge_anew()
        for result in out.results():
            if result.score is not None and result.max_score != exercise.points:
                raise UsageError(
                    f"{folder}: {result.student} was graded out of {result.max_score} points, and the "
                    f"exercise is worth {exercise.points}; grade again with --regrade, "
                    "or name the private criteria with --private DIR."
                )
        said = record_out(out, only_known=True).anew
        out.write_tables()
        yield Outgoing(out.finals(), out.roster, recharged, said)


@contextmanager
def _held(folder: Path, course: Course, exercise: Exercise) -> Iterator[Out]:
    if not (folder / "students").is_dir():
        raise UsageError(f"{folder} holds no results; grade first, or name the folder with --out DIR.")
    if holds_sample(folder) and not course.sample:
        raise UsageError(
            f"{folder} holds the sample class; grade your own first, "
            "or name the sample's course file with --course."
        )
    kept = kept_roster(folder, course)
    roster = load_roster([kept]) if kept else None
    with open_out(folder, course, exercise, roster) as out:
        yield out
