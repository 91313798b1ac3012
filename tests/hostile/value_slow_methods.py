# Returns an object whose every method takes for ever: comparing, hashing, showing, dropping it.
import time


class Slow:
    def _wait(self, *args):
        time.sleep(1_000)

    __eq__ = __hash__ = __repr__ = __str__ = __bool__ = __len__ = __iter__ = __del__ = _wait


KEPT = []


def attack(*args):
    KEPT.append(Slow())
    return KEPT[-1]


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
