"""Right versions of the five functions, written in the ways that students write them; all earn full marks."""

# ruff: noqa: D103 - a version's name says how it goes about it
# ruff: noqa: T201, UP031 - written the way that students write, who know less than the linter

import functools
import itertools
import math
import operator
import statistics
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from helpers.class_answers import returning

RIGHT: list[tuple[str, Callable[..., Any]]] = []


def right(task):
    """Register a right version of the function ``task``."""

    def register(function):
        RIGHT.append((task, function))
        return function

    return register


def rights(task, parameters, table):
    """Register right versions of one expression; a line has name and expression."""
    for (function,) in returning(parameters, table, globals()):
        right(task)(function)


class TooLongError(ValueError):
    """A subclass of ValueError, as right as ValueError itself."""


class NoRoomError(ArithmeticError, ValueError):
    """A ValueError that has a second base class."""


# --- reserved_slots ---


@right("reserved_slots")
def reserved_product(n_seq, max_len):
    return max_len * n_seq


@right("reserved_slots")
def reserved_sum_of_regions(n_seq, max_len):
    return sum([max_len] * n_seq)


@right("reserved_slots")
def reserved_recursion(n_seq, max_len):
    return 0 if n_seq == 0 else max_len + reserved_recursion(n_seq - 1, max_len)


@right("reserved_slots")
def reserved_loop(n_seq, max_len):
    total = 0
    for _ in range(n_seq):
        total += max_len
    return total


@right("reserved_slots")
def reserved_prints_too(n_seq, max_len):
    print("reserved:", n_seq * max_len)
    return math.prod((n_seq, max_len))


# --- used_slots ---


@right("used_slots")
def used_loop(lengths, max_len=None):
    total = 0
    for length in lengths:
        if max_len is not None and length > max_len:
            raise ValueError
        total = total + length
    return total


@right("used_slots")
def used_while(lengths, max_len=None):
    i = 0
    total = 0
    while i < len(lengths):
        if max_len != None and lengths[i] > max_len:  # noqa: E711 - beginners write it so, and it is right
            raise ValueError("sequence %d is too long" % i)
        total += lengths[i]
        i += 1
    return total


@right("used_slots")
def used_longest_checked(lengths, max_len=None):
    if max_len is not None and max(lengths, default=0) > max_len:
        raise TooLongError(max(lengths))
    return sum(lengths)


@right("used_slots")
def used_two_kinds_of_error(lengths, max_len=None):
    if max_len is not None and any(length > max_len for length in lengths):
        raise NoRoomError("too long")
    return sum(lengths)


@right("used_slots")
def used_longest_guarded(lengths, max_len=None):
    if max_len is not None and lengths and max(lengths) > max_len:
        raise ValueError("too long")
    return sum(lengths)


@right("used_slots")
def used_sorted_copy(lengths, max_len=None):
    ordered = sorted(lengths)
    if max_len is not None and ordered and ordered[-1] > max_len:
        raise ValueError("too long")
    return sum(ordered)


@right("used_slots")
def used_infinite_limit(lengths, max_len=None):
    limit = math.inf if max_len is None else max_len
    if any(length > limit for length in lengths):
        raise ValueError("too long")
    return sum(lengths)


@right("used_slots")
def used_total_first(lengths, max_len=None):
    total = functools.reduce(operator.add, lengths, 0)
    if max_len is not None and not all(length <= max_len for length in lengths):
        raise ValueError("too long")
    return total


@right("used_slots")
def used_star_arguments(lengths, *limit):
    for length in lengths:
        if limit and limit[0] is not None and length > limit[0]:
            raise ValueError("too long")
    return sum(lengths)


@right("used_slots")
def used_pops_a_copy(lengths, max_len=None):
    rest = list(lengths)
    total = 0
    while rest:
        length = rest.pop()
        if max_len is not None and length > max_len:
            raise ValueError("too long")
        total += length
    return total


@right("used_slots")
def used_unicode_error(lengths, max_len=None):
    if max_len is not None and [length for length in lengths if length > max_len]:
        raise UnicodeError("a builtin subclass of ValueError")
    return list(itertools.accumulate(lengths, initial=0))[-1]


# --- waste_fraction ---


@right("waste_fraction")
def waste_idle_over_reserved(lengths, max_len):
    if len(lengths) == 0:
        return 0.0
    if max(lengths) > max_len:
        raise ValueError("too long")
    reserved = len(lengths) * max_len
    return (reserved - sum(lengths)) / reserved


