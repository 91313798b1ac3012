"""Several hand-ins of one student -> their order; where nothing tells it, none is preferred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC

from grader.intake.match import Matched


@dataclass(frozen=True)
class Arrived:
    """A matched hand-in and the number of the path that it came from.

    ``owner`` are the words of its people's names: of all of a group's, so that one choice is made for all.
    """

    matched: Matched
    path: int
    owner: frozenset[str] = frozenset()


def in_order(arrived: Sequence[Arrived]) -> list[Arrived] | None:
    """The hand-ins of one student from the earliest to the latest; None when nothing tells their order.

    Times decide, where all have one; else the platform's own numbers within one path; else the order in
    which the paths were given. Numbers are compared as numbers. Two people of one download who fit the same
    student are never taken for one person's two attempts, unless a person said so.
    """
    whole = _with_parts(arrived)
    if whole is None or len(whole) == 1:
        return whole
    arrived = _once_each(whole)
    if len(arrived) == 1:
        return arrived
    for path in {one.path for one in arrived}:
        if len({one.matched.key for one in arrived if one.path == path} - {""}) > 1:
            return None
    times = [(time.astimezone(UTC), one) for one in arrived if (time := one.matched.hand_in.submitted_at)]
    if len({time for time, _ in times}) == len(arrived):
        return [one for _, one in sorted(times, key=lambda pair: pair[0])]
    places = {(one.path, one.matched.hand_in.order): one for one in arrived}
    return [one for _, one in sorted(places.items())] if len(places) == len(arrived) else None


def _once_each(arrived: Sequence[Arrived]) -> list[Arrived]:
    """Without what came again in a later download of the same: one name and one time are one hand-in."""
    kept: dict[object, Arrived] = {}
    for number, one in enumerate(arrived):
        hand_in = one.matched.hand_in
        kept[(hand_in.received_as, hand_in.submitted_at) if hand_in.submitted_at else number] = one
    return list(kept.values())


def _with_parts(arrived: Sequence[Arrived]) -> list[Arrived] | None:
    """The hand-ins with the files that a person added; None when nothing tells to which they belong."""
    wholes = [one for one in arrived if not one.matched.hand_in.nobody]
    parts = [one for one in arrived if one.matched.hand_in.nobody]
    if not parts:
        return wholes
    here = {one.path for one in parts}
    own = [one for one in wholes if one.path in here] or wholes
    if len(own) > 1:
        return None
    main, *more = [*own, *parts]
    members = [member for one in (main, *more) for member in one.matched.hand_in.members]
    lone = main.matched.hand_in.lone and not more
    hand_in = replace(main.matched.hand_in, members=tuple(members), nobody="", lone=lone)
    joined = replace(main, matched=replace(main.matched, hand_in=hand_in))
    return [one for one in wholes if one is not main] + [joined]
