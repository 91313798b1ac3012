# loops all the way

def reserved_slots(n_seq, max_len):
    slots = 0
    for i in range(n_seq):
        slots = slots + max_len
    return slots

def used_slots(lengths, max_len=None):
    slots = 0
    i = 0
    while i < len(lengths):
        if max_len is not None:
            if lengths[i] > max_len:
                raise ValueError
        slots += lengths[i]
        i += 1
    return slots

def waste_fraction(lengths, max_len):
    used_slots(lengths, max_len)
    idle = 0
    reserved = 0
    for length in lengths:
        idle += max_len - length
        reserved += max_len
    if reserved == 0:
        return 0.0
    return idle / reserved

def extra_reservations(pool, max_len, n_running):
    free = pool
    for i in range(n_running):
        free -= max_len
    count = 0
    while free >= max_len:
        free -= max_len
        count += 1
    return count

def paged_slots(lengths, block):
    slots = 0
    for length in lengths:
        while length > 0:
            slots += block
            length -= block
    return slots
