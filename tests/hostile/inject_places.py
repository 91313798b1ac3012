# Claims lines and files of others in its tracebacks and syntax errors.
exec(compile("def reserved_slots(*a):\n    raise ValueError('x')", "@COURSE@/tests/hidden/test_reservation.py", "exec"))
exec(compile("\n" * 900_000 + "def used_slots(*a):\n    raise ValueError('x')", "/submission/<b>" + "x" * 5_000, "exec"))


def paged_slots(lengths, block):
    raise SyntaxError("x" * 9_000, ("/submission/" + "y" * 9_000, -5, -5, "z" * 9_000))


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
