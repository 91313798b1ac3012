"""``grader grade``: what a class handed in -> scores, feedback and a table."""

import sys
from dataclasses import replace
from pathlib import Path

import click

from grader.base.errors import GraderError
from grader.base.machine import usable_cpus
from grader.commands.context import FILE, Call, shared_options
from grader.intake.collect import refuse_missing
from grader.intake.other_lesson import exercise_of
from grader.intake.platforms.fetched import INDEX
from grader.results.folder import ROSTER
from grader.run.grade import Options, Progress, grade


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Workers; by default one a processor.")
@click.option(
    "--scheduler", default="", metavar="ADDRESS", help="Grade on a Dask cluster, like tcp://HOST:8786."
)
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    help="Which platform the files come from, if it is not recognised.",
)
@click.option(
    "--regrade",
    is_flag=True,
    help="Grade everyone again, use nothing that earlier runs remember, and write points that change.",
)
@click.option(
    "--match",
    type=FILE,
    metavar="FILE",
    help="unmatched.csv, after you wrote ids of students into its column student.",
)
@click.option("--profile", is_flag=True, help="Show at the end where the CPU time went.")
@click.option("--allow-unmatched", is_flag=True, help="Exit with 0 even if some files belong to nobody.")
@click.option(
    "--gradebook/--no-gradebook", default=True, help="Record in nbgrader's gradebook, if it is installed."
)
@shared_options("rosters", "out", "sandbox", "unsafe", "private", "quiet")
def command(
    call: Call,
    *,
    paths: tuple[Path, ...],
    jobs: int | None,
    scheduler: str,
    format_name: str | None,
    match: Path | None,
    regrade: bool,
    allow_unmatched: bool,
    gradebook: bool,
    profile: bool,
) -> None:
    """Grade what a class handed in.

    PATH is a folder with a folder (or a file) for each student, one student's file, or what a learning
    platform lets you download, as a zip or unpacked. Scores, reports and feedback are written to DIR;
    students graded in an earlier run are kept. Submissions run in a sandbox and cannot touch their tests.
    In a course of several exercises --exercise or the names of the files tell which one it is.

    Exit status: 0 when everyone has a result, 1 when something needs a look, 2 for a mistake in the call.

    Example: grader grade submissions.zip --roster roster.csv
    """
    from grader.run.terminal import Screen  # noqa: PLC0415 - rich takes 0.1 s, and --help needs none of it

    call = _settled(call, paths)
    options = Options(
        out=call.folder,
        roster=call.roster,
        jobs=jobs or usable_cpus(),
        scheduler=scheduler,
        format=format_name,
        match=match,
        sandbox=call.sandbox,
        unsafe=call.unsafe,
        regrade=regrade,
        gradebook=gradebook,
    )
    late = call.exercise.late
    is_charged = late is not None and late.applied_by == "kit" and call.exercise.due is not None
    if is_charged and call.roster and not call.roster.states_extensions:
        call.say("the roster says nothing of extensions: give those who have one a column 'extension'")
    screen = Screen(quiet=call.quiet)
    try:
        progress = Progress(screen.started, screen.advanced)
        summary = grade(call.course, call.exercise, paths, options, progress)
    except KeyboardInterrupt:
        raise GraderError("Stopped; who is graded is kept, and the same call goes on from there.") from None
    finally:
        screen.stopped()
    call.say_recharged(summary.recharged)
    names = {person.id: person.name for person in options.roster.people} if options.roster else {}
    screen.summary(summary, call.exercise, options.out, names)
    if profile:
        screen.profile(summary)
    if summary.needs_a_look or (summary.intake.unmatched and not allow_unmatched):
        sys.exit(1)


def _settled(call: Call, paths: tuple[Path, ...]) -> Call:
    """Settle which exercise is graded, and take the people whom ``grader fetch`` brought."""
    if call.is_open:
        refuse_missing(paths)
        if found := exercise_of(paths, call.course.finished):
            call = call.of(found)
            call.say(f"graded as {found.name}, by the names of the files; --exercise names another")
    if not call.rosters:
        folders = [inner for path in paths for inner in (path, path / call.exercise.name)]
        there = [one / ROSTER for one in folders if (one / INDEX).is_file() and (one / ROSTER).is_file()]
        call = replace(call, rosters=tuple(there))
    return call
