# Says every input that it is given: prints, raises, returns it, and keeps it to say it again later.
import sys

SEEN = []


def attack(*args):
    SEEN.append(args)
    print("given", SEEN)
    print("given", SEEN, file=sys.stderr)
    raise KeyError(f"inputs so far: {SEEN}")


def paged_slots(lengths, block):
    print(SEEN, lengths, block)
    return [lengths, block, *map(str, SEEN)]


reserved_slots = used_slots = waste_fraction = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
