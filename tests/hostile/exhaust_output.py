# Prints without end, in lines, without lines, and past Python.
import os
import sys


def reserved_slots(n_seq, max_len):
    for _ in range(10_000):
        print("20 points " * 20)
    return 0


def used_slots(lengths, max_len=None):
    sys.stdout.write("x" * 5_000_000)
    return 0


def paged_slots(lengths, block):
    for _ in range(100):
        os.write(1, b"x" * 60_000)
        os.write(2, b"x" * 60_000)
    return 0


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
