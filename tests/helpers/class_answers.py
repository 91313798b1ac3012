"""A hundred wrong answers in the styles of a real class, with what each should cost and what should be said.

The criteria were written down from the sentences in course.toml, before any answer was graded. ``loses`` are
the criteria that it should lose. ``named`` are misconceptions that are true of it: at least one of them
should be said, and nothing else. An answer without ``named`` has a mistake that no sentence describes.
"""

# ruff: noqa: D103 - a version's name says how it goes about it
# ruff: noqa: ARG001, B006, PLR1730, PLW2901, T201, TRY301 - students write like this

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """A wrong function of a task, the criteria that it should lose, and the misconceptions true of it."""

    task: str
    function: Callable[..., Any]
    loses: frozenset[str]
    named: frozenset[str]


ANSWERS: list[Answer] = []


def answer(task, loses, named=""):
    """Register a wrong answer of the function ``task``; ids are given without the task's own prefix."""
    prefix = task.split("_")[0]

    def register(function):
        ids = (frozenset(f"{prefix}-{name}" for name in names.split()) for names in (loses, named))
        ANSWERS.append(Answer(task, function, *ids))
        return function

    return register


def returning(parameters, table, space):
    """Read a table with one function a line: its name, other cells, and last the expression that it returns.

    Yield the other cells and the function; ``space`` has the names that expressions use.
    """
    for line in table.splitlines():
        name, *cells, expression = (cell.strip() for cell in line.split(" | "))
        function = eval(f"lambda {parameters}: {expression}", space)  # noqa: S307 - our own text
        function.__name__ = name
        yield *cells, function


def answers(task, parameters, table):
    """Register wrong answers of one expression; a line has name, criteria, misconceptions, expression."""
    for loses, named, function in returning(parameters, table, globals()):
        answer(task, loses, named)(function)


# --- reserved_slots ---


@answer("reserved_slots", "region any-number", "adds")
def reserved_plus(n_seq, max_len):
    total = n_seq
    total += max_len
    return total


@answer("reserved_slots", "region any-number", "prints")
def reserved_printed(n_seq, max_len):
    print("reserved slots:", n_seq * max_len)


answers(
    "reserved_slots",
    "n_seq, max_len",
    """\
reserved_sentence | region any-number | text              | f"{n_seq * max_len} slots"
reserved_comma    | region any-number | tuple             | (n_seq * max_len,)
reserved_float    | region            | float             | n_seq * float(max_len)
reserved_eos      | region any-number | end-token         | n_seq * max_len + n_seq
reserved_capped   | region any-number | capped-at-pool    | min(n_seq * max_len, 400)
reserved_idle     | region any-number | minus-tokens idle | n_seq * max_len - 65
""",
)


@answer("reserved_slots", "region any-number", "no-number")
def reserved_yields(n_seq, max_len):
    yield n_seq * max_len


@answer("reserved_slots", "region any-number", "one-sequence-less skips-one-sequence")
def reserved_range_from_1(n_seq, max_len):
    return sum(max_len for _ in range(1, n_seq))


@answer("reserved_slots", "region any-number", "keeps-total")
def reserved_global(n_seq, max_len, kept=[0]):
    for _ in range(n_seq):
        kept[0] += max_len
    return kept[0]


@answer("reserved_slots", "any-number", "error-for-nobody")
def reserved_refuses_nobody(n_seq, max_len):
    if n_seq <= 0:
        raise ValueError("no sequences")
    return n_seq * max_len


@answer("reserved_slots", "any-number", "none-for-nobody")
def reserved_forgets_nobody(n_seq, max_len):
    if n_seq > 0:
        return n_seq * max_len
    return None


@answer("reserved_slots", "region any-number", "one-region returns-in-loop")
def reserved_early_return(n_seq, max_len):
    total = 0
    for _ in range(n_seq):
        total += max_len
        return total
    return total


# --- used_slots ---


@answer("used_slots", "too-long limit-given", "never-checks")
def used_first_try(lengths, max_len=None):
    total = 0
    for x in lengths:
        total += x
    return total


