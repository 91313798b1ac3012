"""``grader purge``: remove a term's personal data, or one person's, and say what was removed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from grader.base.errors import UsageError
from grader.commands.context import Call, shared_options
from grader.intake.platforms.fetched import INDEX
from grader.results.purge import Found, remove, survey
from grader.run.forget import forget


@click.command(short_help="Remove a term's personal data, or one person's.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared_options("out", "only")
def command(call: Call, *, yes: bool) -> None:
    """Remove everything about people from DIR: hand-ins, results, feedback, roster, score files, gradebook.

    What "grader fetch" brought into in/NAME/ goes, too. What is removed is listed first, and asked about.
    Files that the grader did not make stay and are named. What lies elsewhere (downloads, a score file
    written with --to, the platform itself) is not touched. With --only one person is forgotten in all
    exercises of the course.

    Example: grader purge --exercise NAME
    """
    fetched = Path("in") / call.exercise.name if _names_one(call) else None
    if call.only:
        _forget(call, fetched, yes=yes)
        return
    if call.out is None and call.course.gradebook:
        call.say("The gradebook that course.toml names is elsewhere and stays as it is.")
    found = survey(call.folder)
    if fetched and (fetched / INDEX).is_file():
        count = sum(path.is_file() for path in fetched.rglob("*"))
        found = replace(found, found=(*found.found, Found(fetched, "what was fetched", count)))
    for one in found.found:
        call.say(f"{one.path}: {one.what}, {one.files} file{'' if one.files == 1 else 's'}")
    for path in found.left:
        call.say(f"{path}: not made by the grader, stays")
    for path in found.shared:
        call.say(f"{path}: the course's, stays for its other exercises")
    if not yes:
        click.confirm(f"Remove all this, about {found.students} students, for good?", abort=True, err=True)
    remove(call.folder, found)
    total = sum(one.files for one in found.found)
    call.say(f"Removed {total} files about {found.students} students from {call.folder}.")


def _names_one(call: Call) -> bool:
    """Return whether a course is at hand that says which exercise is meant; with --out there may be none."""
    try:
        return bool(call.exercise)
    except UsageError:
        if call.out is None or call.only:
            raise
        return False


def _forget(call: Call, fetched: Path | None, *, yes: bool) -> None:
    """Forget the named people, one after another."""
    names = ", ".join(call.only)
    if not yes:
        click.confirm(f"Forget {names} in all exercises, for good?", abort=True, err=True)
    for student in call.only:
        for line in forget(call.course, call.folder, fetched or Path("in"), student):
            call.say(f"{student}: {line}")
