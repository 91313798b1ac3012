"""``grader release``: the students' bundle, a folder and a zip of it."""

import itertools
from pathlib import Path

import click

from grader.base.errors import CourseError
from grader.check.editions import stale
from grader.check.versions import sentences_that_tell
from grader.commands.context import FOLDER, Call, shared_options, to_option
from grader.lesson.release import release
from grader.lesson.web import release_page


@click.command()
@to_option(FOLDER, "Where the folder and the zip go.", Path("dist"))
@click.option("--web", is_flag=True, help="Write DIR/web too, the page for the browser that make web builds.")
@shared_options("private", "quiet")
def command(call: Call, to: Path, *, web: bool) -> None:
    """Write what students get: stubs, handout, visible tests, and a pytest that explains itself.

    Without --exercise every exercise except drafts is released. Nothing is written if a file holds a line of
    solutions/ or tests/hidden/, names a hidden criterion, or is not what "grader build" makes of its source.

    Example: grader release --to dist
    """
    calls = list(call.each)
    for one in calls:
        if one.exercise.draft:
            raise CourseError(f"{one.exercise.name} is a draft; remove 'draft = true' before you release it.")
        found = (stale, sentences_that_tell)
        for finding in itertools.chain.from_iterable(look(one.course, one.exercise) for look in found):
            raise CourseError(f"Nothing was released: {finding}.")
    for one in calls:
        folder, archive = release(one.course, one.exercise, to)
        call.say(f"{folder}: written")
        call.say(f"{archive}: written; give this to your students")
    if web:
        release_page(calls[0].course, [one.exercise for one in calls], to / "web")
        call.say(f"{to / 'web'}: written; put its files on a web server")
