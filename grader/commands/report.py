"""``grader report``: the report on a class, as a page and a table."""

import click

from grader.commands.context import Call, shared_options
from grader.results.folder import MARK
from grader.run.refresh import reopened


@click.command()
@click.option("--names", is_flag=True, help="Show the roster's names beside the ids.")
@shared_options("out", "private", "quiet")
def command(call: Call, *, names: bool) -> None:
    """Write DIR/class.html and DIR/class.csv: how the class did, criterion by criterion.

    They show points, shares, discrimination, misconceptions, predictions, flags, lateness, copies, time, and
    what to look at. They are for instructors alone. "grader grade" writes them at its end, with ids only.
    Without --exercise and --out the command writes them for every exercise with results in graded/.

    Example: grader report --names
    """
    from grader.report.gather import PAGE, TABLE, write_report  # noqa: PLC0415 - help needs none of it

    calls = [] if call.out else [one for one in call.each if (one.folder / MARK).is_file()]
    for one in calls or [call]:
        with reopened(one.folder, one.course, one.exercise) as out:
            figures = write_report(out, names=names)
        for line in figures.advice:
            call.say(line)
        call.say(f"{one.folder / PAGE}: written")
        call.say(f"{one.folder / TABLE}: written")
