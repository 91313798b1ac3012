"""Measure how many bits a second one submission can tell another by timing alone, in this machine's jail.

Two submissions run at the same time, as with ``--jobs 2``: the sender copies memory or rests, slot by slot,
and the receiver counts how many copies of its own it makes in each slot. Or one runs after
the other on the same zygote: the sender fills the processor's caches or not and ends, and the receiver times
its first pass over memory. Both know when a slot begins; nothing else is shared. On a quiet machine, or with
``nice -n -19``::

    python benchmarks/timing_channel.py
"""

from __future__ import annotations

import math
import random
import statistics
import time
from threading import Thread
from typing import Any

from grader.course.model import Limits
from grader.sandbox.child import Child, Request
from grader.sandbox.host import Zygote, choose_tier

SOURCE = b"""
import time

MINE, OTHER = (memoryview(bytearray(b"x") * (1 << 20)) for _ in range(2))

def send(bits, start, slot):
    here, there = (memoryview(bytearray(b"x") * (16 << 20)) for _ in range(2))
    for place, bit in enumerate(bits):
        end = start + (place + 1) * slot
        if bit:
            while time.monotonic() < end:
                here[:] = there
        else:
            time.sleep(max(0, end - time.monotonic()))

def receive(count, start, slot):
    counts = []
    time.sleep(max(0, start - time.monotonic()))
    for place in range(count):
        end, done = start + (place + 1) * slot, 0
        while time.monotonic() < end:
            MINE[:] = OTHER
            done += 1
        counts.append(done)
    return counts

def leave(bit):
    here, there = (memoryview(bytearray(b"x") * (48 << 20)) for _ in range(2))
    for _ in range(3 * bit):
        here[:] = there

def first_pass():
    begun = time.perf_counter_ns()
    MINE[:] = OTHER
    return time.perf_counter_ns() - begun
"""
LIMITS = Limits(call_cpu_seconds=60, call_wall_seconds=120, submission_cpu_seconds=600, memory_mib=512)


def child_of(zygote: Zygote) -> Child:
    """Spawn a child with the source above."""
    child = zygote.spawn()
    child.send_files({"reservation.py": SOURCE})
    child.ask(Request({"verb": "load", "module": "reservation"}), cpu=5, wall=20)
    return child


def call(child: Child, name: str, *arguments: Any) -> Any:
    """Call a function of the child."""
    request = {"verb": "call", "module": "reservation", "name": name, "arguments": arguments, "keywords": []}
    return child.ask(Request(request), cpu=60, wall=120).verdict.get("value")


def error_rate(bits: list[int], readings: list[float], *, sent_is_lower: bool) -> float:
    """Return the share of wrong bits when the median of the readings parts ones from zeros."""
    middle = statistics.median(readings)
    guesses = [int((reading < middle) == sent_is_lower) for reading in readings]
    wrong = sum(guess != bit for guess, bit in zip(guesses, bits, strict=True))
    return wrong / len(bits)


def bits_a_second(error: float, slot: float) -> float:
    """Return the capacity of a binary symmetric channel with this error and this time for each bit."""
    if error in (0.0, 1.0):
        return 1 / slot
    return max(0.0, 1 + error * math.log2(error) + (1 - error) * math.log2(1 - error)) / slot


def at_the_same_time(slot: float, count: int) -> float:
    """Return the error of ``count`` bits, half of them ones, with one slot for each."""
    chance = random.Random(7)  # noqa: S311 - no secret
    bits = [0, 1] * (count // 2)
    chance.shuffle(bits)
    tier = choose_tier("auto", LIMITS, unsafe=False)
    zygotes = Zygote(tier, LIMITS), Zygote(tier, LIMITS)
    sender, receiver = map(child_of, zygotes)
    start = time.monotonic() + 0.3
    thread = Thread(target=call, args=(sender, "send", bits, start, slot))
    thread.start()
    counts = call(receiver, "receive", count, start, slot)
    thread.join()
    for child, zygote in zip((sender, receiver), zygotes, strict=True):
        child.close()
        zygote.close()
    return error_rate(bits, counts, sent_is_lower=True)


def one_after_the_other(count: int) -> tuple[float, float]:
    """Return the error of ``count`` bits and the seconds that each took: a sender and a receiver a bit."""
    zygote = Zygote(choose_tier("auto", LIMITS, unsafe=False), LIMITS)
    bits, times = [0, 1] * (count // 2), []
    begun = time.monotonic()
    for bit in bits:
        sender = child_of(zygote)
        call(sender, "leave", bit)
        sender.close()
        receiver = child_of(zygote)
        times.append(float(call(receiver, "first_pass")))
        receiver.close()
    seconds = (time.monotonic() - begun) / count
    zygote.close()
    return error_rate(bits, times, sent_is_lower=False), seconds


def main() -> None:
    """Print a table in Markdown."""
    print("| bits | a slot | error | bits a second |\n|---|---|---|---|")
    for slot in (0.002, 0.005, 0.01, 0.02, 0.05):
        error = at_the_same_time(slot, 100)
        row = f"| at the same time | {slot * 1000:g} ms | {error:.0%} | {bits_a_second(error, slot):.0f} |"
        print(row)
    error, slot = one_after_the_other(40)
    row = f"| one after the other | {slot * 1000:.0f} ms | {error:.0%} | {bits_a_second(error, slot):.1f} |"
    print(row)


if __name__ == "__main__":
    main()
