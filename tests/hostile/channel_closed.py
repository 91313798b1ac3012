# Closes the channel and lives on, so that someone waits for it.
import os
import time


def attack(*args):
    os.close(3)
    time.sleep(1_000)


reserved_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
