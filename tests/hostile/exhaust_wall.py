# Sleeps, in small pieces, and uses no time of its own.
import time


def used_slots(lengths, max_len=None):
    while True:
        time.sleep(0.01)


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
