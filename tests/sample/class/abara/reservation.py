def reserved_slots(n_seq: int, max_len: int) -> int:
    return n_seq * max_len


def used_slots(lengths: list[int], max_len: int | None = None) -> int:
    if max_len is not None and any(length > max_len for length in lengths):
        raise ValueError("a sequence is longer than its region")
    return sum(lengths)


def waste_fraction(lengths: list[int], max_len: int) -> float:
    if not lengths:
        return 0.0
    return 1 - used_slots(lengths, max_len) / reserved_slots(len(lengths), max_len)


def extra_reservations(pool: int, max_len: int, n_running: int) -> int:
    return max(0, pool // max_len - n_running)


def paged_slots(lengths: list[int], block: int) -> int:
    return sum(-(-length // block) * block for length in lengths)
