"""``grader grade``: what a class handed in -> scores, feedback and a table."""

from __future__ import annotations

import os
from pathlib import Path

import click

from grader.commands.options import (
    course_option,
    exercise_option,
    load,
    out_option,
    private_option,
    quiet_option,
    results_folder,
)
from grader.errors import GraderError


@click.command(short_help="Grade what a class handed in.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@click.option(
    "--roster",
    "rosters",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Who takes the course: a CSV with id,name,email, or a platform's own people file. Can be repeated.",
)
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
    help="A CSV received_as,student that settles whose files are whose.",
)
@click.option("--allow-unmatched", is_flag=True, help="Exit with 0 although some files belong to nobody.")
@click.option(
    "--sandbox",
    type=click.Choice(("auto", "bwrap", "landlock", "none")),
    default="auto",
    show_default=True,
    help="Which jail; auto takes the best that works here.",
)
@click.option(
    "--gradebook/--no-gradebook", default=True, help="Record in nbgrader's gradebook, if it is installed."
)
@click.option("--unsafe", is_flag=True, help="Allow --sandbox none.")
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
    from grader.folder import kept_roster  # noqa: PLC0415 - --help need not wait for it
    from grader.grading import Options, Progress, grade  # noqa: PLC0415 - the same
    from grader.roster import load_roster  # noqa: PLC0415 - the same
    from grader.terminal import Screen  # noqa: PLC0415 - the same

    course, exercise = load(course_file, exercise_name, private)
    folder = results_folder(out, course, exercise)
    kept = kept_roster(folder, course)
    known = rosters or ((kept,) if kept else ())
    options = Options(
        out=folder,
        roster=load_roster(known) if known else None,
        jobs=jobs or os.cpu_count() or 1,
        scheduler=scheduler,
        format=format_name,
        match=match,
        sandbox=sandbox,
        unsafe=unsafe,
        regrade=regrade,
        gradebook=gradebook,
    )
    screen = Screen(quiet=quiet)
    try:
        summary = grade(course, exercise, paths, options, Progress(screen.started, screen.advanced))
    except KeyboardInterrupt:
        raise GraderError("Stopped; who is graded is kept, and the same call goes on from there.") from None
    finally:
        screen.stopped()
    screen.summary(summary, exercise, folder)
    unmatched = summary.intake.unmatched and not allow_unmatched
    if summary.faults or summary.unkept or summary.complaints or summary.intake.refused or unmatched:
        context.exit(1)
