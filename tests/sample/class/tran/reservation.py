def reserved_slots(n_seq, max_len):
    return n_seq * max_len


def used_slots(lengths, max_len=None):
    if max_len is not None:
        for n in lengths:
            if n > max_len:
                raise ValueError("too long")
    return sum(lengths)


def waste_fraction(lengths, max_len):
    for n in lengths:
        if n > max_len:
            raise ValueError("too long")
    reserved = len(lengths) * max_len
    if reserved == 0:
        return 0.0
    return (reserved - sum(lengths)) / reserved


def extra_reservations(pool, max_len, n_running):
    return pool // max_len - n_running


def paged_slots(lengths, block):
    total = 0
    for n in lengths:
        blocks = (n + block - 1) // block
        total += blocks * block
    return total
