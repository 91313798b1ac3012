"""``grader grade``: what a class handed in -> scores, feedback and a table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.base.errors import GraderError
from grader.commands.options import (
    course_option,
    exercise_option,
    load,
    out_option,
    people,
    private_option,
    quiet_option,
    results_folder,
    roster_option,
    sandbox_option,
    unsafe_option,
)
from grader.commands.telling import say_recharged
from grader.course.model import Course, Exercise

if TYPE_CHECKING:
    from grader.run.grade import Options, Summary


@click.command(short_help="Grade what a class handed in.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@roster_option
@out_option
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Workers; without it one a processor.")
@click.option(
    "--scheduler", default="", metavar="ADDRESS", help="Grade on a Dask cluster, like tcp://HOST:8786."
)
@click.option(
    "--format", "format_name", metavar="NAME", help="Which platform the files come from, if not recognised."
)
@click.option("--regrade", is_flag=True, help="Grade again what has not changed since the last run.")
@click.option(
    "--match",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="unmatched.csv with its column student filled in: whose files are whose.",
)
@click.option("--allow-unmatched", is_flag=True, help="Exit with 0 although some files belong to nobody.")
@sandbox_option
@click.option(
    "--gradebook/--no-gradebook", default=True, help="Record in nbgrader's gradebook, if it is installed."
)
@unsafe_option
@private_option
@exercise_option
@course_option
@quiet_option
@click.pass_context
def command(  # noqa: PLR0917 - click hands over one argument an option
    context: click.Context,
    paths: tuple[Path, ...],
    rosters: tuple[Path, ...],
    out: Path | None,
    jobs: int | None,
    scheduler: str,
    format_name: str | None,
    regrade: bool,
    match: Path | None,
    allow_unmatched: bool,
    sandbox: str,
    gradebook: bool,
    unsafe: bool,
    private: Path | None,
    exercise_name: str | None,
    course_file: Path | None,
    quiet: bool,
) -> None:
    """Grade what a class handed in.

    PATH is a folder with a folder (or a file) for each student, one student's file, or what a learning
    platform lets you download, as a zip or unpacked. Scores, reports and feedback are written to DIR;
    students graded in an earlier run are kept. Submissions run in a sandbox and cannot touch their tests.

    Exit status: 0 when everyone has a result, 1 when something needs a look, 2 for a mistake in the call.

    Example: grader grade submissions.zip --roster roster.csv
    """
    from grader.run.grade import Options  # noqa: PLC0415 - --help need not wait for it

    course, exercise = load(course_file, exercise_name, private)
    folder = results_folder(out, course, exercise)
    options = Options(
        out=folder,
        roster=people(rosters, folder, course),
        jobs=jobs or os.cpu_count() or 1,
        scheduler=scheduler,
        format=format_name,
        match=match,
        sandbox=sandbox,
        unsafe=unsafe,
        regrade=regrade,
        gradebook=gradebook,
    )
    summary = _watched(course, exercise, paths, options, quiet=quiet)
    if summary.needs_a_look or (summary.intake.unmatched and not allow_unmatched):
        context.exit(1)


def _watched(
    course: Course, exercise: Exercise, paths: Sequence[Path], options: Options, *, quiet: bool
) -> Summary:
    """Grade while a person watches, and tell them how it went."""
    from grader.run.grade import Progress, grade  # noqa: PLC0415 - --help need not wait for it
    from grader.run.terminal import Screen  # noqa: PLC0415 - the same

    screen = Screen(quiet=quiet)
    try:
        summary = grade(course, exercise, paths, options, Progress(screen.started, screen.advanced))
    except KeyboardInterrupt:
        raise GraderError("Stopped; who is graded is kept, and the same call goes on from there.") from None
    finally:
        screen.stopped()
    say_recharged(summary.recharged, quiet=quiet)
    screen.summary(summary, exercise, options.out)
    return summary
