# Never comes to an end in any function, so that it uses up the grader's day.
def attack(*args):
    while True:
        pass


reserved_slots = used_slots = waste_fraction = paged_slots = attack
extra_reservations = attack
