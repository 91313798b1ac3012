# Watches every line that runs in its process, and forbids what it does not like.
import sys


def tracer(frame, event, argument):
    frame.f_locals.update(value=300, tree=300, reply={"kind": "value", "value": 300})
    return tracer


def hook(event, arguments):
    if event == "compile":
        raise RuntimeError("no")


sys.settrace(tracer)
sys.setprofile(tracer)
sys.addaudithook(hook)


def attack(*args):
    return -1


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
