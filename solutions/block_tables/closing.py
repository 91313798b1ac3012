"""What a student reads after full marks, counted by the solution; ``grader build`` keeps it as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

BLOCK = 16
PREFIX = 100
QUESTIONS = [40, 7, 65, 22]
"""The tokens of four users' own questions."""
SIZES = (8, 16, 32, 64, 128)

Section = tuple[str, list[str], list[Any]]


def closing(solutions: Mapping[str, ModuleType]) -> list[Section]:
    """Return the sections: a title, paragraphs, and pictures of slots."""
    tables = solutions["tables"]
    return [_shared(tables), _sizes(tables), _next()]


def _shared(tables: ModuleType) -> Section:
    lengths = [PREFIX + own for own in QUESTIONS]
    pool = tables.pool_slots(lengths, PREFIX, BLOCK)
    apart = tables.pool_slots(lengths, 0, BLOCK)
    full = PREFIX // BLOCK * BLOCK
    rows = [("once for all four", [[("shared", full)]])]
    for name, length in zip("ABCD", lengths, strict=True):
        own = tables.pool_slots([length], 0, BLOCK) - full
        rows.append(
            (f"{name}: {length} tokens", [[("token", length - full), ("slack", own - length + full)]])
        )
    text = (
        f"Four users ask one assistant. Every sequence begins with the same {PREFIX} tokens of "
        f"instructions, and the questions have {', '.join(map(str, QUESTIONS[:-1]))} and {QUESTIONS[-1]} "
        f"tokens. In blocks of {BLOCK} the four tables have {apart} slots, and the pool hands out {pool}: "
        f"{1 - pool / apart:.1%} less. {full} of the {PREFIX} tokens are shared; for the last "
        f"{PREFIX - full} each user has a block of their own."
    )
    return f"{apart} slots in tables, {pool} in the pool", [text], [("What the pool hands out", rows)]


def _sizes(tables: ModuleType) -> Section:
    lengths = [PREFIX + own for own in QUESTIONS]
    rows = []
    for block in SIZES:
        slots = tables.pool_slots(lengths, PREFIX, block)
        stored = sum(lengths) - (len(lengths) - 1) * (PREFIX // block * block)
        label = f"blocks of {block}: {slots} slots, {PREFIX // block * block} of {PREFIX} tokens shared"
        rows.append((label, [[("token", stored), ("slack", slots - stored)]]))
    text = (
        "The same four sequences with blocks of other sizes. Small blocks leave less slack and share more "
        "of the common beginning; large ones are fewer entries to look up. Defaults differ: 16 slots in "
        "vLLM, 32 in TensorRT-LLM, 256 in nano-vllm."
    )
    return "The size of a block", [text], [("Slots of the pool, to one scale", rows)]


def _next() -> Section:
    fork = (
        "A sequence can split, for example into several answers to one question. The branches begin with "
        "all blocks in common, also the last one, which is partly filled. The server counts for every block "
        "how many tables name it. A branch that writes into a block of several tables first gets a copy of "
        "it: copy on write (the PagedAttention paper, section 4.4). That is another case than yours: "
        "sequences that only begin alike never had a partly filled block in common."
    )
    full = (
        "And when no block is free? Then can_append says False for a sequence whose blocks are full. The "
        "server takes all blocks of a whole sequence back, and later copies them back or computes them "
        "again (section 4.5)."
    )
    return "What comes next", [fork, full], []
