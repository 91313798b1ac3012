"""What a student reads after full marks, counted by the solution; ``grader build`` keeps it as JSON."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

LENGTHS = {"A": 20, "B": 35, "C": 10}
REGION = 100
BLOCK = 16
EXPLORE = Path(__file__).parents[2] / "exercises" / "contiguous_reservation" / "explore.py"

FILLED = {
    "a region of the maximum for each": 204,
    "regions of powers of two": 268,
    "regions of the final length, if it were known": 382,
    "paging": 963,
}
"""Slots of 1,000 that hold a token, in the paper's figure 2."""


def closing(solutions: Mapping[str, ModuleType]) -> list[tuple[str, list[str], list[Any]]]:
    """Return the sections: a title, paragraphs, and pictures of slots."""
    reservation = solutions["reservation"]
    return [_same_sequences(reservation), _paper(), _trace(reservation), _next()]


def _same_sequences(reservation: ModuleType) -> tuple[str, list[str], list[Any]]:
    lengths = [*LENGTHS.values()]
    reserved = reservation.reserved_slots(len(lengths), REGION)
    idle = reservation.waste_fraction(lengths, REGION)
    paged, used = reservation.paged_slots(lengths, BLOCK), reservation.used_slots(lengths, REGION)
    regions = [
        (f"{name}: {length} tokens", [[("token", length), ("idle", REGION - length)]])
        for name, length in LENGTHS.items()
    ]
    blocks = []
    for name, length in LENGTHS.items():
        held = [min(BLOCK, length - start) for start in range(0, length, BLOCK)]
        blocks.append((f"{name}: {length} tokens", [[("token", n), ("slack", BLOCK - n)] for n in held]))
    in_all = [
        (f"{paged} slots in blocks", [[("token", used), ("slack", paged - used)]]),
        (f"{reserved} reserved slots, to the same scale", [[("token", used), ("idle", reserved - used)]]),
    ]
    text = (
        f"The same three sequences, {used} tokens in all. Regions of {REGION} reserve {reserved} slots for "
        f"them, and {idle:.1%} of these are idle. Blocks of {BLOCK} take {paged} slots, and "
        f"{1 - used / paged:.1%} of these are slack."
    )
    pictures = [
        (f"Regions of {REGION} slots: {reserved} reserved", regions),
        (f"Blocks of {BLOCK} slots: {paged} handed out", [*blocks, *in_all]),
    ]
    return f"{reserved} slots or {paged}", [text], pictures


def _paper() -> tuple[str, list[str], list[Any]]:
    rows = [
        (f"{name}: {slots / 10:.1f} %", [[("token", slots), ("idle", 1000 - slots)]])
        for name, slots in FILLED.items()
    ]
    text = (
        "The share of the KV memory that held tokens, in systems that reserve contiguously and with paging "
        "(W. Kwon and others, Efficient Memory Management for Large Language Model Serving with "
        "PagedAttention, 2023, figure 2). The memory is as large in each of them."
    )
    return "What the paper measured", [text], [("Of 1,000 slots of KV memory", rows)]


def _trace(reservation: ModuleType) -> tuple[str, list[str], list[Any]]:
    explore = runpy.run_path(str(EXPLORE))
    pool, region, block = explore["POOL"], explore["MAX_LEN"], explore["BLOCK"]
    first = (
        f"A pool of {pool:,} slots meets requests that a service really answered: regions of {region:,} "
        f"slots, the longest that is allowed, against blocks of {block}."
    )
    own = "Run explore.py in your folder to see it counted by your own functions."
    credit = (
        "The lengths are of Azure's LLM inference trace of 2023 (AzurePublicDataset, Microsoft, CC-BY 4.0; "
        "P. Patel and others, Splitwise, 2024), the first 2,000 requests of each service."
    )
    rows = []
    for name, lengths in explore["read_trace"]().items():
        found = explore["measure"](reservation, lengths)
        idle, slack = round(found["reserved"] * found["idle"]), found["slack"]
        label = f"{name}: {found['regions']} regions fit, {found['idle']:.1%} idle"
        rows.append((label, [[("token", found["reserved"] - idle), ("idle", idle)]]))
        label = f"{name}: {found['sequences']} sequences in blocks, {slack / found['held']:.1%} slack"
        rows.append((label, [[("token", found["held"] - slack), ("slack", slack)]]))
    return "A real trace", [first, own, credit], [(f"A pool of {pool:,} slots", rows)]


def _next() -> tuple[str, list[str], list[Any]]:
    tables = (
        "You counted blocks. A server also has to find them: a block table for each sequence says where its "
        "first, second and third block lie in memory, in any order."
    )
    shared = (
        "Sequences that begin with the same tokens, as with one system prompt, can share the full blocks of "
        "that beginning. Such a block is in several tables and is counted once in memory, so that the sum "
        "over the sequences is more than what is really taken. The lesson Block tables is about both."
    )
    return "What comes next", [tables, shared], []
