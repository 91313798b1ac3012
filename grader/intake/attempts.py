"""Put the hand-ins of one student in order of time, and read them as numbered attempts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

from grader.base.flags import SEVERAL_HAND_INS
from grader.course.model import Exercise
from grader.intake.handin import HandIn
from grader.intake.prepare import read_hand_in
from grader.sources.reader import READING_SECONDS
from grader.sources.submission import Submission


def read_attempts(hand_ins: Sequence[HandIn], exercise: Exercise, *, only_last: bool) -> list[Submission]:
    """Read one student's hand-ins in order of time as numbered attempts; [] when nothing tells the order.

    All attempts of a student share one limit of time, and the last one is read first. With ``only_last`` the
    earlier ones stay as they were handed in: their notebook is not turned into files.
    """
    ordered = in_order(hand_ins) or []
    numbers = [one.attempt for one in ordered]
    if 0 in numbers or len(set(numbers)) < len(numbers):
        numbers = list(range(1, len(ordered) + 1))
    flags = (SEVERAL_HAND_INS,) if len({one.path for one in ordered}) > 1 else ()
    left = READING_SECONDS
    attempts: list[Submission] = []
    for one, number in reversed([*zip(ordered, numbers, strict=True)]):
        begun = time.process_time()
        numbered = replace(one, attempt=number, flags=(*one.flags, *flags))
        attempts.append(read_hand_in(numbered, exercise, left, to_grade=not (attempts and only_last)))
        left = max(0.1, left - (time.process_time() - begun))
    return attempts[::-1]


def in_order(hand_ins: Sequence[HandIn]) -> list[HandIn] | None:
    """Sort the hand-ins of one student from the earliest to the latest; None when nothing tells their order.

    Times decide if all hand-ins have one; otherwise the platform's numbers within one PATH, and the order in
    which the PATHs were given. Two people of one download who fit the same student are never taken for one
    person's two attempts, unless a person said so.
    """
    whole = _with_strays(hand_ins)
    if whole is None or len(whole) == 1:
        return whole
    # A later download holds the earlier one: the same name and time are one hand-in.
    by_time = {(h.received_as, h.submitted_at) if h.submitted_at else n: h for n, h in enumerate(whole)}
    hand_ins = list(by_time.values())
    if len(hand_ins) == 1:
        return hand_ins
    for path in {one.path for one in hand_ins}:
        if len({one.key for one in hand_ins if one.path == path} - {""}) > 1:
            return None
    times = {one.submitted_at.astimezone(UTC): one for one in hand_ins if one.submitted_at}
    if len(times) == len(hand_ins):
        return [times[moment] for moment in sorted(times)]
    places = {(one.path, one.order): one for one in hand_ins}
    return [places[place] for place in sorted(places)] if len(places) == len(hand_ins) else None


def _with_strays(hand_ins: Sequence[HandIn]) -> list[HandIn] | None:
    """Add the files that a person gave to the student; None when nothing tells to which hand-in."""
    wholes = [one for one in hand_ins if not one.stray]
    strays = [one for one in hand_ins if one.stray]
    if not strays:
        return wholes
    paths = {one.path for one in strays}
    own = [one for one in wholes if one.path in paths] or wholes
    if len(own) > 1:
        return None
    main, *more = [*own, *strays]
    members = tuple(member for one in (main, *more) for member in one.members)
    joined = replace(main, members=members, stray="", named_for_student=main.named_for_student and not more)
    return [one for one in wholes if one is not main] + [joined]
