"""``grader purge``: a term's personal data is removed, and said to be."""

from __future__ import annotations

from pathlib import Path

import click

from grader.base.text import one_line
from grader.commands.options import course_option, exercise_option, load, out_option, results_folder


@click.command(short_help="Remove a term's personal data.")
@out_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@exercise_option
@course_option
def command(out: Path | None, yes: bool, exercise_name: str | None, course_file: Path | None) -> None:
    """Remove everything about people from DIR: hand-ins, results, feedback, roster, score files, gradebook.

    What is removed is listed first, and asked about. Files that the grader did not make stay and are named.
    What lies elsewhere (downloads, a score file written with --to, the platform itself) is not touched.

    Example: grader purge --out graded
    """
    from grader.results.purge import remove, survey  # noqa: PLC0415 - --help need not wait for it

    if out is None:
        course, exercise = load(course_file, exercise_name)
        out = results_folder(None, course, exercise)
        if course.gradebook:
            click.echo("The gradebook that course.toml names is elsewhere and stays as it is.", err=True)
    found = survey(out)
    for one in found.found:
        files = f"{one.files} file{'' if one.files == 1 else 's'}"
        click.echo(one_line(f"{one.path}: {one.what}, {files}", 300), err=True)
    for path in found.left:
        click.echo(one_line(f"{path}: not made by the grader, stays", 300), err=True)
    if not yes:
        click.confirm(f"Remove all this, about {found.students} students, for good?", abort=True, err=True)
    remove(out, found)
    total = sum(one.files for one in found.found)
    click.echo(f"Removed {total} files about {found.students} students from {out}.", err=True)
