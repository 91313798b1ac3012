"""``grader upload``: what would change on a learning platform, and with --send the change itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.base.errors import UsageError
from grader.commands.options import (
    course_option,
    exercise_option,
    load,
    out_option,
    private_option,
    quiet_option,
    results_folder,
)
from grader.commands.telling import say, say_recharged
from grader.lms.payload import Scale, Staying, leaving, plain, scale_to, settings_of
from grader.lms.upload.patience import Patience
from grader.results.folder import opened

if TYPE_CHECKING:
    from grader.course.model import Exercise
    from grader.course.platforms import Canvas, Lti, Moodle
    from grader.lms.payload import Leaving
    from grader.lms.upload.compare import Change, Entry
    from grader.lms.upload.plan import Outcome, Platform

PATIENCE = Patience()

LOST = ("bare", "kept", "excused", "absent")
"""The verdicts by which a score, or what belongs to it, does not get there."""

_WORDS = {
    "new": "is new",
    "change": "replaces what we sent before",
    "comment": "stands there, its comment does not yet",
    "bare": "stands there with its comment, but the feedback page is not attached to it",
    "kept": "is kept: somebody else gave, changed or removed it; --overwrite replaces it",
    "excused": "is kept: the student is excused",
    "absent": "is not in the course there",
}


@click.command(short_help="Show, and with --send write, scores on a learning platform.")
@click.argument("platform_name", metavar="PLATFORM", type=click.Choice(["canvas", "moodle", "lti"]))
@click.option("--send", is_flag=True, help="Write; without it the difference is only shown.")
@click.option("--overwrite", is_flag=True, help="Replace scores that somebody else gave or changed, too.")
@out_option
@exercise_option
@course_option
@private_option
@quiet_option
@click.pass_context
def command(  # noqa: PLR0917 - click hands over one argument an option
    context: click.Context,
    platform_name: str,
    send: bool,
    overwrite: bool,
    out: Path | None,
    exercise_name: str | None,
    course_file: Path | None,
    private: Path | None,
    quiet: bool,
) -> None:
    """Show what would change on a platform (canvas, moodle or lti), and with --send write it.

    Where the platform is stands in course.toml; the token comes from the environment variable that is named
    there. What is written is noted in OUT/uploads.jsonl, so that it can be repeated and goes on after a
    crash without writing anybody twice. A score that somebody else gave or changed is kept.

    Exit status: 0 when every score stands there or would with --send, 1 when one does not, 2 for a mistake
    in the call.

    Example: CANVAS_TOKEN=... grader upload canvas --send
    """
    from grader.lms.upload.connect import connect  # noqa: PLC0415 - the same
    from grader.run.refresh import outgoing  # noqa: PLC0415 - --help need not wait for it

    course, exercise = load(course_file, exercise_name, private)
    folder = results_folder(out, course, exercise)
    with closing(connect(platform_name, exercise, PATIENCE)) as platform:
        leaves = outgoing(folder, course, exercise)
        if leaves.roster is None:
            raise UsageError(
                f"{folder} has no roster, and nobody is sent on a guess: grade with --roster FILE."
            )
        say_recharged(leaves.recharged, quiet=quiet)
        sent, staying = leaving(leaves.results, leaves.roster)
        entries, strangers = _meant(platform, platform_name, sent, exercise, folder)
        with opened(folder, course, exercise):
            outcome = _compare_or_send(platform, entries, folder, send=send, overwrite=overwrite)
    staying += strangers
    _report(outcome, staying, send=send, quiet=quiet)
    if exercise.late is not None and exercise.late.applied_by == "kit":
        for student in outcome.deducted:
            say(f"{student}: the platform takes something off too, so lateness is charged twice")
    lost = [change for change in outcome.found if change.verdict in LOST]
    if lost or outcome.failed or any(one.lost for one in staying):
        context.exit(1)


def _meant(
    platform: Platform, name: str, sent: list[Leaving], exercise: Exercise, folder: Path
) -> tuple[list[Entry], list[Staying]]:
    """What should stand on the platform, and who has no place there."""
    from grader.lms.upload.connect import KINDS  # noqa: PLC0415 - --help need not wait for it

    scale = scale_to(exercise, name, platform.maximum, platform.place)
    for warning in platform.warnings:
        say(warning)
    by_key, strangers = platform.find(sent)
    return _entries(by_key, scale, exercise, settings_of(exercise, KINDS[name]), folder), strangers


def _compare_or_send(
    platform: Platform, entries: list[Entry], folder: Path, *, send: bool, overwrite: bool
) -> Outcome:
    from grader.lms.upload import compare  # noqa: PLC0415 - --help need not wait for it
    from grader.lms.upload import plan as upload  # noqa: PLC0415 - the same
    from grader.lms.upload.journal import Journal  # noqa: PLC0415 - the same

    journal = Journal(folder)
    if send:
        return upload.send(platform, entries, journal, overwrite=overwrite)
    there = platform.read([entry.key for entry in entries])
    changes = compare.compare(entries, there, journal, platform.place, overwrite=overwrite)
    return upload.Outcome(tuple(changes), deducted=upload.deducted(changes))


def _entries(
    by_key: Mapping[str, Leaving],
    scale: Scale,
    exercise: Exercise,
    settings: Canvas | Moodle | Lti,
    folder: Path,
) -> list[Entry]:
    """What should stand on the platform, sorted by student."""
    from grader.lms.comment import COMMENT_LIMIT, short_comment  # noqa: PLC0415 - --help need not wait
    from grader.lms.feedback_files import feedback_page  # noqa: PLC0415 - the same
    from grader.lms.upload.compare import MARK_LENGTH, Entry  # noqa: PLC0415 - the same

    room = COMMENT_LIMIT - MARK_LENGTH
    attachment = settings.comment and getattr(settings, "attachment", False)
    entries = []
    for key, one in by_key.items():
        student = one.person.id
        text = short_comment(one, exercise, room) if settings.comment else ""
        page = feedback_page(folder, student, "feedback.html") if attachment else b""
        entries.append(Entry(student, key, scale(one.points), text, page))
    return sorted(entries, key=lambda entry: entry.student)


def _report(outcome: Outcome, staying: Iterable[Staying], *, send: bool, quiet: bool) -> None:
    """A line for each student for whom anything is to be done or to be known, and the sum."""
    for change in outcome.found:
        lost = change.verdict in LOST
        if change.verdict != "same":
            say(f"{change.entry.student}: {_difference(change)}", quiet=quiet and not lost)
    for one in sorted(staying, key=lambda one: one.student):
        say(f"{one.student}: {one.why}", quiet=quiet and not one.lost)
    for student, why in sorted(outcome.failed.items()):
        say(f"{student}: {why}")
    equal = sum(change.verdict == "same" for change in outcome.found)
    todo = sum(change.verdict in ("new", "change", "comment") for change in outcome.found)
    pages = _pages(outcome, send=send)
    if pages:
        say(f"{pages} feedback page{'s' * (pages > 1)} {'attached' if send else 'to attach'}", quiet=quiet)
    if send:
        done = f"{len(outcome.stuck)} of {todo} written and seen there, {equal} stood there already"
    else:
        done = f"{todo} to write, {equal} stand there already; nothing was written, --send writes"
    say(done, quiet=quiet)


def _pages(outcome: Outcome, *, send: bool) -> int:
    """How many feedback pages were attached, or would be."""
    from grader.lms.upload.compare import SENT  # noqa: PLC0415 - --help need not wait for it

    meant = [change for change in outcome.found if change.verdict in SENT and change.with_page]
    return sum(not send or change.entry.student in outcome.stuck for change in meant)


def _difference(change: Change) -> str:
    there = change.standing.points if change.standing else None
    return (
        f"{'-' if there is None else plain(there)} -> {plain(change.entry.points)} {_WORDS[change.verdict]}"
    )
