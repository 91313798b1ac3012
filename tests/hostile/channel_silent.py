# Never answers, never ends, and ignores every signal that it may.
import os
import signal
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


def attack(*args):
    while True:
        try:
            time.sleep(1_000)
        except BaseException:
            pass


reserved_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
