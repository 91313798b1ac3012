# Raises a class of its own that calls itself ValueError; only a real one counts as raised.
class ValueError(BaseException):
    __module__ = "builtins"
    __qualname__ = "ValueError"


def attack(*args):
    raise ValueError("too long")


used_slots = waste_fraction = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
