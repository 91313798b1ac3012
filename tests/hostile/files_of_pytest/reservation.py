# Brings pytest's own files along: hooks that turn failures into passes, options, plugins.
def attack(*args):
    return -1


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
