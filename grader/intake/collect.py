"""PATHs + exercise + roster -> Submissions: the one entry to the intake."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Literal

from grader.course import Exercise
from grader.errors import UsageError
from grader.intake import canvas, plain
from grader.intake.choose import choose
from grader.intake.handin import Setting
from grader.intake.matching import Matched, Unmatched, match as match_one
from grader.intake.member import Refusal, Refused
from grader.intake.names import owner_words
from grader.intake.source import open_source
from grader.intake.submission import Submission
from grader.roster import Roster


@dataclass(frozen=True)
class Intake:
    """All that came in.

    ``submissions`` are sorted by student and attempt, several of one student only under ``best``; ``earlier``
    are the attempts that ``latest`` passes over. ``missing`` are the ids on the roster that handed in nothing.
    ``recognised`` says, a sentence each, what every path was taken for.
    """

    submissions: tuple[Submission, ...]
    unmatched: tuple[Unmatched, ...] = ()
    refused: tuple[Refused, ...] = ()
    recognised: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    earlier: tuple[Submission, ...] = ()


def collect(
    paths: Sequence[Path],
    exercise: Exercise,
    roster: Roster | None = None,
    *,
    format: str | None = None,  # noqa: A002  # named like the option
    attempts: Literal["latest", "best"] = "latest",
    match: Path | None = None,
    timezone: tzinfo = UTC,
) -> Intake:
    """Read what a class handed in.

    Raises:
        UsageError: A path does not exist, or ``format`` or ``match`` cannot be used.
    """
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise UsageError(f"There is nothing at {path}.")
    del format, match
    setting = Setting(exercise, roster, timezone)
    matched: dict[str, list[Matched]] = defaultdict(list)
    unmatched: list[Unmatched] = []
    refused: list[Refused] = []
    recognised: list[str] = []
    with ExitStack() as stack:
        for path in paths:
            try:
                tree = open_source(path, stack)
            except Refusal as refusal:
                refused.append(Refused(path.name, str(refusal)))
                continue
            refused += [Refused(f"{path.name}: {bad.name}", bad.why) for bad in tree.refused]
            scheme = canvas if canvas.recognise(tree, setting) else plain
            found = scheme.hand_ins(tree, setting)
            recognised.append(f"{path.name}: {scheme.LABEL}, {len(found.hand_ins)} hand-ins")
            for hand_in in found.hand_ins:
                yes, no = match_one(hand_in, roster, {})
                unmatched += no
                for one in yes:
                    matched[one.student].append(one)
        everything = [
            [_submission(one, number, exercise, stack) for number, one in enumerate(_in_order(ones), 1)]
            for _, ones in sorted(matched.items())
        ]
    first = 0 if attempts == "best" else -1
    missing = tuple(p.id for p in roster.people if p.id not in matched) if roster else ()
    return Intake(
        tuple(one for ones in everything for one in ones[first:]),
        tuple(unmatched),
        tuple(refused),
        tuple(recognised),
        missing,
        tuple(one for ones in everything for one in ones[:first]) if first else (),
    )


def _in_order(ones: list[Matched]) -> list[Matched]:
    return sorted(ones, key=lambda one: one.hand_in.attempt)


def _submission(one: Matched, number: int, exercise: Exercise, stack: ExitStack) -> Submission:
    hand_in = one.hand_in
    words = owner_words(
        one.student, one.name, *(w.key for w in hand_in.people), *(w.name for w in hand_in.people)
    )
    chosen = choose(hand_in.members, exercise, words, stack)
    return Submission(
        student=one.student,
        files=chosen.files,
        helpers=chosen.helpers,
        problems=chosen.problems,
        flags=tuple(sorted({*chosen.flags, *hand_in.flags})),
        received_as=hand_in.received_as,
        submitted_at=hand_in.submitted_at,
        name=one.name,
        email=one.email,
        attempt=hand_in.attempt if hand_in.attempt and hand_in.attempt < 10_000 else number,
        notebook=chosen.notebook,
        notes=tuple(chosen.notes),
    )
