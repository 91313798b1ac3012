# Returns a number of four million digits, to be compared and shown.
NUMBER = 1 << 13_000_000


def attack(*args):
    return NUMBER


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
