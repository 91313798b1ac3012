"""``grader package``: an autograder archive for a platform that runs autograders itself."""

from __future__ import annotations

from pathlib import Path

import click

from grader.base.files import write_whole
from grader.commands.context import FILE, Call, shared_options
from grader.lms.gradescope.package import autograder_zip


@click.command(short_help="Build an autograder archive for a platform.")
@click.argument("platform_name", metavar="PLATFORM", type=click.Choice(["gradescope"]))
@click.option(
    "--to",
    type=FILE,
    default=Path("autograder.zip"),
    show_default=True,
    metavar="FILE",
    help="Where to write it.",
)
@shared_options("private")
def command(call: Call, platform_name: str, to: Path) -> None:
    """Build the archive that Gradescope makes an autograder of.

    It holds the kit and one exercise's tests; no solution, no other exercise, no platform's settings. In
    Gradescope set the assignment's points to the exercise's. Hidden criteria are shown when grades are
    published.

    Example: grader package gradescope --to autograder.zip
    """
    del platform_name
    write_whole(to, autograder_zip(call.course_path, call.course, call.exercise))
    call.say(f"{to}: set the assignment to {call.exercise.points} points in Gradescope.")
