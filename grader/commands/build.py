"""``grader build``: write what a student starts from, made from the reference solution."""

from __future__ import annotations

from pathlib import Path

import click

from grader.course import find_course, load_course
from grader.stubs import build


@click.command()
@click.option("--exercise", metavar="NAME", help="Which exercise; needed when the course has several.")
@click.option(
    "--course",
    "course_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The course.toml; by default the nearest one upwards.",
)
@click.option("--quiet", is_flag=True, help="Name no files.")
def command(exercise: str | None, course_file: Path | None, quiet: bool) -> None:
    """Regenerate exercises/ from solutions/.

    Every file that differs from its source is written anew: the stubs with their numbered TODOs and the
    pictures of the handout. What people write by hand, the handout's text, is left alone.

    Example: grader build --exercise contiguous_reservation
    """
    course = load_course(course_file or find_course(Path.cwd()))
    chosen = course.exercise(exercise)
    written = build(course, chosen)
    if not quiet:
        for name in written:
            click.echo(f"exercises/{chosen.name}/{name}: written", err=True)
        if not written:
            click.echo(f"exercises/{chosen.name}: nothing to do", err=True)