@answer("used_slots", "sum too-long limit-given", "longest never-checks")
def used_longest_no_check(lengths, max_len=None):
    longest = 0
    for x in lengths:
        if x > longest:
            longest = x
    return longest


@answer("used_slots", "sum too-long limit-given", "counts-sequences never-checks")
def used_len_no_check(lengths, max_len=None):
    return len(lengths)


@answer("used_slots", "sum too-long limit-given reads-only", "prints never-checks")
def used_prints_no_check(lengths, max_len=None):
    print(sum(lengths))


@answer("used_slots", "sum reads-only", "prints")
def used_prints_with_check(lengths, max_len=None):
    for x in lengths:
        if max_len is not None and x > max_len:
            raise ValueError("too long")
    print(sum(lengths))


@answer("used_slots", "sum too-long limit-given", "returns-in-loop never-checks")
def used_return_in_loop(lengths, max_len=None):
    total = 0
    for x in lengths:
        total += x
        return total
    return total


@answer("used_slots", "sum too-long limit-given", "skips-last never-checks")
def used_range_short(lengths, max_len=None):
    total = 0
    for i in range(len(lengths) - 1):
        total += lengths[i]
    return total


@answer("used_slots", "sum", "skips-first")
def used_range_from_1(lengths, max_len=None):
    total = 0
    if max_len is not None:
        for x in lengths:
            if x > max_len:
                raise ValueError(x)
    for i in range(1, len(lengths)):
        total += lengths[i]
    return total


@answer("used_slots", "too-long", "minus-one")
def used_minus_one(lengths, max_len=None):
    for x in lengths:
        if max_len is not None and x > max_len:
            return -1
    return sum(lengths)


@answer("used_slots", "too-long", "none-for-error")
def used_prints_error(lengths, max_len=None):
    if max_len is not None:
        for x in lengths:
            if x > max_len:
                print("ValueError: too long")
                return None
    return sum(lengths)


@answer("used_slots", "too-long limit-given", "never-checks")
def used_prints_error_and_goes_on(lengths, max_len=None):
    if max_len is not None:
        for x in lengths:
            if x > max_len:
                print("ValueError: too long")
    return sum(lengths)


@answer("used_slots", "too-long", "returns-error")
def used_returns_error(lengths, max_len=None):
    if max_len is not None and [x for x in lengths if x > max_len]:
        return ValueError("too long")
    return sum(lengths)


@answer("used_slots", "too-long", "returns-text")
def used_returns_error_text(lengths, max_len=None):
    if max_len is not None and [x for x in lengths if x > max_len]:
        return "ValueError"
    return sum(lengths)


@answer("used_slots", "too-long", "raises-exception")
def used_raises_index_error(lengths, max_len=None):
    if max_len is not None and any(x > max_len for x in lengths):
        raise IndexError("too long")
    return sum(lengths)


@answer("used_slots", "too-long", "asserts")
def used_asserts(lengths, max_len=None):
    if max_len is not None:
        for x in lengths:
            assert x <= max_len
    return sum(lengths)


@answer("used_slots", "limit-given", "zero-is-no-limit")
def used_truthy_limit(lengths, max_len=None):
    if max_len:
        for x in lengths:
            if x > max_len:
                raise ValueError("too long")
    return sum(lengths)


@answer("used_slots", "limit-given", "refuses-exactly-full")
def used_greater_equal(lengths, max_len=None):
    if max_len is not None:
        for x in lengths:
            if x >= max_len:
                raise ValueError("too long")
    return sum(lengths)


@answer("used_slots", "limit-given", "max-of-nothing")
def used_max_of_empty(lengths, max_len=None):
    if max_len is None:
        return sum(lengths)
    if max(lengths) > max_len:
        raise ValueError("too long")
    return sum(lengths)


@answer("used_slots", "too-long", "checks-total")
def used_total_check(lengths, max_len=None):
    total = sum(lengths)
    if max_len is not None and total > max_len:
        raise ValueError("too long")
    return total


@answer("used_slots", "sum reads-only", "text")
def used_text(lengths, max_len=None):
    if max_len is not None and any(x > max_len for x in lengths):
        raise ValueError
    return str(sum(lengths))


