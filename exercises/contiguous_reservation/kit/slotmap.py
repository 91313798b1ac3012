"""Turns one call of the five functions into rows of slots, so that a picture can be drawn of it.

There is nothing to do in this file. It draws your own numbers: the regions or blocks of a call, what your
function answered, and what there is. A picture is a title and rows, a row is a label and boxes, and a box is
a list of pairs: a kind of slots, and how many of them.
"""

from __future__ import annotations

from typing import Any

NAMES = "ABCDEFGH"
"""The sequences that are drawn; more are counted."""
MOST_SLOTS = 100_000
MOST_BOXES = 1_000

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


def draw_reserved(got: Any, expected: Any, n_seq: int, max_len: int) -> Picture:
    """Draw one region for each sequence, and the two counts."""
    check(n_seq, max_len)
    rows: list[Row] = [
        (f"{name}: a region of {count(max_len)}", [[("reserved", max_len)]]) for name in NAMES[:n_seq]
    ]
    return f"{count(n_seq, 'sequence')} with {max_len} slots each", [
        *rows,
        *rest(n_seq),
        *counts(got, expected),
    ]


def draw_used(got: Any, expected: Any, lengths: list[int], max_len: int | None = None) -> Picture:
    """Draw the tokens of each sequence, in its region where there is one, and the two counts."""
    if max_len is not None:
        title, rows = in_regions(lengths, max_len)
    else:
        check(*lengths)
        title = "The tokens of each sequence"
        named = zip(NAMES, lengths)  # noqa: B905 - no more than there are names
        rows = [(f"{name}: {count(length, 'token')}", [[("token", length)]]) for name, length in named]
    return title, [*rows, *rest(len(lengths)), *counts(got, expected)]


def draw_waste(got: Any, expected: Any, lengths: list[int], max_len: int) -> Picture | None:
    """Draw regions with their tokens and idle slots, and both shares as parts of all reserved slots."""
    title, rows = in_regions(lengths, max_len)
    if not is_number(expected):
        return title, [*rows, *rest(len(lengths)), *counts(got, expected)]
    whole = sum(slots for _, boxes in rows for box in boxes for _, slots in box)
    if len(lengths) > len(NAMES) or not whole:
        return None
    if is_number(got) and 0 <= got <= 1:
        part = round(got * whole)
        label = f"your share, {got:.4g}, is {part} of the {whole} reserved slots"
        rows.append((label, [[("yours", part), ("rest", whole - part)]]))
    elif is_number(got):
        rows.append((f"your share, {got:.4g}, is not between 0 and 1", []))
    part = round(expected * whole)
    label = f"idle are {part} of the {whole} reserved slots, {expected:.4g}"
    rows.append((label, [[("right", part), ("rest", whole - part)]]))
    return title, rows


def draw_extra(got: Any, expected: Any, pool: int, max_len: int, n_running: int) -> Picture:
    """Draw the pool: what runs, what fits beside it, and the answer as regions."""
    check(pool, max_len, n_running, n_running * max_len)
    taken: list[Box] = [[("reserved", max_len)]] * n_running
    left = pool - n_running * max_len
    rows: list[Row] = [(f"running: {count(n_running, 'region')} of {count(max_len)}", taken)]
    if left >= 0:
        rows.append((f"in the pool of {count(pool)} they leave {left}", [*taken, [("free", left)]]))
    else:
        rows.append((f"the pool has {count(pool)}, {-left} fewer than they need", [[("free", pool)]]))
    for kind, label, answer in (("yours", "your function says", got), ("right", "right is", expected)):
        if is_number(answer):
            drawn = answer in range(MOST_BOXES)
            rows.append((f"{label}: {answer:.10g} more", [[(kind, max_len)]] * int(answer) if drawn else []))
    return f"A pool of {count(pool)}", rows


def draw_paged(got: Any, expected: Any, lengths: list[int], block: int) -> Picture:
    """Draw the blocks of each sequence with their slack, and the two counts."""
    check(*lengths, block)
    rows: list[Row] = []
    for name, length in zip(NAMES, lengths):  # noqa: B905 - no more than there are names
        starts = range(0, length, block)
        check(len(starts), most=MOST_BOXES)
        held = [min(block, length - start) for start in starts]
        label = f"{name}: {count(length, 'token')} in {count(len(held), 'block')} of {block}"
        rows.append((label, [[("token", tokens), ("slack", block - tokens)] for tokens in held]))
    return f"Blocks of {count(block)}", [*rows, *rest(len(lengths)), *counts(got, expected)]


def in_regions(lengths: list[int], max_len: int) -> Picture:
    """Draw the regions of all sequences, with tokens, idle slots, and what does not fit."""
    check(*lengths, max_len)
    rows: list[Row] = []
    for name, length in zip(NAMES, lengths):  # noqa: B905 - no more than there are names
        label = f"{name}: {count(length, 'token')} in a region of {max_len}"
        if length <= max_len:
            rows.append((label, [[("token", length), ("idle", max_len - length)]]))
        else:
            beyond = length - max_len
            rows.append((f"{label}, {beyond} too many", [[("token", max_len)], [("over", beyond)]]))
    return f"Regions of {count(max_len)}", rows


def counts(got: Any, expected: Any) -> list[Row]:
    """What the function answered, and what there is, as bars; a bar beyond the picture is left out."""
    rows: list[Row] = []
    if is_number(got):
        longest = 3 * expected if is_number(expected) and expected else 300
        bar: list[Box] = [[("yours", round(got))]] if 0 <= got <= longest else []
        rows.append((f"your function counts {got:.10g}", bar))
    if isinstance(expected, str):
        return [*rows, (f"right is no number here: {expected} is to be raised", [])]
    return [*rows, (f"there are {expected}", [[("right", expected)]])] if is_number(expected) else rows


def rest(number: int) -> list[Row]:
    """Count the sequences that are not drawn."""
    return [(f"and {number - len(NAMES)} more", [])] if number > len(NAMES) else []


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
    "reserved_slots": draw_reserved,
    "used_slots": draw_used,
    "waste_fraction": draw_waste,
    "extra_reservations": draw_extra,
    "paged_slots": draw_paged,
}
