"""``grader release``: the students' bundle, a folder and a zip of it."""

from __future__ import annotations

from pathlib import Path

import click

from grader.base.errors import CourseError
from grader.commands.options import course_option, exercise_option, load, private_option, quiet_option
from grader.lesson.release import release


@click.command()
@click.option(
    "--to",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("dist"),
    show_default=True,
    help="Where the folder and the zip go.",
)
@exercise_option
@course_option
@private_option
@quiet_option
def command(
    to: Path, exercise_name: str | None, course_file: Path | None, private: Path | None, quiet: bool
) -> None:
    """Write what students get: stubs, handout, visible tests, and a pytest that explains itself.

    Nothing is written when any file would hold a line of solutions/ or tests/hidden/, or name a hidden
    criterion, or is not what its source makes.

    Example: grader release --to dist
    """
    from grader.check.generated import stale  # noqa: PLC0415 - --help need not wait for it

    course, exercise = load(course_file, exercise_name, private)
    for finding in stale(course, exercise):
        raise CourseError(f"Nothing was released: {finding}.")
    folder, archive = release(course, exercise, to)
    if not quiet:
        click.echo(f"{folder}: written", err=True)
        click.echo(f"{archive}: written; give this to your students", err=True)
