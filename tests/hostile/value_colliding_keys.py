# Returns tables whose keys all fall into one place, which costs their builder a quadratic time.
MODULUS = (1 << 61) - 1


def attack(*args):
    return {n * MODULUS: 0 for n in range(500)}


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
