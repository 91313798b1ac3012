# Reads the grader's own code, the course file and others' hand-ins, and prints what it got.
import glob
import sys

TAKEN = []
for pattern in ("@COURSE@/course.toml", "@COURSE@/grader/*.py", "@COURSE@/../*/reservation.py", "/etc/passwd"):
    for path in [pattern, *glob.glob(pattern)]:
        try:
            TAKEN.append(open(path).read())
        except OSError:
            pass
print(TAKEN)
for name, module in sorted(sys.modules.items()):
    print(name, getattr(module, "__file__", ""))


def attack(*args):
    print(sys.path, sys.path_importer_cache, sys.prefix, sys.executable)
    return len(TAKEN)


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
