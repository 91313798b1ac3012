"""``grader export``: a score file for a learning platform, with what that platform would refuse or change."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click
from click.core import ParameterSource

from grader.base.errors import UsageError
from grader.base.files import write_whole
from grader.commands.options import (
    course_option,
    exercise_option,
    load,
    out_option,
    private_option,
    quiet_option,
    results_folder,
)
from grader.commands.telling import say, say_recharged
from grader.lms.payload import Leaving, Staying, leaving
from grader.lms.scorefile import Order, ScoreFile


@dataclass(frozen=True)
class Format:
    """A platform's score file: its name below OUT/exports, and the options that change what is in it.

    A file ``of_one`` holds one student's score, so that nobody else is missing from it.
    """

    file: str
    options: tuple[str, ...] = ()
    of_one: bool = False


FORMATS = {
    "canvas": Format("canvas.csv", ("worksheet", "overwrite", "feedback")),
    "moodle": Format("moodle.csv", ("worksheet", "overwrite", "feedback")),
    "brightspace": Format("brightspace.csv"),
    "blackboard": Format("blackboard.csv", ("worksheet",)),
    "gradescope": Format("results.json", ("student",), of_one=True),
    "edx": Format("edx.csv"),
    "coursera": Format("coursera.json", ("student",), of_one=True),
    "csv": Format("scores.csv", ("columns", "delimiter", "decimal")),
    "nbgrader": Format("nbgrader.csv"),
}
"""Every format by its name, which is also its module's name in ``lms/formats``."""


@click.command(short_help="Write a score file for a learning platform.")
@click.argument("format_name", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@out_option
@click.option(
    "--to", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Where to write it."
)
@click.option(
    "--worksheet",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The platform's own file as downloaded: Moodle's worksheet (needed), or a gradebook.",
)
@click.option(
    "--feedback",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="ZIP",
    help="Write the feedback pages too, as canvas and moodle take them back.",
)
@click.option("--overwrite", is_flag=True, help="Replace other scores that stand in the worksheet already.")
@click.option("--student", metavar="ID", help="Whose file, for gradescope and coursera.", default="")
@click.option("--columns", metavar="LIST", help="For csv: like 'Matrikelnummer=id,Punkte=score'.", default="")
@click.option("--delimiter", default=",", show_default=True, metavar="MARK", help="For csv: , ; tab or |.")
@click.option("--decimal", default=".", show_default=True, metavar="MARK", help="For csv: . or ,")
@exercise_option
@course_option
@private_option
@quiet_option
@click.pass_context
def command(  # noqa: PLR0917 - click hands over one argument an option
    context: click.Context,
    format_name: str,
    out: Path | None,
    to: Path | None,
    worksheet: Path | None,
    feedback: Path | None,
    overwrite: bool,
    student: str,
    columns: str,
    delimiter: str,
    decimal: str,
    exercise_name: str | None,
    course_file: Path | None,
    private: Path | None,
    quiet: bool,
) -> None:
    """Write a score file for a learning platform: canvas, moodle, brightspace, blackboard, gradescope, edx,
    coursera, csv or nbgrader.

    What leaves is the score less what lateness costs, never below 0; both are worked out anew first. Those
    without a score and test students are left out. What the platform would refuse or change without a word
    is said before anything is written.

    Exit status: 0 when every score was written, 1 when one was not, 2 for a mistake in the call.

    Example: grader export moodle --worksheet grades.csv --to upload.csv --feedback feedback.zip
    """  # noqa: D205 - click shows the first paragraph as a whole
    from grader.run.refresh import outgoing  # noqa: PLC0415 - the same
    from grader.sources.table import read_table  # noqa: PLC0415 - --help need not wait for it

    _refuse_idle(context, format_name, worksheet)
    course, exercise = load(course_file, exercise_name, private)
    folder = results_folder(out, course, exercise)
    table = read_table(worksheet) if worksheet else None
    leaves = outgoing(folder, course, exercise)
    say_recharged(leaves.recharged, quiet=quiet)
    sent, staying = leaving(leaves.results, leaves.roster)
    order = Order(
        exercise, tuple(sent), leaves.results, table, overwrite, columns, delimiter, decimal, student
    )
    made: ScoreFile = importlib.import_module(f"grader.lms.formats.{format_name}").make(order)
    pages = {feedback: _feedback(format_name, folder, order, made)} if feedback else {}
    left = [*([] if FORMATS[format_name].of_one else staying), *made.staying]
    _warn(made.warnings, left, quiet=quiet)
    target = to or folder / "exports" / FORMATS[format_name].file
    for path, data in {target: made.data, **pages}.items():
        write_whole(path, data)
    say(f"{len(made.written)} score{'s' * (len(made.written) != 1)} in {target}", quiet=quiet)
    if any(one.lost for one in left):
        context.exit(1)


def _refuse_idle(context: click.Context, format_name: str, worksheet: Path | None) -> None:
    """Refuse an option that would change nothing in this format: the caller expects that it does."""
    for option in dict.fromkeys(option for known in FORMATS.values() for option in known.options):
        given = context.get_parameter_source(option) is ParameterSource.COMMANDLINE
        if given and option not in FORMATS[format_name].options:
            takers = ", ".join(name for name, known in FORMATS.items() if option in known.options)
            raise UsageError(f"--{option} is for {takers}; {format_name} has no use for it.")
        if given and option == "overwrite" and worksheet is None:
            raise UsageError("--overwrite is about scores in a worksheet; name it with --worksheet FILE.")


def _feedback(format_name: str, folder: Path, order: Order, made: ScoreFile) -> bytes:
    """The zip of the feedback of everyone whose score is written."""
    from grader.base.files import archive_bytes  # noqa: PLC0415 - only when asked for
    from grader.lms.feedback_files import canvas_members, moodle_members  # noqa: PLC0415 - the same

    written = [one for one in order.sent if one.person.id in made.written]
    if format_name == "moodle":
        return archive_bytes(moodle_members(folder, _by_participant(written, order)))
    members, unknown = canvas_members(folder, written)
    for student in unknown:
        say(f"{student}: no feedback in the zip, the downloaded file's name is not known")
    return archive_bytes(members)


def _by_participant(written: Iterable[Leaving], order: Order) -> dict[str, Leaving]:
    from grader.lms.formats.moodle import participants  # noqa: PLC0415 - only when asked for

    return participants(written, order.worksheet, order.exercise)


def _warn(warnings: Iterable[str], staying: Iterable[Staying], *, quiet: bool) -> None:
    for warning in warnings:
        say(warning)
    for one in sorted(staying, key=lambda one: one.student):
        say(f"{one.student}: {one.why}", quiet=quiet and not one.lost)
