"""``grader nbgrader``: a native nbgrader course for an instructor who works there."""

from __future__ import annotations

from pathlib import Path

import click

from grader.base.errors import UsageError
from grader.commands.context import FOLDER, Call, shared_options
from grader.course.load import COURSE_FILE
from grader.course.model import Course
from grader.gradebook.native import lay_out, refuse_native
from grader.results.out import open_out


@click.command(short_help="Lay out a native nbgrader course.")
@click.argument("folder", metavar="DIR", type=FOLDER)
@shared_options("rosters", "out", "private", "quiet")
def command(call: Call, folder: Path) -> None:
    """Lay out a native nbgrader course in DIR, or bring it up to date.

    DIR gets nbgrader's settings, the source notebook and the roster. Existing results are recorded, and their
    pages put where formgrader and release_feedback find them. DIR/README.md says which commands of nbgrader
    not to use, and why.

    Example: grader nbgrader course --roster roster.csv
    """
    _refuse_course_folder(folder, call.course)
    people = call.roster.people if call.roster else ()
    # What can be refused is refused before OUT is opened, which removes the sample class.
    refuse_native(call.course, call.exercise, folder, call.folder)
    with open_out(call.folder, call.course, call.exercise, call.roster) as out:
        layout = lay_out(out, folder)
        out.write_roster()
    for name in layout.kept:
        call.say(f"{folder / name}: changed by hand, left as it is", always=True)
    if layout.recorded.anew:
        call.say(layout.recorded.anew, always=True)
    for student in layout.recorded.overtaken:
        text = f"{student}: was given points by hand, which count; what the grader found has changed since"
        call.say(text, always=True)
    call.say(
        f"{folder} is an nbgrader course: {len(people)} people, {layout.recorded.recorded} results. "
        f"Read {folder / 'README.md'} first."
    )


def _refuse_course_folder(folder: Path, course: Course) -> None:
    """Refuse a folder that holds a course.toml, and the folders in which the course keeps its own files."""
    place = folder.resolve()
    own = [course.root / name for name in ("exercises", "solutions", "tests")]
    if (folder / COURSE_FILE).is_file() or place == course.root or any(map(place.is_relative_to, own)):
        raise UsageError(f"{folder} belongs to a course of the grader; name another folder for nbgrader.")
