# Returns and leaves behind lists of 100,000 items.
def paged_slots(lengths, block):
    lengths.extend(range(100_000))
    return 48


def reserved_slots(n_seq, max_len):
    return [0] * 100_000


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
