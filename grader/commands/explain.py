"""``grader explain``: one student's result in full, for the instructor alone."""

import click

from grader.base.errors import UsageError
from grader.commands.context import Call, shared_options
from grader.run.refresh import reopened


@click.command()
@click.argument("student", metavar="ID")
@shared_options("out", "private")
def command(call: Call, *, student: str) -> None:
    """Print everything about one student's result: flags, diagnoses, and every test with its calls.

    Hidden tests are included, so this is for instructors alone. Nothing is run or changed.

    Example: grader explain u1001
    """
    from grader.report.explain import explain  # noqa: PLC0415 - help needs none of it

    call = call.graded
    with reopened(call.folder, call.course, call.exercise) as out:
        found = {result.student: result for result in out.finals()}
        if student not in found:
            raise UsageError(f"{out.folder} has no result of {student!r}; there are {len(found)} others.")
        for line in explain(call.course, call.exercise, out.folder, found[student]):
            click.echo(line)
