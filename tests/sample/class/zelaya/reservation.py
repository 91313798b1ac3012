def reserved_slots(n_seq, max_len):
    return n_seq * max_len


def used_slots(lengths, max_len=None):
    if max_len is not None and any(n > max_len for n in lengths):
        raise ValueError("too long")
    total = 0
    while lengths:
        total += lengths.pop()
    return total


def waste_fraction(lengths, max_len):
    reserved = reserved_slots(len(lengths), max_len)
    if reserved == 0:
        return 0.0
    return (reserved - used_slots(lengths, max_len)) / reserved


def extra_reservations(pool, max_len, n_running):
    free = pool - n_running * max_len
    return max(0, free // max_len)


def paged_slots(lengths, block):
    total = 0
    for n in lengths:
        blocks = (n + block - 1) // block
        total += blocks * block
    return total
