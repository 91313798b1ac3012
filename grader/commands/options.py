"""The options that several commands share, each with its meaning in one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.course.load import find_course, load_course
from grader.course.model import Course, Exercise
from grader.sandbox.host import SANDBOXES

if TYPE_CHECKING:
    from grader.roster.roster import Roster

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

course_option: Decorator = click.option(
    "--course",
    "course_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The course file; without it the nearest course.toml upwards.",
)
exercise_option: Decorator = click.option(
    "--exercise", "exercise_name", metavar="NAME", help="The exercise; needed when the course has several."
)
out_option: Decorator = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where the results are; without it graded/ (graded/NAME/ when the course has several exercises).",
)
private_option: Decorator = click.option(
    "--private",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="A folder outside the repository with hidden tests of your own and their private.toml.",
)
roster_option: Decorator = click.option(
    "--roster",
    "rosters",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Who takes the course: a CSV with id,name,email, or a platform's own people file. Without it the "
    "roster of the last run. Can be repeated.",
)
sandbox_option: Decorator = click.option(
    "--sandbox",
    type=click.Choice(SANDBOXES),
    default="auto",
    show_default=True,
    help="Which jail; auto takes the best that works here.",
)
unsafe_option: Decorator = click.option("--unsafe", is_flag=True, help="Allow --sandbox none.")
quiet_option: Decorator = click.option("--quiet", is_flag=True, help="Say only what went wrong.")


def load(
    course_file: Path | None, exercise_name: str | None, private: Path | None = None
) -> tuple[Course, Exercise]:
    """The course and the exercise that a call means.

    Raises:
        UsageError: There is none, or the call does not say which.
        CourseError: Something in the course file is wrong.
    """
    course = load_course(course_file or find_course(Path.cwd()), private)
    return course, course.exercise(exercise_name)


def people(rosters: Sequence[Path], out: Path, course: Course) -> Roster | None:
    """The roster that was named, or else the one that OUT kept; None where there is neither.

    Raises:
        UsageError: It cannot be read.
        GraderError: OUT's mark is damaged.
    """
    from grader.results.folder import kept_roster  # noqa: PLC0415 - --help need not wait for it
    from grader.roster.roster import load_roster  # noqa: PLC0415 - the same

    kept = kept_roster(out, course)
    known = rosters or ((kept,) if kept else ())
    return load_roster(known) if known else None


def results_folder(out: Path | None, course: Course, exercise: Exercise) -> Path:
    """OUT: as it was named, or the default below the current folder."""
    if out is not None:
        return out
    return Path("graded") / exercise.name if len(course.exercises) > 1 else Path("graded")
