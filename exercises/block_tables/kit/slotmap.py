"""Turns one call of the five functions into rows of slots, so that a picture can be drawn of it.

There is nothing to do in this file. It draws your own numbers: the blocks of a call, what your function
answered, and what there is. A picture is a title and rows, a row is a label and boxes, and a box is a list of
pairs: a kind of slots, and how many of them.
"""

from __future__ import annotations

from typing import Any

NAMES = "ABCDEFGH"
"""The sequences that are drawn; more are counted."""
MOST_SLOTS = 100_000
MOST_BOXES = 1_000
MOST_NUMBERS = 12
"""Block numbers that are written out."""

Box = list[tuple[str, int]]
Row = tuple[str, list[Box]]
Picture = tuple[str, list[Row]]


def picture(
    function: str, arguments: list[Any], keywords: dict[str, Any], got: object, expected: object
) -> Picture | None:
    """Return the picture of a call, or None where there is nothing to draw.

    ``got`` is what the function answered (None if nothing), ``expected`` the right answer, the name of the
    error that is right, or None where any answer will do.
    """
    drawing = DRAWINGS.get(function)
    try:
        return drawing(got, expected, *arguments, **keywords) if drawing else None
    except (TypeError, ValueError):  # the arguments are no whole numbers, or too large to draw
        return None


def draw_slot(got: Any, expected: Any, table: list[int], position: int, block: int) -> Picture:
    """Draw the table's blocks in logical order with the position, and the two slots in the pool."""
    check(*table, position, block, len(table) * block)
    slots = len(table) * block
    label = f"the table {written(table)}: {count(slots)} in logical order"
    if position < slots:
        entry, offset = divmod(position, block)
        boxes: list[Box] = [[("token", block)] for _ in table]
        boxes[entry] = [("token", offset), ("right", 1), ("token", block - offset - 1)]
    else:
        label = f"{label}, and position {position} is past them"
        boxes = [*([("token", block)] for _ in table), [("over", 1)]]
    rows: list[Row] = [(label, boxes)]
    for kind, words, answer in (("yours", "your function says", got), ("right", "right is", expected)):
        if is_number(answer):
            drawn = answer == int(answer) and 0 <= answer <= MOST_SLOTS
            pool: list[Box] = [[("rest", int(answer)), (kind, 1)]] if drawn else []
            rows.append((f"{words} slot {answer:.10g} of the pool", pool))
    if isinstance(expected, str):
        rows.append((f"right is no slot here: {expected} is to be raised", []))
    return f"Position {position} in blocks of {count(block)}", rows


def draw_append(got: Any, expected: Any, length: int, block: int, free: int) -> Picture:
    """Draw the blocks of the sequence, those that are free, and the two answers."""
    rows = [in_blocks("the sequence", length, block)]
    check(free, free * block, most=MOST_SLOTS)
    rows.append((f"{count(free, 'free block')} in the pool", [[("free", block)] for _ in range(free)]))
    rows += [(f"your function says {got}", [])] if isinstance(got, bool) or is_number(got) else []
    rows += [(f"right is {expected}", [])] if isinstance(expected, bool) else []
    return "Room for one token more?", rows


def draw_slack(got: Any, expected: Any, lengths: list[int], block: int) -> Picture | None:
    """Draw the blocks of each sequence, and both shares as parts of all slots that are handed out."""
    rows = in_own_blocks(lengths, block)
    whole = slots_of(rows)
    if len(lengths) > len(NAMES) or not whole or not is_number(expected):
        return None
    if is_number(got) and 0 <= got <= 1:
        part = round(got * whole)
        label = f"your share, {got:.4g}, is {part} of the {whole} slots handed out"
        rows.append((label, [[("yours", part), ("rest", whole - part)]]))
    elif is_number(got):
        rows.append((f"your share, {got:.4g}, is not between 0 and 1", []))
    part = round(expected * whole)
    label = f"slack are {part} of the {whole} slots handed out, {expected:.4g}"
    rows.append((label, [[("right", part), ("rest", whole - part)]]))
    return f"Blocks of {count(block)}", rows


