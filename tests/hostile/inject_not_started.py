# Says that nothing is started in a text that no encoding knows and that would act in a terminal.
TEXT = "\ud800\x1b[2J\u202e\n" * 20


def reserved_slots(n_seq, max_len):
    raise NotImplementedError(TEXT)


def used_slots(lengths, max_len=None):
    raise NotImplementedError(f"TODO 1: {TEXT}")


def waste_fraction(lengths, max_len):
    return used_slots(lengths, max_len)


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
