"""``grader adjust``: change the points of one criterion of one student by hand, or take that back."""

import math
from datetime import UTC, datetime

import click

from grader.base.errors import UsageError
from grader.commands.context import Call, shared_options
from grader.grading.score import Change
from grader.run.refresh import reopened, sync


@click.command(
    context_settings={"ignore_unknown_options": True},  # so that -1 is read as a number
)
@click.argument("student", metavar="ID")
@click.argument("criterion")
@click.argument("points", type=float, required=False)
@click.option("--because", metavar="TEXT", default="", help="The reason; the student reads it.")
@click.option("--by", metavar="NAME", required=True, help="Who changes the points; the student reads it.")
@click.option("--take-back", is_flag=True, help="Undo an earlier change, in place of POINTS.")
@shared_options("out", "quiet")
def command(
    call: Call,
    *,
    student: str,
    criterion: str,
    points: float | None,
    because: str,
    by: str,
    take_back: bool,
) -> None:
    """Change the points of the student ID for CRITERION by hand.

    The points of the tests are kept. If points were given in nbgrader's formgrader too, the later ones count;
    DIR/manual.json has them all. Page, table, exports and uploads show the new points.

    Example: grader adjust u1001 used-sum 1 --because "The file was damaged." --by "Ada Example"
    """
    call = call.graded
    worth = {one.id: one.points for one in call.exercise.criteria}
    if criterion not in worth:
        raise UsageError(f"There is no criterion {criterion!r}; there are: {', '.join(worth)}.")
    if take_back == (points is not None):
        raise UsageError("Give POINTS, or --take-back to undo an earlier change.")
    if points is not None and not (math.isfinite(points) and 0 <= points <= worth[criterion]):
        raise UsageError(f"POINTS for {criterion} go from 0 to {worth[criterion]}, and {points:g} was given.")
    if points is not None and not because.strip():
        raise UsageError("Say why with --because TEXT; the student reads it.")
    if not by.strip():
        raise UsageError("Say who changes the points with --by NAME.")
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    change = Change(criterion, points, "adjust", by.strip(), because.strip(), now)
    with reopened(call.folder, call.course, call.exercise) as out:
        before = {result.student: result for result in out.finals()}
        if student not in before:
            raise UsageError(f"{out.folder} has no result of {student!r}; there are {len(before)} others.")
        known = out.changes.get(student, ())
        mine = [one for one in known if (one.criterion, one.source) == (criterion, "adjust")]
        if take_back and (not mine or mine[-1].points is None):
            raise UsageError(
                f"{student} has no points by 'grader adjust' for {criterion}; nothing to take back."
            )
        out.set_changes({student: (*known, change)})
        sync(out)
        out.write_tables()
        after = next(result for result in out.finals() if result.student == student)
        old = before[student]
        call.say(f"{student}: {old.points:f} -> {after.points:f} of {after.max_score} points")
        if (out.folder / "class.html").is_file():
            call.say("class.html still shows the old points; 'grader report' writes it again")
