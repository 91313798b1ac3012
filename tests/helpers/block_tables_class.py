"""Answers to block_tables in the styles of a real class: right ones, and wrong ones with their cost.

The criteria were written down from the sentences in course.toml, not from what grading gave. ``loses`` are
the criteria that it should lose. ``named`` are misconceptions that are true of it: at least one of them
should be said, and nothing else.
"""

# ruff: noqa: D103 - a version's name says how it goes about it
# ruff: noqa: ARG001, FURB110, PERF401, PLR1730, RET503, RET505, RUF007, SIM103, SIM114, T201 - students write so

import itertools
import math
from fractions import Fraction

from helpers.class_answers import Answer, Constants, returning

PREFIX = {
    "physical_slot": "slot",
    "can_append": "append",
    "slack_share": "slack",
    "largest_hole": "hole",
    "pool_slots": "pool",
}
RIGHT = []
ANSWERS: list[Answer] = []


def right(task):
    """Register a right version of the function ``task``."""

    def register(function):
        RIGHT.append((task, function))
        return function

    return register


def answer(task, loses, named=""):
    """Register a wrong answer of the function ``task``; ids are given without the task's own prefix."""

    def register(function):
        ids = (frozenset(f"{PREFIX[task]}-{name}" for name in names.split()) for names in (loses, named))
        ANSWERS.append(Answer(task, function, *ids))
        return function

    return register


def answers(task, parameters, table):
    """Register wrong answers of one expression; a line has name, criteria, misconceptions, expression."""
    for loses, named, function in returning(parameters, table, globals()):
        answer(task, loses, named)(function)


class OutsideError(IndexError):
    """A subclass of IndexError, as right as IndexError itself."""


# --- physical_slot: right ---


