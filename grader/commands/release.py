"""``grader release``: the students' bundle, a folder and a zip of it."""

from __future__ import annotations

from pathlib import Path

import click

from grader.base.errors import CourseError
from grader.check.generated import stale
from grader.commands.context import FOLDER, Call, shared_options
from grader.lesson.release import release


@click.command()
@click.option(
    "--to",
    metavar="DIR",
    type=FOLDER,
    default=Path("dist"),
    show_default=True,
    help="Where the folder and the zip go.",
)
@shared_options("private", "quiet")
def command(call: Call, to: Path) -> None:
    """Write what students get: stubs, handout, visible tests, and a pytest that explains itself.

    Nothing is written when any file would hold a line of solutions/ or tests/hidden/, or name a hidden
    criterion, or is not what its source makes.

    Example: grader release --to dist
    """
    for finding in stale(call.course, call.exercise):
        raise CourseError(f"Nothing was released: {finding}.")
    folder, archive = release(call.course, call.exercise, to)
    call.say(f"{folder}: written")
    call.say(f"{archive}: written; give this to your students")
