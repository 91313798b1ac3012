# Takes memory until there is none: in one piece, in many, by mapping, at import.
import mmap

try:
    KEPT = bytearray(10**12)
except MemoryError:
    KEPT = None


def reserved_slots(n_seq, max_len):
    kept = []
    for _ in range(4_000):
        kept.append(bytearray(10**6))


def used_slots(lengths, max_len=None):
    return len("x" * 10**11)


def paged_slots(lengths, block):
    kept = []
    for _ in range(400):
        kept.append(mmap.mmap(-1, 1 << 24))


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
