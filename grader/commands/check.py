"""``grader check``: is the course sound?"""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.options import (
    course_option,
    private_option,
    quiet_option,
    sandbox_option,
    unsafe_option,
)


@click.command(short_help="Is the course sound?")
@click.option(
    "--exercise", "exercise_name", metavar="NAME", help="Only this exercise; without it all of the course."
)
@sandbox_option
@unsafe_option
@private_option
@course_option
@quiet_option
@click.pass_context
def command(
    context: click.Context,
    exercise_name: str | None,
    sandbox: str,
    private: Path | None,
    course_file: Path | None,
    *,
    unsafe: bool,
    quiet: bool,
) -> None:
    """Check that the course is sound.

    The reference solution must pass every test and the stub none; each known mistake must cost a point and be
    told from the others; what is generated must be current; names, points, hints and TODOs must be in order;
    the students' bundle must not tell what it should not. One line a problem: where, what is wrong, what
    would be right.

    Exit status: 0 when nothing was found, 2 when something was.

    Example: grader check --exercise contiguous_reservation
    """
    from grader.check import check, strays  # noqa: PLC0415 - --help need not wait for it
    from grader.course.load import find_course, load_course  # noqa: PLC0415 - the same
    from grader.sandbox.host import choose_tier  # noqa: PLC0415 - the same

    course = load_course(course_file or find_course(Path.cwd()), private)
    names = [course.exercise(exercise_name).name] if exercise_name else list(course.exercises)
    found = list(strays(course))
    sound = []
    for exercise in map(course.exercise, names):
        tier = choose_tier(sandbox, exercise.limits, unsafe=unsafe)
        checked = check(course, exercise, tier)
        found += checked.findings
        if not checked.ran:
            sound.append(f"{exercise.name}: its tests were not run; correct what is said above first.")
        elif not checked.findings:
            wrong = f"{checked.wrong} wrong version{'s' * (checked.wrong != 1)}"
            sound.append(
                f"{exercise.name} is sound: {checked.criteria} criteria, {checked.tests} tests, "
                f"{wrong} told apart. Sandbox: {tier.title}."
            )
    for finding in found:
        click.echo(str(finding), err=True)
    if not quiet:
        for line in sound:
            click.echo(line, err=True)
    if found:
        context.exit(2)