@answer("used_slots", "sum", "float")
def used_float(lengths, max_len=None):
    total = 0.0
    for x in lengths:
        if max_len is not None and x > max_len:
            raise ValueError
        total += x
    return total


@answer("used_slots", "too-long limit-given reads-only", "empties-list never-checks")
def used_pops_no_check(lengths, max_len=None):
    total = 0
    while len(lengths) > 0:
        total += lengths.pop()
    return total


@answer("used_slots", "reads-only", "empties-list pops-while-checking")
def used_pops_and_checks(lengths, max_len=None):
    total = 0
    while lengths:
        x = lengths.pop()
        if max_len is not None and x > max_len:
            raise ValueError("too long")
        total += x
    return total


@answer("used_slots", "reads-only", "sorts-list sorts-list-down")
def used_sorts_down(lengths, max_len=None):
    lengths.sort(reverse=True)
    if max_len is not None and lengths and lengths[0] > max_len:
        raise ValueError("too long")
    return sum(lengths)


@answer("used_slots", "sum reads-only", "keeps-total")
def used_keeps_total(lengths, max_len=None, kept=[0]):
    for x in lengths:
        if max_len is not None and x > max_len:
            raise ValueError("too long")
        kept[0] += x
    return kept[0]


@answer("used_slots", "sum", "reserved")
def used_is_reserved(lengths, max_len=None):
    if max_len is None:
        return sum(lengths)
    for x in lengths:
        if x > max_len:
            raise ValueError("too long")
    return max_len * len(lengths)


@answer("used_slots", "sum too-long limit-given", "average never-checks")
def used_mean_no_check(lengths, max_len=None):
    if len(lengths) == 0:
        return 0
    return sum(lengths) // len(lengths)


@answer("used_slots", "sum limit-given", "limit-required")
def used_no_default(lengths, max_len):
    if max_len is not None and any(x > max_len for x in lengths):
        raise ValueError("too long")
    return sum(lengths)


@answer("used_slots", "sum too-long limit-given", "limit-required never-checks")
def used_no_default_no_check(lengths, max_len):
    return sum(lengths)


@answer("used_slots", "limit-given", "limit-of-example")
def used_default_100(lengths, max_len=100):
    for x in lengths:
        if x > max_len:
            raise ValueError(f"{x} > {max_len}")
    return sum(lengths)


@answer("used_slots", "sum reads-only", "tuple")
def used_tuple(lengths, max_len=None):
    if max_len is not None and any(x > max_len for x in lengths):
        raise ValueError("too long")
    return (sum(lengths),)


@answer("used_slots", "sum too-long limit-given reads-only", "list-back never-checks")
def used_gives_list_back(lengths, max_len=None):
    return lengths


# --- waste_fraction ---


@answer("waste_fraction", "too-long ends", "never-checks divides-by-zero")
def waste_first_try(lengths, max_len):
    reserved = len(lengths) * max_len
    return (reserved - sum(lengths)) / reserved


@answer("waste_fraction", "share too-long ends", "used-share never-checks divides-by-zero")
def waste_used_share_first_try(lengths, max_len):
    return sum(lengths) / (len(lengths) * max_len)


@answer("waste_fraction", "share too-long ends", "percent never-checks divides-by-zero")
def waste_percent_first_try(lengths, max_len):
    return (len(lengths) * max_len - sum(lengths)) / (len(lengths) * max_len) * 100


@answer("waste_fraction", "share ends", "adds-shares")
def waste_over_one_region(lengths, max_len):
    if any(n > max_len for n in lengths):
        raise ValueError("too long")
    return (len(lengths) * max_len - sum(lengths)) / max_len


@answer("waste_fraction", "ends", "nothing-without-tokens")
def waste_nothing_used(lengths, max_len):
    if any(n > max_len for n in lengths):
        raise ValueError("too long")
    if sum(lengths) == 0:
        return 0.0
    return 1 - sum(lengths) / (len(lengths) * max_len)


@answer("waste_fraction", "share ends reads-only", "no-number no-number-where-all-fit")
def waste_decimal(lengths, max_len):
    if any(n > max_len for n in lengths):
        raise ValueError("too long")
    if not lengths:
        return Decimal(0)
    return 1 - Decimal(sum(lengths)) / (len(lengths) * max_len)