@right("physical_slot")
def slot_plain(table, position, block):
    return table[position // block] * block + position % block


@right("physical_slot")
def slot_divmod(table, position, block):
    i, rest = divmod(position, block)
    if i >= len(table):
        raise IndexError("position is past the table")
    return block * table[i] + rest


@right("physical_slot")
def slot_all_written_out(table, position, block):
    slots = []
    for b in table:
        for i in range(block):
            slots.append(b * block + i)
    return slots[position]


@right("physical_slot")
def slot_walks(table, position, block):
    for b in table:
        if position < block:
            return b * block + position
        position -= block
    raise OutsideError(position)


@right("physical_slot")
def slot_int_of_quotient(table, position, block):
    return int(table[int(position / block)] * block) + position - int(position / block) * block


# --- physical_slot: wrong ---


answers(
    "physical_slot",
    "table, position, block",
    """\
slot_is_position | follows-table past-table edges | position-itself goes-on | position
slot_forgets_offset | follows-table edges | start-of-block | table[position // block] * block
slot_is_block | follows-table edges | block-number | table[position // block]
slot_adds_all | follows-table edges | adds-position | table[position // block] * block + position
slot_plus_one | follows-table edges | one-too-far | table[position // block] * block + position % block + 1
slot_sixteen | follows-table past-table edges | sixteen | table[position // 16] * 16 + position % 16
slot_float | follows-table | float | table[position // block] * block + float(position % block)
slot_pair | follows-table edges reads-only | tuple | (table[position // block] * block + position % block,)
""",
)


@answer("physical_slot", "follows-table past-table edges", "from-first-block goes-on")
def slot_contiguous(table, position, block):
    start = table[0] * block
    return start + position


@answer("physical_slot", "follows-table edges", "from-first-block")
def slot_contiguous_checked(table, position, block):
    if position >= block * len(table):
        raise IndexError("too far")
    return table[0] * block + position


@answer("physical_slot", "follows-table edges reads-only", "sorts-list by-size")
def slot_sorts_the_table(table, position, block):
    table.sort()
    return table[position // block] * block + position % block


@answer("physical_slot", "follows-table edges", "by-size")
def slot_sorted_copy(table, position, block):
    return sorted(table)[position // block] * block + position % block


@answer("physical_slot", "follows-table edges", "adds-number")
def slot_forgets_to_multiply(table, position, block):
    b = table[position // block]
    offset = position % block
    return b + offset


@answer("physical_slot", "follows-table edges", "counts-from-one")
def slot_from_one(table, position, block):
    if position > len(table) * block - 1:
        raise IndexError
    position = position - 1
    return table[position // block] * block + position % block


@answer("physical_slot", "follows-table past-table edges", "rounds-up")
def slot_ceil(table, position, block):
    return table[math.ceil(position / block)] * block + position % block


@answer("physical_slot", "follows-table edges", "entry-from-one")
def slot_entry_minus_one(table, position, block):
    if position // block >= len(table):
        raise IndexError
    return table[position // block - 1] * block + position % block


@answer("physical_slot", "follows-table past-table edges", "swapped-parts")
def slot_swapped(table, position, block):
    return table[position % block] * block + position // block


@answer("physical_slot", "past-table", "wraps-round")
def slot_wraps(table, position, block):
    return table[(position // block) % len(table)] * block + position % block if table else table[0]


@answer("physical_slot", "past-table", "none-past")
def slot_returns_none(table, position, block):
    if position < len(table) * block:
        return table[position // block] * block + position % block


@answer("physical_slot", "past-table", "none-past")
def slot_prints_error(table, position, block):
    try:
        return table[position // block] * block + position % block
    except IndexError:
        print("IndexError: position is past the table")


@answer("physical_slot", "past-table", "minus-one")
def slot_returns_minus_one(table, position, block):
    if position >= len(table) * block:
        return -1
    return table[position // block] * block + position % block


@answer("physical_slot", "past-table", "returns-error")
def slot_returns_error(table, position, block):
    if position >= len(table) * block:
        return IndexError("past")
    return table[position // block] * block + position % block


@answer("physical_slot", "past-table", "raises-other")
def slot_value_error(table, position, block):
    if position >= len(table) * block:
        raise ValueError("position is too large")
    return table[position // block] * block + position % block


@answer("physical_slot", "past-table", "raises-other")
def slot_key_error(table, position, block):
    blocks = dict(enumerate(table))
    return blocks[position // block] * block + position % block


@answer("physical_slot", "past-table", "asserts")
def slot_asserts(table, position, block):
    assert position < len(table) * block
    return table[position // block] * block + position % block


@answer("physical_slot", "past-table", "refuses-the-last")
def slot_refuses_last(table, position, block):
    if position + 1 >= len(table) * block:
        raise IndexError
    return table[position // block] * block + position % block


@answer("physical_slot", "follows-table past-table edges reads-only", "compares-with-blocks")
def slot_compares_position_with_blocks(table, position, block):
    if position >= len(table):
        raise IndexError("no such position")
    return table[position // block] * block + position % block


@answer("physical_slot", "edges", "block-zero-is-none none-for-block-zero")
def slot_zero_is_nothing(table, position, block):
    b = table[position // block]
    if not b:
        raise IndexError("not handed out")
    return b * block + position % block


@answer("physical_slot", "follows-table edges", "true-division")
def slot_divides_with_slash(table, position, block):
    i = position // block
    return table[i] * block + position / block * block


@answer("physical_slot", "reads-only", "pops")
def slot_pops(table, position, block):
    while position >= block:
        table.pop(0)
        position -= block
    return table[0] * block + position


@answer("physical_slot", "follows-table edges reads-only", "prints")
def slot_prints(table, position, block):
    print(table[position // block] * block + position % block)


@answer("physical_slot", "follows-table edges reads-only", "text")
def slot_text(table, position, block):
    return f"slot {table[position // block] * block + position % block}"


@answer("physical_slot", "follows-table past-table edges", "looks-up-backwards")
def slot_index(table, position, block):
    return table.index(position // block) * block + position % block


# --- can_append: right ---


@right("can_append")
def append_ifs(length, block, free):
    if length % block > 0:
        return True
    elif free >= 1:
        return True
    else:
        return False


@right("can_append")
def append_blocks_needed(length, block, free):
    now = math.ceil(length / block)
    then = math.ceil((length + 1) / block)
    return then - now <= free


@right("can_append")
def append_capacity(length, block, free):
    held = -(-length // block) * block
    return held + free * block > length


@right("can_append")
def append_bool(length, block, free):
    return bool(length % block or free)


@right("can_append")
def append_not(length, block, free):
    return not (length % block == 0 and free == 0)


# --- can_append: wrong ---


answers(
    "can_append",
    "length, block, free",
    """\
append_always | in-last new-block first-token | always | length >= 0
append_only_free | in-last | only-if-free | free > 0
append_and | in-last new-block first-token | needs-both | length % block != 0 and free > 0
append_free_slots | new-block | block-of-blocks | length % block != 0 or free >= block
append_keeps_one | new-block | keeps-one-back | length % block != 0 or free > 1
append_or_free | new-block first-token | number-of-blocks number | length % block != 0 or free
append_sixteen | new-block first-token | sixteen | length % 16 != 0 or free > 0
append_first_block | in-last first-token | only-first-block | length < block or free > 0
append_needs_all | in-last new-block first-token | pool-for-all | free * block >= length + 1
append_must_wait | in-last new-block first-token | negated | length % block == 0 and free == 0
append_upside_down | in-last new-block first-token | remainder-upside-down | length % block == 0 or free > 0
""",
)


@answer("can_append", "new-block first-token", "only-in-last")
def append_only_last(length, block, free):
    if length % block != 0:
        return True
    return False


@answer("can_append", "in-last new-block first-token", "one-late")
def append_one_late(length, block, free):
    if length % block == 1:
        return free > 0
    return True


@answer("can_append", "in-last new-block first-token", "one-early")
def append_one_early(length, block, free):
    if (length + 1) % block == 0:
        return free > 0
    return True


@answer("can_append", "first-token", "first-is-free")
def append_first_free(length, block, free):
    if length == 0:
        return True
    return length % block != 0 or free > 0


@answer("can_append", "first-token", "nothing-without-tokens")
def append_never_empty(length, block, free):
    if length == 0:
        return False
    return length % block != 0 or free > 0


@answer("can_append", "new-block", "number")
def append_number(length, block, free):
    if length % block != 0 or free > 0:
        return 1
    return 0


@answer("can_append", "in-last new-block first-token", "number number-of-tokens number-of-blocks")
def append_or_numbers(length, block, free):
    return length % block or free


@answer("can_append", "new-block first-token", "none-for-no")
def append_forgets_false(length, block, free):
    if length % block != 0 or free > 0:
        return True


@answer("can_append", "new-block first-token", "error-for-no")
def append_raises(length, block, free):
    if length % block == 0 and free == 0:
        raise ValueError("no block left")
    return True


@answer("can_append", "in-last new-block first-token", "text yes-and-no")
def append_text(length, block, free):
    return "True" if length % block != 0 or free > 0 else "False"


@answer("can_append", "in-last new-block first-token", "prints")
def append_prints(length, block, free):
    print(length % block != 0 or free > 0)


# --- slack_share: right ---


@right("slack_share")
def slack_loop(lengths, block):
    slots = 0
    tokens = 0
    for n in lengths:
        slots += math.ceil(n / block) * block
        tokens += n
    return 0.0 if slots == 0 else (slots - tokens) / slots


@right("slack_share")
def slack_modulo(lengths, block):
    waste = sum(-n % block for n in lengths)
    total = waste + sum(lengths)
    return waste / total if total > 0 else 0


@right("slack_share")
def slack_fraction(lengths, block):
    slots = sum((n + block - 1) // block * block for n in lengths)
    if not slots:
        return Fraction(0)
    return 1 - Fraction(sum(lengths), slots)


@right("slack_share")
def slack_try(lengths, block):
    slots = sum(math.ceil(n / block) for n in lengths) * block
    try:
        return 1 - sum(lengths) / slots
    except ZeroDivisionError:
        return 0.0


# --- slack_share: wrong ---


@answer("slack_share", "ends", "divides-by-zero")
def slack_first_try(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return (slots - sum(lengths)) / slots


@answer("slack_share", "ends", "zeros-divide-by-zero")
def slack_only_empty_list(lengths, block):
    if len(lengths) == 0:
        return 0.0
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return (slots - sum(lengths)) / slots


@answer("slack_share", "share", "of-tokens")
def slack_over_tokens(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return (slots - sum(lengths)) / sum(lengths) if slots else 0.0


@answer("slack_share", "share ends", "of-tokens divides-by-zero")
def slack_over_tokens_first_try(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return (slots - sum(lengths)) / sum(lengths)


@answer("slack_share", "share each", "of-last-blocks")
def slack_over_last_blocks(lengths, block):
    busy = [n for n in lengths if n]
    return sum(-n % block for n in busy) / (len(busy) * block) if busy else 0.0


@answer("slack_share", "share ends", "used-share")
def slack_used(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    if slots == 0:
        return 0.0
    return sum(lengths) / slots


@answer("slack_share", "share ends", "used-share divides-by-zero")
def slack_used_first_try(lengths, block):
    return sum(lengths) / sum(math.ceil(n / block) * block for n in lengths)


@answer("slack_share", "share each", "count")
def slack_count(lengths, block):
    return sum(math.ceil(n / block) * block - n for n in lengths)


@answer("slack_share", "share", "percent")
def slack_percent(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return 100 * (slots - sum(lengths)) / slots if slots else 0.0


@answer("slack_share", "share", "thousandths hundredths")
def slack_rounded(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return round((slots - sum(lengths)) / slots, 3) if slots else 0.0


@answer("slack_share", "each", "rounds-total")
def slack_total(lengths, block):
    used = sum(lengths)
    slots = math.ceil(used / block) * block
    return (slots - used) / slots if slots else 0.0


@answer("slack_share", "each ends", "rounds-total divides-by-zero")
def slack_total_first_try(lengths, block):
    used = sum(lengths)
    slots = math.ceil(used / block) * block
    return (slots - used) / slots


@answer("slack_share", "share each", "mean-of-shares mean-with-empty")
def slack_mean(lengths, block):
    shares = [1 - n / (math.ceil(n / block) * block) for n in lengths if n > 0]
    return sum(shares) / len(shares) if shares else 0.0


@answer("slack_share", "share each", "adds-shares")
def slack_sum_of_shares(lengths, block):
    share = 0.0
    for n in lengths:
        if n:
            slots = math.ceil(n / block) * block
            share += (slots - n) / slots
    return share


@answer("slack_share", "ends", "one-block-more")
def slack_plus_one(lengths, block):
    slots = sum((n // block + 1) * block for n in lengths)
    return (slots - sum(lengths)) / slots if slots else 0.0


@answer("slack_share", "ends", "block-for-nothing")
def slack_at_least_one(lengths, block):
    slots = sum(max(1, math.ceil(n / block)) * block for n in lengths)
    return (slots - sum(lengths)) / slots if slots else 0.0


@answer("slack_share", "ends", "all-for-nobody")
def slack_one_for_nobody(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return 1 - (sum(lengths) / slots if slots else 0)


@answer("slack_share", "ends", "none-for-nobody zeros-divide-by-zero")
def slack_none_for_nobody(lengths, block):
    if lengths:
        slots = sum(math.ceil(n / block) * block for n in lengths)
        return (slots - sum(lengths)) / slots


@answer("slack_share", "share each", "remainders")
def slack_remainder(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return sum(n % block for n in lengths) / slots if slots else 0.0


@answer("slack_share", "ends", "full-counts-as-empty")
def slack_block_minus_remainder(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    empty = sum(block - n % block for n in lengths if n)
    return empty / slots if slots else 0.0


@answer("slack_share", "share each", "whole-division")
def slack_floor(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return (slots - sum(lengths)) // slots if slots else 0.0


@answer("slack_share", "each", "empties-list")
def slack_pops(lengths, block):
    slots = used = 0
    while lengths:
        n = lengths.pop()
        used += n
        slots += math.ceil(n / block) * block
    return (slots - used) / slots if slots else 0.0


@answer("slack_share", "each", "removes-zeros")
def slack_removes(lengths, block):
    while 0 in lengths:
        lengths.remove(0)
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return (slots - sum(lengths)) / slots if slots else 0.0


@answer("slack_share", "each", "sorts-list")
def slack_sorts(lengths, block):
    lengths.sort()
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return (slots - sum(lengths)) / slots if slots else 0.0


@answer("slack_share", "share each", "returns-in-loop")
def slack_return_in_loop(lengths, block):
    for n in lengths:
        slots = math.ceil(n / block) * block
        return (slots - n) / slots if slots else 0.0
    return 0.0


@answer("slack_share", "share each ends", "sixteen")
def slack_sixteen(lengths, block):
    slots = sum(math.ceil(n / 16) * 16 for n in lengths)
    return (slots - sum(lengths)) / slots if slots else 0.0


@answer("slack_share", "share each ends", "prints")
def slack_prints(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    if slots:
        print((slots - sum(lengths)) / slots)


@answer("slack_share", "share each ends", "percent-text text")
def slack_percent_text(lengths, block):
    slots = sum(math.ceil(n / block) * block for n in lengths)
    return f"{100 * (slots - sum(lengths)) / slots:.1f}%" if slots else "0%"


# --- largest_hole: right ---


@right("largest_hole")
def hole_two_counters(free):
    best = 0
    current = 0
    last = -2
    for b in sorted(free):
        if b == last + 1:
            current += 1
        else:
            current = 1
        if current > best:
            best = current
        last = b
    return best


@right("largest_hole")
def hole_set(free):
    there = set(free)
    best = 0
    for b in there:
        if b - 1 not in there:
            end = b
            while end in there:
                end += 1
            best = max(best, end - b)
    return best


@right("largest_hole")
def hole_groupby(free):
    groups = itertools.groupby(enumerate(sorted(free)), lambda pair: pair[1] - pair[0])
    return max((len(list(group)) for _, group in groups), default=0)


@right("largest_hole")
def hole_last_run_after_loop(free):
    if not free:
        return 0
    ordered = sorted(free)
    runs = []
    run = 1
    for i in range(1, len(ordered)):
        if ordered[i] - ordered[i - 1] == 1:
            run += 1
        else:
            runs.append(run)
            run = 1
    runs.append(run)
    return max(runs)


# --- largest_hole: wrong ---


answers(
    "largest_hole",
    "free",
    """\
hole_len            | side-by-side      | all-free              | len(free)
hole_span           | side-by-side      | span                  | max(free) - min(free) + 1 if free else 0
hole_span_first_try | side-by-side ends | span error-for-nobody | max(free) - min(free) + 1
hole_float          | side-by-side      | float                 | float(hole_set(free))
hole_ignores_zero   | ends              | block-zero-is-none    | hole_set([b for b in free if b])
""",
)


@answer("largest_hole", "any-order", "list-order")
def hole_list_order(free):
    best = run = 0
    last = None
    for b in free:
        run = run + 1 if last is not None and b == last + 1 else 1
        best = max(best, run)
        last = b
    return best


@answer("largest_hole", "any-order ends", "list-order one-for-nobody")
def hole_list_order_first_try(free):
    best = 1
    run = 1
    for i in range(1, len(free)):
        if free[i] == free[i - 1] + 1:
            run += 1
        else:
            run = 1
        if run > best:
            best = run
    return best


@answer("largest_hole", "any-order", "sorts-list")
def hole_sorts(free):
    free.sort()
    best = run = 0
    for i, b in enumerate(free):
        run = run + 1 if i and b == free[i - 1] + 1 else 1
        best = max(best, run)
    return best


@answer("largest_hole", "ends", "one-for-nobody")
def hole_one_for_nobody(free):
    ordered = sorted(free)
    best = run = 1
    for a, b in zip(ordered, ordered[1:]):  # noqa: B905
        run = run + 1 if b == a + 1 else 1
        best = max(best, run)
    return best


@answer("largest_hole", "side-by-side", "counts-steps")
def hole_steps(free):
    ordered = sorted(free)
    best = run = 0
    for a, b in zip(ordered, ordered[1:]):  # noqa: B905
        run = run + 1 if b - a == 1 else 0
        best = max(best, run)
    return best


@answer("largest_hole", "side-by-side", "forgets-last-run forgets-last-run-or-one")
def hole_forgets_last(free):
    ordered = sorted(free)
    best = 0
    run = 1
    for i in range(1, len(ordered)):
        if ordered[i] == ordered[i - 1] + 1:
            run += 1
        else:
            if run > best:
                best = run
            run = 1
    return best


@answer("largest_hole", "side-by-side", "last-run")
def hole_last(free):
    ordered = sorted(free)
    run = 0
    for i in range(len(ordered)):
        if i > 0 and ordered[i] == ordered[i - 1] + 1:
            run += 1
        else:
            run = 1
    return run


@answer("largest_hole", "side-by-side", "first-run")
def hole_first(free):
    ordered = sorted(free)
    run = 0
    for i in range(len(ordered)):
        if i > 0 and ordered[i] != ordered[i - 1] + 1:
            break
        run += 1
    return run


@answer("largest_hole", "side-by-side", "never-starts-anew")
def hole_never_resets(free):
    ordered = sorted(free)
    run = 1 if free else 0
    for i in range(1, len(ordered)):
        if ordered[i] == ordered[i - 1] + 1:
            run += 1
    return run


@answer("largest_hole", "side-by-side", "later-runs-short")
def hole_resets_to_zero(free):
    if not free:
        return 0
    ordered = sorted(free)
    best = run = 1
    for i in range(1, len(ordered)):
        if ordered[i] == ordered[i - 1] + 1:
            run += 1
        else:
            run = 0
        best = max(best, run)
    return best


@answer("largest_hole", "ends", "error-for-nobody")
def hole_max_of_nothing(free):
    ordered = sorted(free)
    runs = []
    for b in ordered:
        if runs and runs[-1][-1] == b - 1:
            runs[-1].append(b)
        else:
            runs.append([b])
    return max(len(run) for run in runs)


@answer("largest_hole", "ends", "index-for-nobody")
def hole_first_of_nothing(free):
    ordered = sorted(free)
    last = ordered[0]
    best = run = 1
    for b in ordered[1:]:
        run = run + 1 if b == last + 1 else 1
        best = max(best, run)
        last = b
    return best


@answer("largest_hole", "ends", "none-for-nobody")
def hole_none_for_nobody(free):
    if not free:
        return None
    return hole_set(free)


@answer("largest_hole", "side-by-side ends", "gives-blocks")
def hole_blocks(free):
    best, run = [], []
    for b in sorted(free):
        run = [*run, b] if run and b == run[-1] + 1 else [b]
        if len(run) > len(best):
            best = run
    return best if best else 0


@answer("largest_hole", "side-by-side", "counts-runs")
def hole_number_of_runs(free):
    there = set(free)
    return len([b for b in there if b - 1 not in there])


@answer("largest_hole", "side-by-side", "pairs")
def hole_pairs(free):
    there = set(free)
    return len([b for b in there if b + 1 in there])


@answer("largest_hole", "any-order", "empties-list")
def hole_pops(free):
    best = 0
    while free:
        low = high = free.pop()
        run = 1
        while high + 1 in free:
            high += 1
            free.remove(high)
            run += 1
        while low - 1 in free:
            low -= 1
            free.remove(low)
            run += 1
        best = max(best, run)
    return best


@answer("largest_hole", "side-by-side any-order ends", "prints")
def hole_prints(free):
    print(hole_set(free))


@answer("largest_hole", "side-by-side ends", "zero-before-first")
def hole_starts_at_zero(free):
    best = run = 0
    last = 0
    for b in sorted(free):
        if b == last + 1:
            run += 1
            if b == 1:
                run += 1
        else:
            run = 1
        best = max(best, run)
        last = b
    return best


@answer("largest_hole", "ends", "looks-up-to-a-limit")
def hole_range_1000(free):
    best = run = 0
    for b in range(1000):
        run = run + 1 if b in free else 0
        best = max(best, run)
    return best


# --- pool_slots: right ---


@right("pool_slots")
def pool_minus(lengths, prefix, block):
    if not lengths:
        return 0
    full = prefix // block
    blocks = sum(math.ceil(n / block) for n in lengths)
    return (blocks - full * (len(lengths) - 1)) * block


@right("pool_slots")
def pool_loop(lengths, prefix, block):
    shared = prefix // block * block
    total = 0
    for n in lengths:
        rest = n - shared
        while rest > 0:
            total += block
            rest -= block
    return total + shared if lengths else 0


@right("pool_slots")
def pool_set(lengths, prefix, block):
    blocks = set()
    for who, n in enumerate(lengths):
        for i in range(-(-n // block)):
            blocks.add(("all" if (i + 1) * block <= prefix else who, i))
    return len(blocks) * block


# --- pool_slots: wrong ---


answers(
    "pool_slots",
    "lengths, prefix, block",
    """\
pool_no_sharing | once ends    | sums-tables  | sum(math.ceil(n / block) * block for n in lengths)
pool_tokens     | once partial | tokens       | sum(lengths) - prefix * (len(lengths) - 1) if lengths else 0
pool_all_tokens | once ends    | all-tokens   | sum(lengths)
pool_longest    | once         | longest-only | math.ceil(max(lengths, default=0) / block) * block
pool_float      | once         | float        | float(pool_minus(lengths, prefix, block))
""",
)


@answer("pool_slots", "once partial", "shares-partial prefix-for-nobody")
def pool_shares_ceil(lengths, prefix, block):
    if not lengths:
        return 0
    shared = math.ceil(prefix / block)
    return (sum(math.ceil(n / block) - shared for n in lengths) + shared) * block


@answer("pool_slots", "once partial ends", "shares-partial prefix-for-nobody")
def pool_shares_ceil_first_try(lengths, prefix, block):
    shared = math.ceil(prefix / block)
    return (sum(math.ceil(n / block) - shared for n in lengths) + shared) * block


@answer("pool_slots", "ends", "prefix-for-nobody")
def pool_first_try(lengths, prefix, block):
    shared = prefix // block
    return (sum(math.ceil(n / block) - shared for n in lengths) + shared) * block


@answer("pool_slots", "once partial ends", "shares-tokens prefix-for-nobody")
def pool_minus_tokens_first_try(lengths, prefix, block):
    return sum(math.ceil(n / block) * block for n in lengths) - prefix * (len(lengths) - 1)


@answer("pool_slots", "once partial", "shares-tokens")
def pool_minus_tokens(lengths, prefix, block):
    if not lengths:
        return 0
    return sum(math.ceil(n / block) * block for n in lengths) - prefix * (len(lengths) - 1)


@answer("pool_slots", "once ends", "forgets-shared")
def pool_only_own(lengths, prefix, block):
    shared = prefix // block
    return sum(math.ceil(n / block) - shared for n in lengths) * block


@answer("pool_slots", "once ends", "prefix-on-top")
def pool_on_top(lengths, prefix, block):
    if len(lengths) == 0:
        return 0
    return prefix // block * block + sum(math.ceil(n / block) * block for n in lengths)


@answer("pool_slots", "once ends", "prefix-on-top prefix-for-nobody")
def pool_on_top_first_try(lengths, prefix, block):
    return prefix // block * block + sum(math.ceil(n / block) * block for n in lengths)


@answer("pool_slots", "once ends", "saves-once saves-once-always")
def pool_saves_once(lengths, prefix, block):
    if not lengths:
        return 0
    return sum(math.ceil(n / block) * block for n in lengths) - prefix // block * block


@answer("pool_slots", "partial", "prefix-and-rest")
def pool_rounds_both(lengths, prefix, block):
    if not lengths:
        return 0
    own = sum(math.ceil((n - prefix) / block) for n in lengths)
    return (math.ceil(prefix / block) + own) * block


@answer("pool_slots", "partial ends", "prefix-and-rest prefix-for-nobody")
def pool_rounds_both_first_try(lengths, prefix, block):
    total = math.ceil(prefix / block) * block
    for n in lengths:
        total += math.ceil((n - prefix) / block) * block
    return total


@answer("pool_slots", "once partial", "full-and-rest")
def pool_loses_partial(lengths, prefix, block):
    if not lengths:
        return 0
    own = sum(math.ceil((n - prefix) / block) for n in lengths)
    return (prefix // block + own) * block


@answer("pool_slots", "once", "blocks")
def pool_blocks(lengths, prefix, block):
    if not lengths:
        return 0
    return sum(math.ceil(n / block) for n in lengths) - prefix // block * (len(lengths) - 1)


@answer("pool_slots", "ends", "own-block-at-least")
def pool_at_least_one(lengths, prefix, block):
    shared = prefix // block
    total = shared if lengths else 0
    for n in lengths:
        total += max(1, math.ceil(n / block) - shared)
    return total * block


@answer("pool_slots", "once", "rounds-total")
def pool_rounds_total(lengths, prefix, block):
    if not lengths:
        return 0
    return math.ceil(sum(lengths) / block) * block - prefix // block * block * (len(lengths) - 1)


@answer("pool_slots", "ends", "index-for-nobody")
def pool_first_in_full(lengths, prefix, block):
    shared = prefix // block
    total = math.ceil(lengths[0] / block)
    for n in lengths[1:]:
        total += math.ceil(n / block) - shared
    return total * block


@answer("pool_slots", "once partial ends", "last-token-own")
def pool_like_vllm(lengths, prefix, block):
    if not lengths:
        return 0
    shared = (prefix - 1) // block if prefix else 0
    return (shared + sum(math.ceil(n / block) - shared for n in lengths)) * block


@answer("pool_slots", "once ends", "sixteen")
def pool_sixteen(lengths, prefix, block):
    if not lengths:
        return 0
    shared = prefix // 16
    return (shared + sum(math.ceil(n / 16) - shared for n in lengths)) * 16


@answer("pool_slots", "once", "distinct")
def pool_distinct(lengths, prefix, block):
    if not lengths:
        return 0
    shared = prefix // block
    return (shared + sum(math.ceil(n / block) - shared for n in set(lengths))) * block


@answer("pool_slots", "once partial ends", "prints")
def pool_prints(lengths, prefix, block):
    print(pool_minus(lengths, prefix, block))


@answer("pool_slots", "partial", "empties-list")
def pool_pops(lengths, prefix, block):
    shared = prefix // block
    total = shared if lengths else 0
    while lengths:
        total += math.ceil(lengths.pop() / block) - shared
    return total * block


@answer("pool_slots", "once partial", "true-division")
def pool_slash(lengths, prefix, block):
    if not lengths:
        return 0
    shared = prefix / block
    return (shared + sum(math.ceil(n / block) - shared for n in lengths)) * block


# --- Part 1 ---

GIVEN = {
    "PREDICT_NEIGHBOURS": False,
    "PREDICT_ROOM": True,
    "PREDICT_TWICE": False,
    "SLOT": 33,
    "HANDED_OUT": 48,
    "HOLE": 3,
    "NEIGHBOURS": False,
    "ROOM": True,
    "TWICE": False,
}
"""The right answers, counted in the picture by hand."""


def constants(loses, named, **given):
    """Make an entry; criteria are given without their prefix ``by-hand-``."""
    return Constants(given, frozenset(f"by-hand-{name}" for name in loses.split()), frozenset(named.split()))


CONSTANTS = [
    constants("slot", "by-hand-position", SLOT=17),
    constants("slot", "by-hand-goes-on", SLOT=57),
    constants("slot", "by-hand-start-of-block", SLOT=32),
    constants("slot", "by-hand-block-number", SLOT=4),
    constants("slot", "", SLOT=100),
    constants("handed-out", "by-hand-twice", HANDED_OUT=56),
    constants("handed-out", "by-hand-tokens", HANDED_OUT=50),
    constants("handed-out", "by-hand-blocks", HANDED_OUT=6),
    constants("hole", "by-hand-all-free", HOLE=9),
    constants("hole", "by-hand-hole-in-slots", HOLE=24),
    constants("handed-out hole", "by-hand-twice by-hand-all-free", HANDED_OUT=56, HOLE=9),
    constants("check", "by-hand-in-line prediction-left-neighbours", NEIGHBOURS=True),
    constants("check", "by-hand-no-room prediction-kept-room", ROOM=False, PREDICT_ROOM=False),
    constants("check", "by-hand-counted-twice prediction-none", TWICE=True, PREDICT_TWICE=None),
    constants("", "prediction-changed-neighbours", PREDICT_NEIGHBOURS=True, PREDICT_ROOM=None),
    constants("", "prediction-missing-room", PREDICT_ROOM=None, PREDICT_TWICE=None),
]
