"""``grader build``: write what a student starts from, made from the reference solution."""

from pathlib import Path

import click

from grader.check.answers import make_diagnoses
from grader.check.layout import MISCONCEPTIONS, missing_files
from grader.commands.context import Call, shared_options
from grader.grading.diagnosis import table_path
from grader.lesson.generate import build, write_if_stale
from grader.sandbox.host import choose_tier


@click.command()
@shared_options("sandbox", "unsafe", "quiet")
def command(call: Call) -> None:
    """Regenerate exercises/ from solutions/; without --exercise for every exercise except drafts.

    Every file that differs from its source is written again: the stubs with their numbered TODOs, the
    pictures and tables of the handout, the notebook, and the table that recognises students' mistakes. The
    handout's own text stays as it is.

    Example: grader build --exercise NAME
    """
    for one in call.each:
        written = build_all(one)
        for path in written:
            call.say(f"{path.relative_to(one.course.root).as_posix()}: written")
        for _, missing in missing_files(one.course, one.exercise):
            call.say(str(missing))
        if not written:
            call.say(f"exercises/{one.exercise.name}: nothing to do")


def build_all(call: Call) -> list[Path]:
    """Write every generated file of the exercise that is not what its source makes; return their paths."""
    course, exercise = call.course, call.exercise
    written = build(course, exercise)
    table = table_path(course, exercise)
    if table.with_name(MISCONCEPTIONS).is_file():
        tier = choose_tier(call.sandbox, exercise.limits, unsafe=call.unsafe)
        written += [table] if write_if_stale(table, make_diagnoses(course, exercise, tier)) else []
    return written
