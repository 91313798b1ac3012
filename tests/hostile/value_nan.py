# Returns nan, for checks that ask whether a difference is too large.
def attack(*args):
    return float("nan")


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
