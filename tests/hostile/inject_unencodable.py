# Puts what cannot be written into its texts: lone surrogates, NUL, non-characters, a million marks.
TEXT = "\ud800\udfff\x00\x1b\uffff\ufffe" + "e" + "\u0301" * 1_000_000
print(TEXT)


def reserved_slots(n_seq, max_len):
    print(TEXT)
    return TEXT[:50]


def used_slots(lengths, max_len=None):
    raise RuntimeError(TEXT)


def paged_slots(lengths, block):
    raise type("Bad\ud800", (Exception,), {})(TEXT)


vars()["name\ud800"] = 1


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
