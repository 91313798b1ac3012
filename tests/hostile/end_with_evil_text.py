# Raises exceptions whose text cannot be had: it raises, ends the program, never ends, is huge.
import os


class Evil(ValueError):
    how = None

    def __str__(self):
        return self.how()

    __repr__ = __str__


def forever():
    while True:
        pass


def failing(how):
    def attack(*args):
        error = Evil()
        error.how = how
        raise error

    return attack


reserved_slots = failing(lambda: 1 / 0)
used_slots = failing(lambda: os._exit(0))
waste_fraction = failing(forever)
paged_slots = failing(lambda: "x" * 10_000_000)


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
