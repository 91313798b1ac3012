"""``grader export``: write a score file for a learning platform, and say what it would refuse or change."""

import functools
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import click
from click.core import ParameterSource

from grader.base.errors import UsageError
from grader.base.files import archive_bytes, write_whole
from grader.commands.context import FILE, Call, shared_options, to_option
from grader.lms.feedback_files import canvas_members, moodle_members
from grader.lms.formats import canvas, csv, gradescope, moodle, tables
from grader.lms.formats.sheet import ExportOrder, ScoreFile
from grader.lms.payload import Payload
from grader.lms.upload.journal import Journal
from grader.results.purge import note_elsewhere
from grader.run.refresh import outgoing
from grader.sources.table import read_table


@dataclass(frozen=True)
class Format:
    """How a platform's score file is made, its name below OUT/exports, and the options that change it."""

    make: Callable[[ExportOrder], ScoreFile]
    file: str
    options: tuple[str, ...] = ()
    of_one: bool = False  # it holds one student's score, so that nobody else is missing from it


FORMATS = {
    "canvas": Format(canvas.make, "canvas.csv", ("worksheet", "overwrite", "feedback")),
    "moodle": Format(moodle.make, "moodle.csv", ("worksheet", "overwrite", "feedback")),
    "brightspace": Format(tables.brightspace, "brightspace.csv", ("worksheet", "overwrite")),
    "blackboard": Format(tables.blackboard, "blackboard.csv", ("worksheet", "overwrite")),
    "gradescope": Format(gradescope.make, "results.json", ("student",), of_one=True),
    "edx": Format(tables.edx, "edx.csv"),
    "coursera": Format(gradescope.make_coursera, "coursera.json", ("student",), of_one=True),
    "csv": Format(csv.make, "scores.csv", ("worksheet", "overwrite", "columns", "delimiter", "decimal")),
    "nbgrader": Format(tables.nbgrader, "nbgrader.csv"),
}
"""Every format by its name."""


@click.command()
@click.argument("format_name", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@to_option(FILE, "Where to write it; without it a file in DIR/exports/.")
@click.option(
    "--worksheet",
    type=FILE,
    metavar="FILE",
    help="The platform's own file as downloaded: Moodle's worksheet (needed), or a gradebook. Scores in it "
    "that did not come from here are kept.",
)
@click.option(
    "--feedback",
    type=FILE,
    metavar="ZIP",
    help="Write the feedback pages too, as canvas and moodle take them back.",
)
@click.option("--overwrite", is_flag=True, help="Replace other scores in the worksheet.")
@click.option("--student", metavar="ID", help="For gradescope and coursera: whose file it is.", default="")
@click.option("--columns", metavar="LIST", help="For csv: like 'Matrikelnummer=id,Punkte=score'.", default="")
@click.option("--delimiter", default=",", show_default=True, metavar="MARK", help="For csv: , ; tab or |.")
@click.option("--decimal", default=".", show_default=True, metavar="MARK", help="For csv: . or ,")
@shared_options("out", "only", "private", "quiet")
def command(
    call: Call,
    *,
    format_name: str,
    to: Path | None,
    worksheet: Path | None,
    feedback: Path | None,
    student: str,
    columns: str,
    delimiter: str,
    decimal: str,
    overwrite: bool,
) -> None:
    """Write a score file for a learning platform: canvas, moodle, brightspace, blackboard, gradescope, edx,
    coursera, csv or nbgrader.

    The file has the score less the late penalty, never below 0; both are calculated again first. Students
    without a score and test students are left out. What the platform would refuse, or change silently, is
    said before anything is written.

    Exit status: 0 when every score was written, 1 when one was not, 2 for a mistake in the call.

    Example: grader export moodle --worksheet grades.csv --to upload.csv --feedback feedback.zip
    """  # noqa: D205 - click shows the first paragraph as a whole
    _refuse_idle(format_name, worksheet)
    call = call.graded
    exercise, folder = call.exercise, call.folder
    table = read_table(worksheet) if worksheet else None
    with outgoing(folder, call.course, exercise) as leaves:
        found = call.leaving(leaves)
        journal = Journal(folder)
        ours = functools.partial(journal.points_sent, format_name)
        shape = (columns, delimiter, decimal)
        order = ExportOrder(exercise, found.sent, leaves.results, table, overwrite, ours, *shape, student)
        made = FORMATS[format_name].make(order)
        pages = {feedback: _feedback(call, format_name, order, made, found.unread)} if feedback else {}
        for warning in made.warnings:
            call.say(warning, always=True)
        left = () if FORMATS[format_name].of_one else found.withheld
        is_lost = call.say_withheld((*left, *made.withheld), leaves.roster)
        if table is None:
            compare = "; to compare, name its own file with --worksheet FILE"
            how = compare if "worksheet" in FORMATS[format_name].options else ""
            call.say(f"not compared with the scores on the platform: its import replaces them{how}")
        journal.add_export(format_name, made.points)
        target = to or folder / "exports" / FORMATS[format_name].file
        for path, data in {target: made.data, **pages}.items():
            write_whole(path, data)
        note_elsewhere(folder, [target, *pages])
    call.say(f"{len(made.points)} score{'s' * (len(made.points) != 1)} in {target}")
    if is_lost:
        sys.exit(1)


def _refuse_idle(format_name: str, worksheet: Path | None) -> None:
    """Refuse an option that would change nothing in this format: the caller expects that it does."""
    context = click.get_current_context()
    for option in dict.fromkeys(option for known in FORMATS.values() for option in known.options):
        given = context.get_parameter_source(option) is ParameterSource.COMMANDLINE
        if given and option not in FORMATS[format_name].options:
            takers = ", ".join(name for name, known in FORMATS.items() if option in known.options)
            raise UsageError(f"--{option} is for {takers}; {format_name} has no use for it.")
        if given and option == "overwrite" and worksheet is None:
            raise UsageError("--overwrite is about scores in a worksheet; name it with --worksheet FILE.")


def _feedback(
    call: Call, format_name: str, order: ExportOrder, made: ScoreFile, unread: Iterable[Payload]
) -> bytes:
    """Make the zip with the feedback of all students in the score file, and of ``unread`` hand-ins."""
    written = [*(one for one in order.sent if one.person.id in made.points), *unread]
    if format_name == "moodle":
        by_participant = moodle.participants(written, order.worksheet, order.exercise)
        return archive_bytes(moodle_members(call.folder, by_participant))
    members, unknown = canvas_members(call.folder, written)
    for student, why in unknown.items():
        call.say(f"{student}: no feedback in the zip: {why}", always=True)
    return archive_bytes(members)
