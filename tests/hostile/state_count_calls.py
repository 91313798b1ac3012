# Is right in its first call only, and wrong whenever it is asked the same again.
SEEN = set()


def once(right):
    def attack(*args):
        key = repr(args)
        if key in SEEN:
            return -1
        SEEN.add(key)
        return right(*args)

    return attack


reserved_slots = once(lambda n_seq, max_len: n_seq * max_len)


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
