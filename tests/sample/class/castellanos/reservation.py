import math
from fractions import Fraction


class TooLongError(ValueError):
    pass


def reserved_slots(n_seq, max_len):
    return sum([max_len] * n_seq)


def used_slots(lengths, max_len=None):
    if max_len is not None and max(lengths, default=0) > max_len:
        raise TooLongError(max(lengths))
    return sum(lengths)


def waste_fraction(lengths, max_len):
    if len(lengths) == 0:
        return Fraction(0)
    return 1 - Fraction(used_slots(lengths, max_len), len(lengths) * max_len)


def extra_reservations(pool, max_len, n_running):
    whole = math.floor(pool / max_len) - n_running
    return whole if whole > 0 else 0


def paged_slots(lengths, block):
    return sum(block * math.ceil(length / block) for length in lengths)
