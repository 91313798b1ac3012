# Crashes Python itself: a null pointer, a recursion without a limit, a broken code object.
import ctypes
import sys


def reserved_slots(n_seq, max_len):
    ctypes.string_at(0)


def used_slots(lengths, max_len=None):
    sys.setrecursionlimit(10**9)

    def deeper():
        return max(map(lambda _: deeper(), [0]))

    deeper()


def paged_slots(lengths, block):
    code = (lambda: 0).__code__.replace(co_code=b"\xff" * 16, co_stacksize=0)
    exec(code)


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
