"""``grader nbgrader``: a native nbgrader course for an instructor who works there."""

from pathlib import Path

import click

from grader.base.errors import UsageError
from grader.commands.context import FOLDER, Call, shared_options
from grader.course.layers import COURSE_FILE
from grader.gradebook.native import lay_out, refuse_native
from grader.results.out import open_out


@click.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@shared_options("rosters", "out", "private", "quiet")
def command(call: Call, folder: Path) -> None:
    """Lay out a native nbgrader course in DIR, or bring it up to date.

    DIR gets nbgrader's settings, the source notebook and the roster. Existing results are recorded, and their
    pages put where formgrader and release_feedback find them. DIR/README.md says which commands of nbgrader
    not to use, and why. Without --exercise and --out every exercise except drafts is laid out.

    Example: grader nbgrader course --roster roster.csv
    """
    place, root = folder.resolve(), call.course.root
    own = [root / name for name in ("exercises", "solutions", "tests")]
    if (folder / COURSE_FILE).is_file() or place == root or any(map(place.is_relative_to, own)):
        raise UsageError(f"{folder} belongs to a course of the grader; name another folder for nbgrader.")
    calls = [call] if call.out else list(call.each)
    # What can be refused is refused before OUT is opened, which removes the sample class.
    for one in calls:
        refuse_native(one.course, one.exercise, folder, one.folder)
    recorded = 0
    for one in calls:
        with open_out(one.folder, one.course, one.exercise, one.roster) as out:
            layout = lay_out(out, folder)
            out.write_roster()
        recorded += layout.recorded.recorded
        for name in layout.kept:
            call.say(f"{folder / name}: changed by hand, left as it is", always=True)
        if layout.recorded.anew:
            call.say(layout.recorded.anew, always=True)
        for student in layout.recorded.overtaken:
            text = (
                f"{student}: was given points by hand, which count; what the grader found has changed since"
            )
            call.say(text, always=True)
    people = calls[0].roster.people if calls[0].roster else ()
    call.say(
        f"{folder} is an nbgrader course: {len(people)} people, {recorded} results. "
        f"Read {folder / 'README.md'} first."
    )