@right("waste_fraction")
def waste_one_minus_used(lengths, max_len):
    for length in lengths:
        if length > max_len:
            raise ValueError("too long")
    if not lengths:
        return 0
    return 1 - sum(lengths) / (len(lengths) * max_len)


@right("waste_fraction")
def waste_mean_of_shares(lengths, max_len):
    if any(length > max_len for length in lengths):
        raise TooLongError
    shares = [(max_len - length) / max_len for length in lengths]
    return sum(shares) / len(shares) if shares else 0.0


@right("waste_fraction")
def waste_statistics_mean(lengths, max_len):
    if any(length > max_len for length in lengths):
        raise ValueError("too long")
    return 1 - statistics.mean(lengths) / max_len if lengths else 0.0


@right("waste_fraction")
def waste_exact_fraction(lengths, max_len):
    if any(length > max_len for length in lengths):
        raise ValueError("too long")
    if not lengths:
        return Fraction(0)
    return Fraction(len(lengths) * max_len - sum(lengths), len(lengths) * max_len)


@right("waste_fraction")
def waste_catches_division(lengths, max_len):
    idle = 0
    for length in lengths:
        if length > max_len:
            raise ValueError("too long")
        idle += max_len - length
    try:
        return idle / (len(lengths) * max_len)
    except ZeroDivisionError:
        return 0.0


@right("waste_fraction")
def waste_minimum_one(lengths, max_len):
    if any(length > max_len for length in lengths):
        raise ValueError("too long")
    reserved = len(lengths) * max_len
    return (reserved - sum(lengths)) / max(1, reserved)


@right("waste_fraction")
def waste_sum_of_parts(lengths, max_len):
    if any(length > max_len for length in lengths):
        raise ValueError("too long")
    return sum((1 - length / max_len) / len(lengths) for length in lengths)


@right("waste_fraction")
def waste_walks_twice(lengths, max_len):
    used = sum(lengths)
    if list(filter(lambda length: length > max_len, lengths)):
        raise ValueError("too long")
    return 1 - used / (len(list(lengths)) * max_len) if lengths else 0.0


@right("waste_fraction")
def waste_percent_and_back(lengths, max_len):
    if any(length > max_len for length in lengths):
        raise ValueError("too long")
    percent = 100 - 100 * sum(lengths) / (len(lengths) * max_len) if lengths else 0
    return percent / 100


# --- extra_reservations ---


rights(
    "extra_reservations",
    "pool, max_len, n_running",
    """\
extra_regions_minus_running | max(0, pool // max_len - n_running)
extra_free_clamped          | max(pool - n_running * max_len, 0) // max_len
extra_math_floor            | max(0, math.floor((pool - n_running * max_len) / max_len))
extra_int_of_quotient       | max(0, int(pool / max_len) - n_running)
extra_range                 | len(range(n_running * max_len + max_len, pool + 1, max_len))
""",
)


@right("extra_reservations")
def extra_free_divided(pool, max_len, n_running):
    free = pool - n_running * max_len
    if free < 0:
        return 0
    return free // max_len


@right("extra_reservations")
def extra_counts_up(pool, max_len, n_running):
    count = 0
    while (n_running + count + 1) * max_len <= pool:
        count += 1
    return count


@right("extra_reservations")
def extra_divmod(pool, max_len, n_running):
    regions, _ = divmod(pool, max_len)
    return regions - n_running if regions > n_running else 0


# --- paged_slots ---


rights(
    "paged_slots",
    "lengths, block",
    """\
paged_negative_floor | sum(-(-length // block) * block for length in lengths)
paged_add_modulo     | sum(length + (-length) % block for length in lengths)
paged_math_ceil      | sum(math.ceil(length / block) * block for length in lengths)
paged_add_and_cut    | sum((length + block - 1) // block * block for length in lengths)
paged_range          | sum(len(range(0, length, block)) for length in lengths) * block
paged_map            | block * sum(map(lambda length: (length - 1) // block + 1, lengths))
""",
)


@right("paged_slots")
def paged_loop(lengths, block):
    total = 0
    for length in lengths:
        blocks = length // block
        if length % block != 0:
            blocks += 1
        total += blocks * block
    return total


@right("paged_slots")
def paged_hands_out(lengths, block):
    slots = 0
    for length in lengths:
        held = 0
        while held < length:
            held += block
        slots += held
    return slots


@right("paged_slots")
def paged_divmod(lengths, block):
    pairs = [divmod(length, block) for length in lengths]
    return block * sum(whole + bool(rest) for whole, rest in pairs)