def draw_hole(got: Any, expected: Any, free: list[int]) -> Picture:
    """Draw the pool from the first to the last free block, and the two counts."""
    check(*free)
    boxes: list[Box] = []
    before = None
    for number in sorted(set(free)):
        if before is not None and number == before + 1:
            boxes[-1] = [("free", boxes[-1][0][1] + 1)]
        else:
            boxes += [] if before is None else [[("taken", number - before - 1)]]
            boxes.append([("free", 1)])
        before = number
    rows: list[Row] = [(f"free: {written(free)}", []), ("in the pool, a column a block", boxes)]
    return "Blocks of the pool", [*rows, *counts(got, expected)]


def draw_pool(got: Any, expected: Any, lengths: list[int], prefix: int, block: int) -> Picture:
    """Draw the shared blocks, each sequence's own ones, and the two counts."""
    check(prefix, block)
    shared = len(range(block, prefix + 1, block)) if lengths else 0
    label = f"{count(shared, 'full block')} of the prefix, in every table and once in the pool"
    rows: list[Row] = [(label, [[("shared", block)] for _ in range(shared)])]
    for name, length in zip(NAMES, lengths):  # noqa: B905 - no more than there are names
        label, boxes = in_blocks(name, length, block)
        rows.append((f"{label}, {count(len(boxes) - shared, 'block')} of its own", boxes[shared:]))
    return f"Blocks of {count(block)}", [*rows, *rest(len(lengths)), *counts(got, expected)]


def in_own_blocks(lengths: list[int], block: int) -> list[Row]:
    """Draw the blocks of every sequence that has a name."""
    return [in_blocks(name, length, block) for name, length in zip(NAMES, lengths)]  # noqa: B905


def in_blocks(name: str, length: int, block: int) -> Row:
    """Draw the blocks of one sequence with their slack."""
    check(length, block)
    starts = range(0, length, block)
    check(len(starts), most=MOST_BOXES)
    held = [min(block, length - start) for start in starts]
    label = f"{name}: {count(length, 'token')} in {count(len(held), 'block')} of {block}"
    return label, [[("token", tokens), ("slack", block - tokens)] for tokens in held]


def slots_of(rows: list[Row]) -> int:
    """The slots of all boxes together."""
    return sum(slots for _, boxes in rows for box in boxes for _, slots in box)


def counts(got: Any, expected: Any) -> list[Row]:
    """What the function answered, and what there is, as bars; a bar beyond the picture is left out."""
    rows: list[Row] = []
    if is_number(got):
        longest = 3 * expected if is_number(expected) and expected else 300
        bar: list[Box] = [[("yours", round(got))]] if 0 <= got <= longest else []
        rows.append((f"your function counts {got:.10g}", bar))
    return [*rows, (f"there are {expected}", [[("right", expected)]])] if is_number(expected) else rows


def rest(number: int) -> list[Row]:
    """Count the sequences that are not drawn."""
    return [(f"and {number - len(NAMES)} more", [])] if number > len(NAMES) else []


def written(numbers: list[int]) -> str:
    """Write the numbers of a list, the first ones of a long list."""
    shown = ", ".join(map(str, numbers[:MOST_NUMBERS]))
    return f"[{shown}{', ...' if len(numbers) > MOST_NUMBERS else ''}]"


def count(number: int, noun: str = "slot") -> str:
    """Write a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def check(*numbers: int, most: int = MOST_SLOTS) -> None:
    """Refuse what cannot be drawn."""
    if not all(type(number) is int and 0 <= number <= most for number in numbers):
        raise ValueError("not whole numbers, or too many")


def is_number(value: Any) -> bool:
    """Tell whether this is a plain number, and not a yes or no."""
    return type(value) in (int, float) and abs(value) < 1e15


DRAWINGS: dict[str, Any] = {
    "physical_slot": draw_slot,
    "can_append": draw_append,
    "slack_share": draw_slack,
    "largest_hole": draw_hole,
    "pool_slots": draw_pool,
}
