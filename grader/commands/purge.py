"""``grader purge``: remove a term's personal data, or one person's, and say what was removed."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click

from grader.base.errors import GraderError
from grader.commands.context import Call, shared_options
from grader.gradebook.store import gradebook_url, shown
from grader.intake.platforms.fetched import INDEX
from grader.results.course_table import write_course_table
from grader.results.folder import COURSE_TABLE, GRADED, MARK, read_mark
from grader.results.purge import Found, remove, survey
from grader.run.forget import forget

_FETCHED = Path("in")


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared_options("out", "only")
def command(call: Call, *, yes: bool) -> None:
    """Remove everything about people: hand-ins, results, feedback, roster, score files, gradebook, journal.

    Without --exercise and --out this is about all exercises with results in graded/. What "grader fetch"
    brought into in/NAME/ is removed, too. The command lists what it would remove, and asks first. Files that
    the grader did not make, and those of "grader export --to" and "--feedback", stay and are named. An
    nbgrader course, downloads and the platform are not touched. With --only the command forgets one person in
    all exercises of the course.

    Example: grader purge --exercise NAME
    """
    if call.only:
        _forget(call, yes=yes)
        return
    named = call.out or call.exercise_name
    # Without results, or with one exercise's in graded/ itself, it is as if that exercise had been named.
    outs = [] if named else sorted(mark.parent for mark in GRADED.glob(f"*/{MARK}"))
    outs = outs or [call.folder]
    found = survey(outs)
    _name_gradebook(call, outs[0])
    for out in outs:
        folder = _FETCHED / str((read_mark(out / MARK) or {}).get("exercise"))
        if (folder / INDEX).is_file():
            count = sum(path.is_file() for path in folder.rglob("*"))
            found = replace(found, found=(*found.found, Found(folder, "what was fetched", count)))
    for one in found.found:
        call.say(f"{one.path}: {one.what}, {one.files} file{'' if one.files == 1 else 's'}")
    for path in found.left:
        call.say(f"{path}: not made by the grader, stays")
    for path in found.elsewhere:
        call.say(f"{path}: written by grader export, stays; remove it yourself", always=True)
    for path in found.shared:
        call.say(f"{path}: the course's, stays for its other exercises")
    if not yes:
        click.confirm(f"Remove all this, about {found.students} students, for good?", abort=True, err=True)
    remove(found)
    if found.home / COURSE_TABLE in found.shared:
        write_course_table(found.home, {})
    total = sum(one.files for one in found.found)
    call.say(f"Removed {total} files about {found.students} students from {', '.join(map(str, outs))}.")


def _name_gradebook(call: Call, out: Path) -> None:
    """Say where the course's gradebook is if it stays; a named OUT may be of another course, or of none."""
    try:
        if call.out is not None and (read_mark(out / MARK) or {}).get("course") != call.course.title:
            return
    except GraderError:
        return
    if call.course.gradebook:
        name = "that course.toml names"
        with suppress(GraderError):  # without the gradebook's extra its address cannot be read
            name = shown(gradebook_url(call.course, out))
        call.say(f"The gradebook {name} is elsewhere and stays as it is, with what it holds about people.")


def _forget(call: Call, *, yes: bool) -> None:
    """Forget the people in --only, one after another."""
    if not yes:
        names = ", ".join(call.only)
        click.confirm(f"Forget {names} in all exercises, for good?", abort=True, err=True)
    for student in call.only:
        for line in forget(call.course, call.out or GRADED, _FETCHED, student):
            call.say(f"{student}: {line}")
