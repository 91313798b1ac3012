"""``grader package``: an autograder archive for a platform that runs autograders itself."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.options import course_option, exercise_option, load, private_option


@click.command(short_help="Build an autograder archive for a platform.")
@click.argument("platform_name", metavar="PLATFORM", type=click.Choice(["gradescope"]))
@click.option(
    "--to",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("autograder.zip"),
    show_default=True,
    metavar="FILE",
    help="Where to write it.",
)
@exercise_option
@course_option
@private_option
def command(
    platform_name: str,
    to: Path,
    exercise_name: str | None,
    course_file: Path | None,
    private: Path | None,
) -> None:
    """Build the archive that Gradescope makes an autograder of.

    It holds the kit and one exercise's tests; no solution, no other exercise, no platform's settings. In
    Gradescope set the assignment's points to the exercise's. Hidden criteria are shown when grades are
    published.

    Example: grader package gradescope --to autograder.zip
    """
    from grader.base.files import write_whole  # noqa: PLC0415 - the same
    from grader.course.load import find_course  # noqa: PLC0415 - --help need not wait for it
    from grader.lms.gradescope.package import autograder_zip  # noqa: PLC0415 - the same

    del platform_name
    course_file = course_file or find_course(Path.cwd())
    course, exercise = load(course_file, exercise_name, private)
    write_whole(to, autograder_zip(course_file, course, exercise))
    click.echo(f"{to}: set the assignment to {exercise.points} points in Gradescope.", err=True)
