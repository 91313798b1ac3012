"""``grader check``: is the course sound?"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from grader.check import Cost, check, stray_folders
from grader.commands.context import Call, shared_options
from grader.sandbox.host import choose_tier


@click.command(short_help="Is the course sound?")
@click.option("--table", is_flag=True, help="Print what each known mistake costs, and what is said of it.")
@shared_options("sandbox", "unsafe", "private", "quiet")
def command(call: Call, *, table: bool) -> None:
    """Check that the course is sound; without --exercise all of its exercises that are no drafts.

    The reference solution must pass every test and the stub none; each known mistake must cost a point and be
    told from the others; what is generated must be current; names, points, hints and TODOs must be in order;
    the students' bundle must not tell what it should not. One line a problem: where, what is wrong, what
    would be right.

    Exit status: 0 when nothing was found, 2 when something was.

    Example: grader check --exercise NAME
    """
    found = list(stray_folders(call.course))
    exercises = [one.exercise for one in call.each]
    others = {*call.course.exercises, *call.course.broken} - {one.name for one in exercises}
    sound = [
        f"{name} is a draft and was not checked; 'grader check --exercise {name}' checks it."
        for name in sorted(others)
        if not call.exercise_name
    ]
    for exercise in exercises:
        tier = choose_tier(call.sandbox, exercise.limits, unsafe=call.unsafe)
        checked = check(call.course, exercise, tier)
        found += checked.findings
        if table and checked.ran:
            print_costs(checked.costs)
        if not checked.ran:
            sound.append(f"{exercise.name}: its tests were not run; correct what is said above first.")
        elif not checked.findings:
            wrong = f"{len(checked.costs)} wrong version{'s' * (len(checked.costs) != 1)}"
            sound.append(
                f"{exercise.name} is sound: {checked.criteria} criteria, {checked.tests} tests, "
                f"{wrong} told apart. Sandbox: {tier.title}."
            )
    for finding in found:
        click.echo(str(finding), err=True)
    for line in sound:
        call.say(line)
    if found:
        sys.exit(2)


def print_costs(costs: Sequence[Cost]) -> None:
    """Print a line for each mistake, and how many cost one criterion and how many all of their task's."""
    width = max((len(cost.name) for cost in costs), default=0)
    for cost in costs:
        lost, said = ", ".join(cost.lost) or "nothing", ", ".join(cost.said) or "nothing"
        click.echo(f"{cost.name:{width}}  {len(cost.lost)} of {cost.criteria}: {lost}. Said: {said}.")
    one = sum(len(cost.lost) == 1 for cost in costs)
    every = sum(len(cost.lost) == cost.criteria for cost in costs)
    named = sum(bool(cost.said) for cost in costs)
    click.echo(
        f"Of {len(costs)} mistakes {one} cost one criterion, {every} all of their task's; {named} are named."
    )
