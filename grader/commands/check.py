"""``grader check``: say what is wrong in the course."""

import contextlib
import functools
import sys
import time
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from pathlib import Path

import click

from grader.base.errors import CourseError, UsageError
from grader.check import Cost, Finding, check, stray_folders
from grader.check.layout import PLACES
from grader.check.quick import check_quickly
from grader.commands.context import Call, shared_options
from grader.course.layers import TERM_FILE
from grader.sandbox.host import choose_tier

_POLL_SECONDS = 0.3
_tier = functools.cache(choose_tier)  # --watch tries the sandbox once


@click.command()
@click.option(
    "--table",
    is_flag=True,
    help="Print which criteria each known mistake loses, and which sentences students read.",
)
@click.option("--task", metavar="NAME", help="Only the tests and wrong versions of this task, quickly.")
@click.option("--watch", is_flag=True, help="Check quickly again whenever a file of the lesson changes.")
@shared_options("sandbox", "unsafe", "private", "quiet")
def command(call: Call, *, table: bool, task: str | None, watch: bool) -> None:
    """Check that the course is sound; without --exercise all of its exercises except drafts.

    The reference solution must pass every test and the stub none, as files, as a notebook and as the bundle's
    zip; each known mistake must cost a point and be told from the others; generated files must be current;
    names, points, hints and TODOs must be in order; the students' bundle must hold nothing hidden. Each
    problem is one line: where, what is wrong, what would be right.

    --task and --watch check quickly while you write: results are kept in .check/, and what has not changed
    is not run again. Notebook, zip, plain pytest and generated files are checked without these options only.

    Exit status: 0 when nothing was found, 2 when something was.

    Example: grader check --exercise NAME
    """
    if watch:
        _watch(call, task)
    elif _check_once(call, task, quick=task is not None, table=table):
        sys.exit(2)


def _check_once(call: Call, task: str | None, *, quick: bool, table: bool = False) -> list[Finding]:
    """Check, print what is found and what is sound, and return the findings."""
    calls = list(call.each)
    found = list(stray_folders(call.course))
    others = {*call.course.exercises, *call.course.broken} - {one.exercise.name for one in calls}
    sound = [
        f"{name} is a draft and was not checked; 'grader check --exercise {name}' checks it."
        for name in sorted(others)
        if not call.exercise_name
    ]
    exercises = [one.exercise for one in calls if task is None or task in one.exercise.marked]
    if not exercises:
        known = ", ".join(name for one in calls for name in one.exercise.marked)
        raise UsageError(f"There is no task {task!r} with tests; there are: {known}.")
    for exercise in exercises:
        tier = _tier(call.sandbox, exercise.limits, unsafe=call.unsafe)
        if quick:
            checked = check_quickly(call.course, exercise, tier, [task] if task else exercise.marked)
        else:
            checked = check(call.course, exercise, tier)
        found += checked.findings
        if table and checked.ran:
            print_costs(checked.costs)
        what = f"{exercise.name}, {task}" if task else exercise.name
        if not checked.ran:
            sound.append(f"{what}: its tests were not run; correct what is said above first.")
        elif not checked.findings:
            wrong = f"{checked.wrong} wrong version{'s' * (checked.wrong != 1)}"
            counts = f"{checked.criteria} criteria, {checked.tests} tests, {wrong} told apart"
            end = "Looked at quickly." if quick else f"Sandbox: {tier.title}."
            sound.append(f"{what} is sound: {counts}. {end}")
    for finding in found:
        click.echo(str(finding), err=True)
    for line in sound:
        call.say(line)
    return found


def _watch(call: Call, task: str | None) -> None:
    """Check again at every change until Ctrl-C; a mistake in course.toml is a line like any other."""
    root, seen = call.course_path.absolute().parent, dict[Path, int]()
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            files = [call.course_path, call.course_path.with_name(TERM_FILE)]
            files += (path for place in PLACES for path in (root / place).rglob("*.*"))
            there = (path for path in files if path.is_file() and path.suffix != ".pyc")
            now = {path: path.stat().st_mtime_ns for path in there}
            if now == seen:
                time.sleep(_POLL_SECONDS)
                continue
            seen = now
            fresh = Call(**{field.name: getattr(call, field.name) for field in fields(call)})
            try:
                _check_once(fresh, task, quick=True)
            except (CourseError, UsageError) as error:
                click.echo(str(error), err=True)
            call.say(f"-- {datetime.now().astimezone():%H:%M:%S}; Ctrl-C ends")


def print_costs(costs: Sequence[Cost]) -> None:
    """Print a line for each mistake, and how many cost one criterion and how many all of their task's."""
    width = max((len(cost.name) for cost in costs), default=0)
    for cost in costs:
        lost, said = ", ".join(cost.lost) or "nothing", ", ".join(cost.said) or "nothing"
        click.echo(f"{cost.name:{width}}  {len(cost.lost)} of {cost.criteria}: {lost}. Said: {said}.")
    one = sum(len(cost.lost) == 1 for cost in costs)
    every = sum(len(cost.lost) == cost.criteria for cost in costs)
    named = sum(bool(cost.said) for cost in costs)
    text = (
        f"Of {len(costs)} mistakes {one} cost one criterion, {every} all of their task's; {named} are named."
    )
    click.echo(text)
