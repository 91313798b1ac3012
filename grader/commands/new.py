"""``grader new``: write the skeleton of a lesson, and build it."""

import os
from pathlib import Path

import click

from grader.commands.build import build_all
from grader.commands.context import Call, shared_options
from grader.lesson.new import write_lesson


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--title", metavar="TEXT", help="The title that students see; without it made from NAME.")
@shared_options("sandbox", "unsafe", "quiet", exercise=False)
def command(call: Call, *, name: str, title: str | None) -> None:
    """Write a new lesson: a solution with one function, visible and hidden tests, wrong versions, a handout.

    NAME becomes the name of its folders, its section in course.toml and its file for students. "grader check"
    finds nothing in it, so that you can change one thing after the other. It is a draft: only commands with
    --exercise NAME use it.

    Example: grader new bigger_blocks
    """
    path = call.course_path
    for file in write_lesson(call.course, path, name, title or name.replace("_", " ").capitalize()):
        call.say(f"{Path(os.path.relpath(file))}: written; change it")
    fresh = Call(course_file=path, exercise_name=name, sandbox=call.sandbox, unsafe=call.unsafe)
    for file in build_all(fresh):
        call.say(f"{Path(os.path.relpath(file))}: generated")
    call.say(f"'grader check --exercise {name} --watch' looks at each change.")
