# Hides its inputs in the name and text of an exception, its type, its attributes and its notes.
SEEN = []


def attack(*args):
    SEEN.append(repr(args))
    kind = type("Seen_" + "_".join(SEEN), (ValueError,), {"__module__": "builtins"})
    error = kind(*SEEN)
    error.add_note(str(SEEN))
    error.__cause__ = KeyError(str(SEEN))
    globals()["seen_" + str(len(SEEN))] = args
    raise error


reserved_slots = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
