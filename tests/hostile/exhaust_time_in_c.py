# Keeps the processor inside one call into C, where no signal handler of Python's gets a turn.
def reserved_slots(n_seq, max_len):
    return (1 << 400_000_000) // 3


def paged_slots(lengths, block):
    import re

    return re.match(r"(a+)+$", "a" * 60 + "b")


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