@answer("waste_fraction", "share", "percent")
def waste_percent(lengths, max_len):
    if not lengths:
        return 0
    for n in lengths:
        if n > max_len:
            raise ValueError("too long")
    return 100 - sum(lengths) / len(lengths) / max_len * 100


@answer("waste_fraction", "share reads-only", "text percent-text")
def waste_percent_text(lengths, max_len):
    if not lengths:
        return "0%"
    for n in lengths:
        if n > max_len:
            raise ValueError("too long")
    return f"{100 - sum(lengths) / len(lengths) / max_len * 100:.1f}%"


@answer("waste_fraction", "share too-long ends", "count never-checks")
def waste_count_no_check(lengths, max_len):
    return len(lengths) * max_len - sum(lengths)


@answer("waste_fraction", "share too-long", "hundredths never-checks")
def waste_round_no_check(lengths, max_len):
    if len(lengths) == 0:
        return 0.0
    return round(1 - sum(lengths) / (len(lengths) * max_len), 2)


@answer("waste_fraction", "share", "rounds rounds-to-thousandths")
def waste_round_3(lengths, max_len):
    if any(n > max_len for n in lengths):
        raise ValueError("too long")
    return round(1 - sum(lengths) / (len(lengths) * max_len), 3) if lengths else 0.0


@answer("waste_fraction", "share too-long ends", "whole-division never-checks divides-by-zero")
def waste_floor_first_try(lengths, max_len):
    reserved = len(lengths) * max_len
    return (reserved - sum(lengths)) // reserved


@answer("waste_fraction", "share too-long ends", "one-region never-checks")
def waste_one_region_no_check(lengths, max_len):
    return (max_len - sum(lengths)) / max_len


@answer("waste_fraction", "share too-long ends", "over-pool never-checks")
def waste_pool_no_check(lengths, max_len):
    idle = len(lengths) * max_len - sum(lengths)
    return idle / 400


@answer("waste_fraction", "share too-long ends", "over-used never-checks divides-by-zero")
def waste_over_used_no_check(lengths, max_len):
    used = sum(lengths)
    return (len(lengths) * max_len - used) / used


@answer("waste_fraction", "share too-long ends reads-only", "prints never-checks")
def waste_prints_no_check(lengths, max_len):
    if lengths:
        print(1 - sum(lengths) / (len(lengths) * max_len))


@answer("waste_fraction", "too-long", "minus-one")
def waste_minus_one(lengths, max_len):
    for n in lengths:
        if n > max_len:
            return -1
    if not lengths:
        return 0.0
    return 1 - sum(lengths) / (len(lengths) * max_len)


@answer("waste_fraction", "too-long", "never-checks")
def waste_catches_own_error(lengths, max_len):
    try:
        for n in lengths:
            if n > max_len:
                raise ValueError("too long")
    except ValueError:
        print("a sequence is too long")
    if not lengths:
        return 0.0
    return 1 - sum(lengths) / (len(lengths) * max_len)


@answer("waste_fraction", "ends", "divides-by-zero")
def waste_no_empty_case(lengths, max_len):
    if any(n > max_len for n in lengths):
        raise ValueError("too long")
    idle = sum(max_len - n for n in lengths)
    return idle / (max_len * len(lengths))


@answer("waste_fraction", "ends", "none-for-nobody")
def waste_none_for_nobody(lengths, max_len):
    if any(n > max_len for n in lengths):
        raise ValueError("too long")
    if lengths:
        return 1 - sum(lengths) / (len(lengths) * max_len)
    return None


@answer("waste_fraction", "ends", "all-for-nobody")
def waste_all_for_nobody(lengths, max_len):
    if any(n > max_len for n in lengths):
        raise ValueError("too long")
    used = sum(lengths) / (len(lengths) * max_len) if lengths else 0
    return 1 - used


@answer("waste_fraction", "ends", "error-for-nobody max-of-nothing")
def waste_max_of_empty(lengths, max_len):
    if max(lengths) > max_len:
        raise ValueError("too long")
    return 1 - sum(lengths) / (len(lengths) * max_len)


