"""``grader purge``: remove a term's personal data, and say what was removed."""

from __future__ import annotations

import click

from grader.commands.context import Call, shared_options
from grader.results.purge import remove, survey


@click.command(short_help="Remove a term's personal data.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared_options("out")
def command(call: Call, *, yes: bool) -> None:
    """Remove everything about people from DIR: hand-ins, results, feedback, roster, score files, gradebook.

    What is removed is listed first, and asked about. Files that the grader did not make stay and are named.
    What lies elsewhere (downloads, a score file written with --to, the platform itself) is not touched.

    Example: grader purge --exercise contiguous_reservation
    """
    if call.out is None and call.course.gradebook:
        call.say("The gradebook that course.toml names is elsewhere and stays as it is.")
    found = survey(call.folder)
    for one in found.found:
        call.say(f"{one.path}: {one.what}, {one.files} file{'' if one.files == 1 else 's'}")
    for path in found.left:
        call.say(f"{path}: not made by the grader, stays")
    for path in found.shared:
        call.say(f"{path}: the course's, stays for its other exercises")
    if not yes:
        click.confirm(f"Remove all this, about {found.students} students, for good?", abort=True, err=True)
    remove(call.folder, found)
    total = sum(one.files for one in found.found)
    call.say(f"Removed {total} files about {found.students} students from {call.folder}.")
