"""``grader upload``: show what would change on a learning platform, and with --send write it."""

import sys
from collections.abc import Iterable, Mapping
from contextlib import closing

import click

from grader.base.errors import UsageError
from grader.commands.context import Call, shared_options
from grader.grading.score import points_text
from grader.lms.comment import COMMENT_LIMIT, short_comment
from grader.lms.feedback_files import feedback_page
from grader.lms.payload import Payload, Scale, Withheld, scale_to, settings_of
from grader.lms.upload.connect import KINDS, connect
from grader.lms.upload.journal import Journal
from grader.lms.upload.plan import Upload, UploadOutcome
from grader.lms.upload.target import MARK_LENGTH, SENT, Difference, Entry
from grader.roster.roster import Roster
from grader.run.refresh import outgoing

LOST = ("missing-page", "conflict", "held", "excused", "absent")
"""The verdicts of a score that does not arrive, or arrives without its page."""

_WORDS = {
    "new": "is new",
    "change": "replaces the points that we sent before",
    "comment": "is the score there already; only our comment is missing",
    "missing-page": "is the score there, with our comment, but without the feedback page",
    "conflict": "is kept: a person gave, changed or removed this score there; --overwrite replaces it",
    "excused": "is kept: the student is excused",
    "absent": "is not in that platform's course",
    "scored": "stays; the latest hand-in could not be read, and no comment says so",
}


@click.command()
@click.argument("platform_name", metavar="PLATFORM", type=click.Choice(["canvas", "moodle", "lti"]))
@click.option("--send", is_flag=True, help="Write; without it the difference is only shown.")
@click.option("--overwrite", is_flag=True, help="Replace scores that a person gave or changed there, too.")
@shared_options("out", "only", "private", "quiet")
def command(call: Call, platform_name: str, *, send: bool, overwrite: bool) -> None:
    """Show what would change on a platform (canvas, moodle or lti), and with --send write it.

    course.toml has the platform's address, and names the environment variable with the token. Each write is
    noted in DIR/uploads.jsonl, so the call can be repeated, and goes on after a crash without writing any
    score twice. A score that a person gave or changed there is kept.

    Exit status: 0 when every score is there or would be with --send, 1 when one is not, 2 for a mistake in
    the call.

    Example: CANVAS_TOKEN=... grader upload canvas --send
    """
    call = call.graded
    exercise, folder = call.exercise, call.folder
    with (
        closing(connect(platform_name, exercise)) as target,
        outgoing(folder, call.course, exercise) as leaves,
    ):
        if leaves.roster is None:
            raise UsageError(
                f"{folder} has no roster, and nobody is sent on a guess: grade with --roster FILE."
            )
        found = call.leaving(leaves)
        about = target.about()
        for warning in about.warnings:
            call.say(warning, always=True)
        # Who handed in what cannot be read is told why, and what to hand in.
        is_told = about.takes_lone_comments and settings_of(exercise, KINDS[platform_name]).comment
        by_key, strangers = target.key.sort(found.sent + found.unread * is_told)
        scale = scale_to(exercise, platform_name, about.maximum, target.place)
        entries = _entries(call, platform_name, scale, by_key, pages=about.takes_pages)
        act = Upload(target, Journal(folder), overwrite)
        outcome = act.send(entries) if send else UploadOutcome(there := act.compare(entries), there)
    is_lost = _report(call, outcome, (*found.withheld, *strangers), leaves.roster, send=send)
    if exercise.late is not None and exercise.late.applied_by == "kit":
        for one in outcome.left:
            if one.there and one.there.taken_off > 0:
                text = "the platform takes something off too, so lateness is charged twice"
                call.say(f"{one.entry.student}: {text}", always=True)
    if is_lost or outcome.failed or any(change.verdict in LOST for change in outcome.found):
        sys.exit(1)


def _entries(
    call: Call, platform_name: str, scale: Scale, by_key: Mapping[str, Payload], *, pages: bool
) -> list[Entry]:
    """Make the entry that each student should have on the platform, sorted by student."""
    exercise = call.exercise
    settings = settings_of(exercise, KINDS[platform_name])
    room = COMMENT_LIMIT - MARK_LENGTH
    attachment = settings.comment and pages and getattr(settings, "attachment", False)
    entries = []
    for key, one in by_key.items():
        student = one.person.id
        text = short_comment(one.result, exercise, room) if settings.comment else ""
        page = feedback_page(call.folder, student, "feedback.html") if attachment else b""
        points = scale(one.result.points) if one.has_score else None
        entries.append(Entry(student, key, points, text, page))
    return sorted(entries, key=lambda entry: entry.student)


def _report(
    call: Call, outcome: UploadOutcome, withheld: Iterable[Withheld], roster: Roster, *, send: bool
) -> bool:
    """Print who has a change or a problem, and the sum; return whether a score is withheld."""
    for change in outcome.found:
        if change.verdict != "same":
            text = f"{call.named(change.entry.student, roster)}: {_difference(change)}"
            call.say(text, always=change.verdict in LOST)
    is_lost = call.say_withheld(withheld, roster)
    for student, why in sorted(outcome.failed.items()):
        call.say(f"{call.named(student, roster)}: {why}", always=True)
    equal = sum(change.verdict == "same" for change in outcome.found)
    todo = [change for change in outcome.found if change.verdict in SENT]
    sent = [one.with_page and (not send or one.entry.student in outcome.confirmed) for one in todo]
    if pages := sum(sent):
        call.say(f"{pages} feedback page{'s' * (pages > 1)} {'attached' if send else 'to attach'}")
    if send:
        done = f"{len(outcome.confirmed)} of {len(todo)} written and read back, {equal} there already"
    else:
        done = f"{len(todo)} to write, {equal} there already; nothing was written, --send writes"
    call.say(done)
    return is_lost


def _difference(change: Difference) -> str:
    there = change.there.points if change.there else None
    what = change.there.held if change.there and change.verdict == "held" else _WORDS[change.verdict]
    if change.entry.points is None and change.verdict == "comment":
        what = "gets a comment: why the hand-in could not be read, and what to hand in"
    return f"{'-' if there is None else points_text(there)} -> {change.entry.points_text or '-'} {what}"
