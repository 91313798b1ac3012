"""Measure where the CPU seconds of a run go, stage by stage."""

import resource
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_WORKERS = {
    "submission": "the submissions' own code",
    "worker": "asking and checking answers",
    "tests": "pytest on answers that are new",
    "points": "points and sentences",
}
"""The stages of one submission (``Graded.spent``), and what they are called."""


class Stages:
    """CPU seconds by stage; the seconds that this process used before count as ``start``."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float, {"start": time.process_time()})

    @contextmanager
    def measured(self, stage: str) -> Iterator[None]:
        """Add to a stage the seconds that this thread, and processes that end meanwhile, use."""
        before = time.thread_time() + _ended()
        try:
            yield
        finally:
            self.seconds[stage] += time.thread_time() + _ended() - before

    def add(self, spent: Mapping[str, float]) -> None:
        """Add what one submission cost."""
        for stage, seconds in spent.items():
            self.seconds[_WORKERS[stage]] += seconds

    def all(self) -> dict[str, float]:
        """Return the seconds by stage, and as one more stage those that no stage counted."""
        rest = time.process_time() + _ended() - sum(self.seconds.values())
        return {**self.seconds, "start of workers and jails, and the rest": max(0.0, rest)}


def _ended() -> float:
    """Return the CPU seconds of all processes below this one that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
