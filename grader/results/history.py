"""Results that grading the same hand-in again changes; the earlier ones are kept as ``history/N.json``."""

from dataclasses import dataclass
from pathlib import Path

from grader.base.files import write_whole
from grader.grading.score import Result
from grader.results.student import load_result, read_stamp, result_bytes, student_folder
from grader.sources.submission import Submission

HISTORY = "history"


@dataclass(frozen=True)
class Move:
    """A student whose points differ when the same hand-in is graded again: points of the tests, and why.

    ``criteria`` are those that give other points, or are worth another number of points than before.
    """

    student: str
    before: float
    after: float
    criteria: tuple[str, ...]


def move_between(earlier: Result, now: Result) -> Move | None:
    """What grading again changes; None if every criterion gives what it gave."""
    old = {one.id: (one.points, one.max_points) for one in earlier.criteria}
    new = {one.id: (one.points, one.max_points) for one in now.criteria}
    changed = tuple(name for name in {**old, **new} if old.get(name) != new.get(name))
    if not changed:
        return None
    before, after = (sum(points for points, _ in some.values()) for some in (old, new))
    return Move(now.student, before, after, changed)


def graded_before(out: Path, submission: Submission) -> Result | None:
    """The kept result of the same hand-in, if one was graded to the end; by whichever suite."""
    folder = student_folder(out, submission.student)
    if read_stamp(folder).get("digest") != submission.digest or not (folder / "result.json").exists():
        return None
    found = load_result(folder / "result.json")
    return found if found.status == "graded" else None


def keep_history(out: Path, result: Result) -> None:
    """Keep a result that is about to be replaced."""
    folder = student_folder(out, result.student)
    number = len(earlier_results(folder)) + 1
    write_whole(folder / HISTORY / f"{number}.json", result_bytes(result), durable=False)


def earlier_results(folder: Path) -> list[Result]:
    """The results of a student that were replaced, the oldest first."""
    paths = (folder / HISTORY).glob("*.json")
    return [load_result(path) for path in sorted(paths, key=lambda path: (len(path.name), path.name))]
