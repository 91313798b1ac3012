"""Count the processors that this process may use, keep it on one of them, and limit its memory."""

import math
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def usable_cpus(root: Path = Path("/")) -> int:
    """How many CPUs this process may use, at least 1: by its affinity and its containers' limits.

    A limit of one and a half CPUs counts as two. ``root`` is where ``proc`` and ``sys`` are found.
    """
    return max(1, min([len(os.sched_getaffinity(0)), *(math.ceil(limit) for limit in _cgroup_limits(root))]))


@contextmanager
def on_one_cpu() -> Iterator[None]:
    """Keep this thread, and the processes that it forks, on the CPU where it runs now, until the block ends.

    Two processes that wait for each other in turn, as question and answer, take a fifth less CPU time so: no
    CPU has to be woken up for each message. The kernel chooses the CPU, since between two blocks the thread
    may run on any: it wakes up where there is room. Nothing happens where the system cannot do it.
    """
    try:
        usable = os.sched_getaffinity(0)
        after_name = Path("/proc/thread-self/stat").read_bytes().rpartition(b")")[2].split()
        os.sched_setaffinity(0, {int(after_name[36])})
    except (AttributeError, OSError, ValueError, IndexError):
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):  # its CPUs were taken away meanwhile
            os.sched_setaffinity(0, usable)


def limit_memory(more: int) -> None:
    """Let this process, a fork, take so many bytes in addition to what it has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _cgroup_limits(root: Path) -> Iterator[float]:
    """The limits in CPUs of this process's control group and those above it, of both versions of cgroups."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        controllers, _, name = line.partition(":")[2].partition(":")
        if not controllers:
            top = root / "sys/fs/cgroup"
        elif "cpu" in controllers.split(","):
            top = root / "sys/fs/cgroup/cpu"
        else:
            continue
        group = Path(name.lstrip("/"))
        for place in (group, *group.parents):
            with suppress(OSError, ValueError):  # no such group, or no limit ("max", -1)
                if controllers:
                    quota = int((top / place / "cpu.cfs_quota_us").read_text(encoding="ascii"))
                    period = int((top / place / "cpu.cfs_period_us").read_text(encoding="ascii"))
                else:
                    quota, period = map(int, (top / place / "cpu.max").read_text(encoding="ascii").split())
                if quota > 0 and period > 0:
                    yield quota / period
