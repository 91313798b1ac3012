"""``grader build``: write what a student starts from, made from the reference solution."""

from __future__ import annotations

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
    """Regenerate exercises/ from solutions/.

    Every file that differs from its source is written anew: the stubs with their numbered TODOs, the
    pictures of the handout, the notebook, and the table from which students' mistakes are named. What people
    write by hand, the handout's text, is left alone.

    Example: grader build --exercise contiguous_reservation
    """
    course, exercise = call.course, call.exercise
    folder = f"exercises/{exercise.name}"
    written = [f"{folder}/{name}" for name in build(course, exercise)]
    # The notebook tells the handout's story; a lesson that has none yet gets its notebook later.
    if (course.root / folder / HANDOUT).is_file() and not notebook_is_current(course, exercise):
        written.append(write_notebook(course, exercise).relative_to(course.root).as_posix())
    for name in written:
        call.say(f"{name}: written")
    closing, data = closing_path(course, exercise), closing_bytes(course, exercise)
    if data is not None and (not closing.is_file() or closing.read_bytes() != data):
        write_whole(closing, data)
        closing.chmod(0o644)  # as the table below
        written.append(closing.relative_to(course.root).as_posix())
        call.say(f"{written[-1]}: written")
    table = table_path(course, exercise)
    if table.with_name(MISCONCEPTIONS).is_file():
        data = make_diagnoses(
            course, exercise, choose_tier(call.sandbox, exercise.limits, unsafe=call.unsafe)
        )
        if not table.is_file() or table.read_bytes() != data:
            write_whole(table, data)
            table.chmod(0o644)  # unlike results, it is for everyone who has the repository
            written.append(table.relative_to(course.root).as_posix())
            call.say(f"{written[-1]}: written")
    if not written:
        call.say(f"{folder}: nothing to do")
