"""``grader nbgrader``: a native nbgrader course for an instructor who works there."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.options import (
    course_option,
    exercise_option,
    load,
    out_option,
    people,
    private_option,
    quiet_option,
    results_folder,
    roster_option,
)
from grader.commands.telling import say


@click.command(short_help="Lay out a native nbgrader course.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@roster_option
@out_option
@private_option
@exercise_option
@course_option
@quiet_option
def command(  # noqa: PLR0917 - click hands over one argument an option
    folder: Path,
    rosters: tuple[Path, ...],
    out: Path | None,
    private: Path | None,
    exercise_name: str | None,
    course_file: Path | None,
    quiet: bool,
) -> None:
    """Lay out a native nbgrader course in DIR, or bring it up to date.

    DIR gets nbgrader's settings, the source notebook and the roster. Results that are there already are
    recorded, and their pages laid where formgrader and release_feedback find them. Its README says which
    commands of nbgrader to keep away from, and why.

    Example: grader nbgrader course --roster roster.csv
    """
    from grader.gradebook.native import lay_out  # noqa: PLC0415 - --help need not wait for it

    course, exercise = load(course_file, exercise_name, private)
    results = results_folder(out, course, exercise)
    roster = people(rosters, results, course)
    listed = roster.people if roster else ()
    layout = lay_out(course, exercise, folder, results, listed)
    for name in layout.kept:
        say(f"{folder / name}: changed by hand, left as it is")
    for student in layout.recorded.overtaken:
        say(f"{student}: was given points by hand, which count; what the grader found has changed since")
    say(
        f"{folder} is an nbgrader course: {len(listed)} people, {layout.recorded.recorded} results. "
        f"Read {folder / 'README.md'} first.",
        quiet=quiet,
    )
