"""``grader build``: write what a student starts from, made from the reference solution."""

from __future__ import annotations

from pathlib import Path

import click

from grader.base.files import write_whole
from grader.check.answers import make_diagnoses
from grader.check.layout import MISCONCEPTIONS
from grader.commands.context import Call, shared_options
from grader.grading.diagnosis import table_path
from grader.lesson.closing import closing_bytes, closing_path
from grader.lesson.handout import HANDOUT
from grader.lesson.notebook import notebook_is_current, write_notebook
from grader.lesson.stubs import build
from grader.sandbox.host import choose_tier


@click.command()
@shared_options("sandbox", "unsafe", "quiet")
def command(call: Call) -> None:
    """Regenerate exercises/ from solutions/; without --exercise for every exercise that is no draft.

    Every file that differs from its source is written anew: the stubs with their numbered TODOs, the
    pictures of the handout, its tables, the notebook, and the table from which students' mistakes are named.
    What people write by hand, the handout's text, is left alone.

    Example: grader build --exercise NAME
    """
    for one in call.each:
        written = build_all(one)
        for path in written:
            call.say(f"{path.relative_to(one.course.root).as_posix()}: written")
        if not written:
            call.say(f"exercises/{one.exercise.name}: nothing to do")


def build_all(call: Call) -> list[Path]:
    """Write every generated file of the exercise that is not what its source makes; return their paths."""
    course, exercise = call.course, call.exercise
    folder = course.root / "exercises" / exercise.name
    written = [folder / name for name in build(course, exercise)]
    # The notebook tells the handout's story; a lesson that has none yet gets its notebook later.
    if (folder / HANDOUT).is_file() and not notebook_is_current(course, exercise):
        written.append(write_notebook(course, exercise))
    kept = {closing_path(course, exercise): closing_bytes(course, exercise)}
    table = table_path(course, exercise)
    if table.with_name(MISCONCEPTIONS).is_file():
        tier = choose_tier(call.sandbox, exercise.limits, unsafe=call.unsafe)
        kept[table] = make_diagnoses(course, exercise, tier)
    for path, data in kept.items():
        if data is not None and not (path.is_file() and path.read_bytes() == data):
            write_whole(path, data)
            path.chmod(0o644)  # unlike results, these are for everyone who has the repository
            written.append(path)
    return written
