# Finds the code that answers for it, in its own process, and makes it say what tests want to hear.
import sys

SERVER = sys.modules["inside.serve"].Server
encode = SERVER.value_reply.__globals__["wire"].encode


def value_reply(self, value):
    # It may say what it likes of its own values; it does not know what is expected.
    return {"kind": "value", "value": {"o": "int"}, "passed": True, "outcome": "passed"}, {"type": "int"}


SERVER.value_reply = value_reply
sys.modules["inside.wire"].MAX_INT_BITS = 10**9


def attack(*args):
    return 300


reserved_slots = used_slots = waste_fraction = paged_slots = attack
extra_reservations = attack
