"""``grader fetch``: bring what a class handed in from a learning platform."""

import sys
from contextlib import closing
from pathlib import Path

import click

from grader.commands.context import FOLDER, Call, shared_options, to_option
from grader.lms.fetch.inbox import fetch
from grader.lms.upload.connect import connect_source


@click.command()
@click.argument("platform_name", metavar="PLATFORM", type=click.Choice(["canvas", "moodle"]))
@to_option(FOLDER, "Where files go; without it in/NAME/, with the exercise's name.")
@shared_options("out", "private", "quiet")
def command(call: Call, platform_name: str, *, to: Path | None) -> None:
    """Bring people, hand-ins, their times, extensions and groups from a platform (canvas or moodle).

    It uses the token with which scores are uploaded. Only what is new is read; the command can be stopped
    and run again. Git ignores in/. Afterwards "grader grade in/" needs no roster. With attempts = "best" in
    course.toml it brings all attempts, otherwise the latest. Of several exercises it takes the
    one that DIR is named after, or the only one with an assignment on this platform.

    Exit status: 0 when everything is here, 1 when a file could not be fetched, 2 for a mistake in the call.

    Example: CANVAS_TOKEN=... grader fetch canvas
    """
    call = call.about(to, platform_name)
    folder = to or Path("in") / call.exercise.name
    late = call.exercise.late
    with closing(connect_source(platform_name, call.exercise)) as source:
        fetched = fetch(source, folder, call.roster, every=call.course.attempts == "best")
        for note in source.notes(charged=late is not None and late.applied_by == "kit"):
            call.say(note, always=True)
    for line in fetched.failed:
        call.say(line, always=True)
    call.say(f"{fetched.hand_ins} hand-ins in {folder}: {fetched.new} new files, {fetched.known} here before")
    if fetched.failed:
        sys.exit(1)