@answer("waste_fraction", "ends too-long", "all-for-nobody never-checks")
def waste_mean_no_check(lengths, max_len):
    mean = sum(lengths) / max(1, len(lengths))
    return 1 - mean / max_len


@answer("waste_fraction", "share too-long ends", "three-sequences never-checks")
def waste_three_no_check(lengths, max_len):
    return 1 - sum(lengths) / (3 * max_len)


@answer("waste_fraction", "share too-long", "hundred-slots never-checks")
def waste_hundred_no_check(lengths, max_len):
    if not lengths:
        return 0
    return (len(lengths) * 100 - sum(lengths)) / (len(lengths) * 100)


@answer("waste_fraction", "share too-long ends", "adds-shares never-checks")
def waste_sum_of_shares_no_check(lengths, max_len):
    total = 0
    for n in lengths:
        total += (max_len - n) / max_len
    return total


@answer("waste_fraction", "reads-only", "empties-list")
def waste_pops(lengths, max_len):
    count, used = len(lengths), 0
    if any(n > max_len for n in lengths):
        raise ValueError("too long")
    while lengths:
        used += lengths.pop(0)
    return 1 - used / (count * max_len) if count else 0.0


@answer("waste_fraction", "reads-only too-long ends", "sorts-list never-checks divides-by-zero")
def waste_sorts_first_try(lengths, max_len):
    lengths.sort()
    return 1 - sum(lengths) / (len(lengths) * max_len)


@answer("waste_fraction", "share too-long ends", "missing-brackets never-checks divides-by-zero")
def waste_no_brackets_first_try(lengths, max_len):
    reserved = len(lengths) * max_len
    return reserved - sum(lengths) / reserved


@answer("waste_fraction", "too-long", "asserts")
def waste_asserts(lengths, max_len):
    assert all(n <= max_len for n in lengths)
    return Fraction(sum(max_len - n for n in lengths), len(lengths) * max_len) if lengths else 0


@answer("waste_fraction", "too-long", "checks-total")
def waste_total_check(lengths, max_len):
    reserved = len(lengths) * max_len
    if sum(lengths) > reserved:
        raise ValueError("too long")
    return (reserved - sum(lengths)) / reserved if reserved else 0.0


@answer("waste_fraction", "share too-long ends", "used-share percent never-checks")
def waste_used_percent_no_check(lengths, max_len):
    if not lengths:
        return 0
    return 100 * sum(lengths) / (len(lengths) * max_len)


@answer("waste_fraction", "share too-long ends", "swapped never-checks divides-by-zero")
def waste_upside_down_first_try(lengths, max_len):
    reserved = len(lengths) * max_len
    return reserved / (reserved - sum(lengths))


# --- extra_reservations ---


