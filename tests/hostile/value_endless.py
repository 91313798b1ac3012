# Returns an endless generator, for tests that would turn it into a list.
import itertools


def attack(*args):
    return itertools.count()


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
