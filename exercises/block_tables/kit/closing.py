"""The last word on the lesson, said in your own numbers when all visible tests pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

LENGTHS = [21, 13, 16]
BLOCK = 8
QUESTIONS = {
    "NEIGHBOURS": "the blocks of a sequence may lie anywhere in the pool",
    "ROOM": "the last block of a sequence can have room while the pool has none",
    "TWICE": "a table holds numbers, and two of them can be the same",
}


def closing(part_1: Any, part_2: Any) -> Iterator[str]:
    """Count the picture with the student's own functions, and compare each prediction with the answer.

    ``part_1`` has the constants of by_hand.py, ``part_2`` the functions of tables.py.
    """
    alone = part_2.pool_slots(list(LENGTHS), 0, BLOCK)
    shared = part_2.pool_slots(list(LENGTHS[:2]), 10, BLOCK) + part_2.pool_slots(list(LENGTHS[2:]), 0, BLOCK)
    slack = part_2.slack_share(list(LENGTHS), BLOCK)
    yield (
        f"The three sequences of the picture: {alone} slots in the tables, {shared} in the pool because A "
        f"and B share a block; {100 * slack:.1f} % of the slots in the tables are slack."
    )
    for name, why in QUESTIONS.items():
        before, now = getattr(part_1, f"PREDICT_{name}", None), getattr(part_1, name)
        if type(before) is bool and before != now:
            yield f"You predicted PREDICT_{name} = {before} and now say {now}, because {why}."
