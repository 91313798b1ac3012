"""The last word on the lesson, said in your own numbers when all visible tests pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

LENGTHS = [20, 35, 10]
REGION = 100
BLOCK = 16


def closing(part_1: Any, part_2: Any) -> Iterator[str]:
    """Compare both ways of sharing out with the student's own functions, and the prediction with the answer.

    ``part_1`` has the constants of hands_on.py, ``part_2`` the functions of reservation.py.
    """
    reserved = part_2.reserved_slots(len(LENGTHS), REGION)
    share = part_2.waste_fraction(list(LENGTHS), REGION)
    paged = part_2.paged_slots(list(LENGTHS), BLOCK)
    slack = (paged - part_2.used_slots(list(LENGTHS))) / paged
    yield (
        f"Same three sequences: {reserved} slots reserved, {100 * share:.1f} % of them idle; "
        f"in blocks of {BLOCK}, {paged} slots, {100 * slack:.1f} % of them slack."
    )
    before, now = part_1.PREDICTION, part_1.UNUSED_IS_SHARED
    why = "idle slots belong to the sequence that reserved them, even while another one waits"
    if type(before) is bool and before != now:
        yield f"You predicted {before} and now say {now}, because {why}."
    elif type(before) is bool:
        yield f"You predicted {before}, and it is so: {why}."
