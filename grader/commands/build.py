"""``grader build``: write what a student starts from, made from the reference solution."""

from __future__ import annotations

from pathlib import Path

import click

from grader.base.files import write_whole
from grader.check.layout import MISCONCEPTIONS
from grader.commands.options import (
    course_option,
    exercise_option,
    load,
    quiet_option,
    sandbox_option,
    unsafe_option,
)
from grader.commands.telling import say
from grader.course.model import Course, Exercise
from grader.grading.diagnosis import table_path
from grader.lesson.handout import HANDOUT
from grader.lesson.notebook import notebook_is_current, write_notebook
from grader.lesson.stubs import build


@click.command()
@sandbox_option
@unsafe_option
@exercise_option
@course_option
@quiet_option
def command(
    sandbox: str, exercise_name: str | None, course_file: Path | None, *, unsafe: bool, quiet: bool
) -> None:
    """Regenerate exercises/ from solutions/.

    Every file that differs from its source is written anew: the stubs with their numbered TODOs, the
    pictures of the handout, the notebook, and the table from which students' mistakes are named. What people
    write by hand, the handout's text, is left alone.

    Example: grader build --exercise contiguous_reservation
    """
    course, exercise = load(course_file, exercise_name)
    folder = f"exercises/{exercise.name}"
    written = [f"{folder}/{name}" for name in build(course, exercise)]
    # The notebook tells the handout's story; a lesson that has none yet gets its notebook later.
    if (course.root / folder / HANDOUT).is_file() and not notebook_is_current(course, exercise):
        written.append(write_notebook(course, exercise).relative_to(course.root).as_posix())
    for name in written:
        say(f"{name}: written", quiet=quiet)
    diagnoses = _write_diagnoses(course, exercise, sandbox, unsafe=unsafe)
    for name in diagnoses:
        say(f"{name}: written", quiet=quiet)
    if not (written or diagnoses):
        say(f"{folder}: nothing to do", quiet=quiet)


def _write_diagnoses(course: Course, exercise: Exercise, sandbox: str, *, unsafe: bool) -> list[str]:
    """Write the table of misconceptions' answers anew, for which they all run in the sandbox."""
    from grader.check.outcomes import make_diagnoses  # noqa: PLC0415 - --help need not wait for it
    from grader.sandbox.host import choose_tier  # noqa: PLC0415 - the same

    path = table_path(course, exercise)
    if not path.with_name(MISCONCEPTIONS).is_file():
        return []
    data = make_diagnoses(course, exercise, choose_tier(sandbox, exercise.limits, unsafe=unsafe))
    if path.is_file() and path.read_bytes() == data:
        return []
    write_whole(path, data)
    path.chmod(0o644)  # unlike results, it is for everyone who has the repository
    return [path.relative_to(course.root).as_posix()]
