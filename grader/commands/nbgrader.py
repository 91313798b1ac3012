"""``grader nbgrader``: a native nbgrader course for an instructor who works there."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.options import (
    course_option,
    exercise_option,
    load,
    out_option,
    private_option,
    quiet_option,
    results_folder,
)


@click.command(short_help="Lay out a native nbgrader course.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--roster",
    "rosters",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Who takes the course; without it OUT/roster.csv, if there is one. Can be repeated.",
)
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
    from grader.nbgrader_course import lay_out  # noqa: PLC0415 - --help need not wait for it
    from grader.roster import load_roster  # noqa: PLC0415 - the same

    course, exercise = load(course_file, exercise_name, private)
    results = results_folder(out, course, exercise)
    known = (results / "roster.csv",) if not rosters and (results / "roster.csv").is_file() else rosters
    people = load_roster(known).people if known else ()
    layout = lay_out(course, exercise, folder, results, people)
    for name in layout.kept:
        click.echo(f"{folder / name}: changed by hand, left as it is", err=True)
    if not quiet:
        click.echo(
            f"{folder} is an nbgrader course: {len(people)} people, {layout.recorded.recorded} results. "
            f"Read {folder / 'README.md'} first.",
            err=True,
        )