@answer("extra_reservations", "whole nothing-running never-negative", "never-above-nothing negative")
def extra_min_for_max(pool, max_len, n_running):
    return min(0, pool // max_len - n_running)


@answer("extra_reservations", "never-negative", "negative")
def extra_first_try(pool, max_len, n_running):
    free = pool - n_running * max_len
    return free // max_len


@answer("extra_reservations", "whole never-negative", "fractions negative")
def extra_true_division_first_try(pool, max_len, n_running):
    return (pool - n_running * max_len) / max_len


@answer("extra_reservations", "whole", "fractions fractions-or-zero")
def extra_true_division(pool, max_len, n_running):
    left = (pool - n_running * max_len) / max_len
    if left < 0:
        return 0
    return left


@answer("extra_reservations", "whole never-negative", "rounds-up negative")
def extra_ceil_first_try(pool, max_len, n_running):
    return math.ceil((pool - n_running * max_len) / max_len)


@answer("extra_reservations", "whole never-negative", "rounds-nearest rounds-half-even negative")
def extra_round_first_try(pool, max_len, n_running):
    return round((pool - n_running * max_len) / max_len)


answers(
    "extra_reservations",
    "pool, max_len, n_running",
    """\
extra_ignores_running | whole nothing-running never-negative | ignores-running | int(pool / max_len)
extra_slots_first_try | whole nothing-running never-negative | slots negative | pool - max_len * n_running
extra_slots | whole nothing-running | slots | max(0, pool - max_len * n_running)
extra_yes_or_no | whole nothing-running | yes-or-no | pool >= (n_running + 1) * max_len
extra_abs | never-negative | drops-sign | abs(pool // max_len - n_running)
extra_float_floor | whole | float | max(0.0, float(pool // max_len - n_running))
extra_modulo | whole nothing-running never-negative | remainder | pool % (n_running * max_len) // max_len
extra_always_one | whole nothing-running never-negative | example-answer | 1
""",
)


@answer("extra_reservations", "never-negative", "none-when-full")
def extra_forgets_return(pool, max_len, n_running):
    left = pool // max_len - n_running
    if left > 0:
        return left
    return None


@answer("extra_reservations", "never-negative", "error-when-full")
def extra_raises_when_too_small(pool, max_len, n_running):
    if n_running * max_len > pool:
        raise ValueError("pool is too small")
    return pool // max_len - n_running


@answer("extra_reservations", "nothing-running", "none-when-idle")
def extra_nothing_when_idle(pool, max_len, n_running):
    if n_running == 0:
        return 0
    return max(0, (pool - n_running * max_len) // max_len)


@answer("extra_reservations", "whole nothing-running never-negative", "prints")
def extra_prints(pool, max_len, n_running):
    print((pool - n_running * max_len) // max_len)


@answer("extra_reservations", "whole nothing-running never-negative", "one-slot-each negative")
def extra_minus_running(pool, max_len, n_running):
    return (pool - n_running) // max_len


@answer("extra_reservations", "whole nothing-running never-negative", "swapped")
def extra_swapped(max_len, pool, n_running):
    return max(0, pool // max_len - n_running)


@answer("extra_reservations", "whole", "stops-early at-most-ten")
def extra_loop_to_1000(pool, max_len, n_running):
    fit = 0
    for i in range(1000):
        if (n_running + i + 1) * max_len <= pool:
            fit = i + 1
    return fit


# --- paged_slots ---


@answer("paged_slots", "rounds-up each-sequence", "rounds-down")
def paged_floor(lengths, block):
    total = 0
    for n in lengths:
        total += n // block * block
    return total


@answer("paged_slots", "no-empty-block", "always-one-more")
def paged_plus_one(lengths, block):
    total = 0
    for n in lengths:
        total += (n // block + 1) * block
    return total


@answer("paged_slots", "no-empty-block", "next-token always-one-more")
def paged_next_token(lengths, block):
    return sum(math.ceil((n + 1) / block) * block for n in lengths)


@answer("paged_slots", "no-empty-block", "one-more-if-any")
def paged_plus_one_if_any(lengths, block):
    return sum((n // block + 1) * block for n in lengths if n > 0)


@answer("paged_slots", "rounds-up each-sequence", "rounds-nearest rounds-half-even")
def paged_round(lengths, block):
    return sum(round(n / block) * block for n in lengths)


answers(
    "paged_slots",
    "lengths, block",
    """\
paged_total | each-sequence | rounds-total | math.ceil(sum(lengths) / block) * block
paged_tokens | rounds-up each-sequence | counts-tokens | sum(lengths)
paged_true_division | rounds-up each-sequence | true-division | sum(n / block * block for n in lengths)
paged_sixteen | rounds-up no-empty-block | sixteen | sum(-(-n // 16) * 16 for n in lengths)
paged_distinct | each-sequence | distinct | sum(math.ceil(n / block) * block for n in set(lengths))
paged_list | rounds-up each-sequence no-empty-block | list | [math.ceil(n / block) * block for n in lengths]
paged_slack | rounds-up each-sequence no-empty-block | slack | sum(-n % block for n in lengths)
""",
)


@answer("paged_slots", "rounds-up each-sequence no-empty-block", "counts-blocks")
def paged_blocks(lengths, block):
    blocks = 0
    for n in lengths:
        blocks += math.ceil(n / block)
    return blocks


@answer("paged_slots", "each-sequence", "returns-in-loop")
def paged_return_in_loop(lengths, block):
    total = 0
    for n in lengths:
        total += math.ceil(n / block) * block
        return total
    return total


@answer("paged_slots", "each-sequence", "padded")
def paged_padded(lengths, block):
    if not lengths:
        return 0
    return len(lengths) * math.ceil(max(lengths) / block) * block


@answer("paged_slots", "no-empty-block", "block-for-nothing")
def paged_block_for_nothing(lengths, block):
    total = 0
    for n in lengths:
        total += block
        while n > block:
            n -= block
            total += block
    return total


@answer("paged_slots", "rounds-up each-sequence no-empty-block", "prints")
def paged_prints(lengths, block):
    print(sum(math.ceil(n / block) * block for n in lengths))


@answer("paged_slots", "rounds-up each-sequence no-empty-block", "no-number")
def paged_yields(lengths, block):
    for n in lengths:
        yield math.ceil(n / block) * block


@answer("paged_slots", "rounds-up", "float")
def paged_float(lengths, block):
    total = 0.0
    for n in lengths:
        total += math.ceil(n / block) * block
    return total


@answer("paged_slots", "each-sequence", "empties-list")
def paged_pops(lengths, block):
    total = 0
    while lengths:
        total += math.ceil(lengths.pop() / block) * block
    return total


@answer("paged_slots", "no-empty-block", "error-for-nobody")
def paged_refuses_nobody(lengths, block):
    if not lengths:
        raise ValueError("no sequences")
    return sum(math.ceil(n / block) * block for n in lengths)


@answer("paged_slots", "rounds-up", "cannot-round-up almost-one-more")
def paged_plus_point_99(lengths, block):
    return sum(int(n / block + 0.99) * block for n in lengths)


@answer("paged_slots", "rounds-up", "stops-early at-most-hundred")
def paged_loop_to_1000(lengths, block):
    total = 0
    for n in lengths:
        for i in range(1001):
            if i * block >= n:
                total += i * block
                break
        else:
            total += 1000 * block
    return total


@answer("paged_slots", "rounds-up each-sequence no-empty-block", "one-block-each one-block-if-any")
def paged_one_block_each(lengths, block):
    return block * len([n for n in lengths if n > 0])


@answer("paged_slots", "rounds-up each-sequence no-empty-block", "only-adds adds-if-any")
def paged_forgets_to_cut(lengths, block):
    return sum(n + block - 1 for n in lengths if n)


@answer("paged_slots", "rounds-up each-sequence no-empty-block", "swapped type-error")
def paged_swapped(block, lengths):
    return sum(-(-n // block) * block for n in lengths)


# --- Part 1 ---


class Constants(NamedTuple):
    """Answers to Part 1 that differ from the right ones, with what they lose and what is said."""

    given: dict[str, Any]
    loses: frozenset[str]
    named: frozenset[str]


def constants(loses, named, **given):
    """Make an entry; criteria are given without their prefix ``hands-on-``."""
    return Constants(given, frozenset(f"hands-on-{name}" for name in loses.split()), frozenset(named.split()))


GIVEN = {"PREDICTION": False, "RESERVED": 300, "IDLE": 235, "MORE": 1, "UNUSED_IS_SHARED": False}
"""The right answers."""

CONSTANTS = [
    constants("reserved", "hands-on-tokens", RESERVED=65),
    constants("reserved", "hands-on-pool", RESERVED=400),
    constants("reserved", "hands-on-adds", RESERVED=103),
    constants("idle", "hands-on-tokens-idle", IDLE=65),
    constants("idle", "hands-on-free-idle", IDLE=335),
    constants("more", "hands-on-empty-pool", MORE=4),
    constants("more", "hands-on-lends-idle", MORE=3),
    constants("more", "hands-on-free-slots", MORE=100),
    constants("reserved idle", "hands-on-tokens hands-on-tokens-idle", RESERVED=65, IDLE=65),
    constants("check", "hands-on-shared prediction-kept", UNUSED_IS_SHARED=True, PREDICTION=True),
    constants("check", "hands-on-shared prediction-left", UNUSED_IS_SHARED=True, PREDICTION=False),
    constants("", "prediction-changed", PREDICTION=True),
    constants("", "prediction-missing", PREDICTION=None),
]
