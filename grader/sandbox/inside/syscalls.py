"""List the system calls that a submission may make, and build seccomp programs that refuse all others.

Runs in the child, before any code of the submission; the trusted side reads :func:`flags_by_number`. No call
that takes a path is allowed, none that makes a descriptor other than a copy of an own one, and none that can
reach another process or something that processes share. Numbers are the kernel's, for x86-64 and 64-bit ARM
(None: the architecture lacks the call). ARM's numbers come from the kernel's headers and have not been tried
on a machine.
"""

import errno
import os
import struct
from collections.abc import Iterable
from functools import cache

_Call = tuple["int | None", "int | None"]
_COLUMN, _ARCHITECTURE = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}.get(
    os.uname().machine, (0, 0)
)
_X32 = 0x40000000

# Codes of a program's steps.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    """Return one step of a program; ``yes`` and ``no`` are the steps that a comparison skips."""
    return struct.pack("HBBI", code, yes, no, value)


_KILL, _ALLOW, _WATCH, _ZERO, _REFUSE, _NO_TERMINAL = (
    _step(_RETURN, value)
    for value in (0x80000000, 0x7FFF0000, 0x7FC00000, 0x50000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOTTY)
)


def _if(position: int, code: int, value: int, then: bytes, otherwise: bytes) -> bytes:
    """Compare the low word of an argument; ``then`` is one step, and both return."""
    return _step(_LOAD, 16 + 8 * position) + _step(code, value, 0, 1) + then + otherwise


def _one_of(position: int, *values: int) -> bytes:
    """Allow an argument that has one of these values."""
    pairs = b"".join(_step(_EQUAL, value, 0, 1) + _ALLOW for value in values)
    return _step(_LOAD, 16 + 8 * position) + pairs + _REFUSE


# MAP_SHARED (and MAP_SHARED_VALIDATE, which holds its bit), MAP_DROPPABLE, MAP_LOCKED, MAP_HUGETLB.
_PRIVATE_MEMORY = _if(3, _ANY_BIT, 0x1 | 0x8 | 0x2000 | 0x40000, _REFUSE, _ALLOW)
# MADV_DONTNEED. What MADV_FREE gives back shows, as droppable memory does, when the machine is short of it.
_GIVEN_BACK = _one_of(2, 4)
_PRIVATE_FUTEX = _if(1, _ANY_BIT, 0x80, _ALLOW, _REFUSE)
# Clocks up to CLOCK_BOOTTIME. A clock of another process has a negative number, a large one to the filter.
_OWN_CLOCKS = _if(0, _AT_LEAST, 8, _REFUSE, _ALLOW)
_ITSELF = _one_of(0, 0)
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC. Locks carry bits between processes; F_SETOWN
# and F_SETSIG send signals.
_OWN_DESCRIPTORS = _one_of(1, 0, 1, 2, 3, 4, 1030)

NUMBERS: tuple[_Call, ...] = ((39, 172), (186, 178), (110, 173))
"""getpid, gettid and getppid: 0 in every child and its zygote, so that nobody sees how many began before."""

ALLOWED: dict[str, tuple[int | None, int | None, str, bytes]] = {
    "read": (0, 63, "requests on the channel", _ALLOW),
    "write": (1, 64, "replies on the channel", _ALLOW),
    "poll": (7, None, "the select module: waiting for its own descriptors", _ALLOW),
    "ppoll": (271, 73, "the same", _ALLOW),
    "select": (23, None, "the same", _ALLOW),
    "pselect6": (270, 72, "the same", _ALLOW),
    "close": (3, 57, "its own descriptors", _ALLOW),
    "lseek": (8, 62, "open(1) asks for the position of a descriptor", _ALLOW),
    "brk": (12, 214, "memory, within RLIMIT_AS", _ALLOW),
    "munmap": (11, 215, "the same", _ALLOW),
    "mremap": (25, 216, "the same", _ALLOW),
    "mprotect": (10, 226, "the same", _ALLOW),
    "rt_sigaction": (13, 134, "its own signal handlers: signal.signal, faulthandler", _ALLOW),
    "rt_sigprocmask": (14, 135, "the same", _ALLOW),
    "rt_sigreturn": (15, 139, "the same", _ALLOW),
    "sigaltstack": (131, 132, "the same", _ALLOW),
    "restart_syscall": (219, 128, "the kernel itself, when a sleep goes on after a suspension", _ALLOW),
    "getrandom": (318, 278, "random numbers: random, secrets, uuid", _ALLOW),
    "getpid": (*NUMBERS[0], "os.getpid; always 0", _ZERO),
    "gettid": (*NUMBERS[1], "the same of a thread", _ZERO),
    "getppid": (*NUMBERS[2], "the same of the parent", _ZERO),
    "getuid": (102, 174, "facts about the process that os returns", _ALLOW),
    "geteuid": (107, 175, "the same", _ALLOW),
    "getgid": (104, 176, "the same", _ALLOW),
    "getegid": (108, 177, "the same", _ALLOW),
    "getrusage": (98, 165, "its own use of time and memory: resource", _ALLOW),
    "times": (100, 153, "its own use of time: os.times", _ALLOW),
    "uname": (63, 160, "the kernel's name and version: platform, uuid", _ALLOW),
    "exit": (60, 93, "the end", _ALLOW),
    "exit_group": (231, 94, "the end", _ALLOW),
    "mmap": (9, 222, "private memory; nothing shared, locked, droppable or in huge pages", _PRIVATE_MEMORY),
    "madvise": (28, 233, "giving memory back: MADV_DONTNEED", _GIVEN_BACK),
    "futex": (202, 98, "locks within the process: private ones alone", _PRIVATE_FUTEX),
    "clock_gettime": (228, 113, "clocks of the machine and its own, not of others", _OWN_CLOCKS),
    "clock_getres": (229, 114, "the same", _OWN_CLOCKS),
    "clock_nanosleep": (230, 115, "time.sleep, on the same clocks", _OWN_CLOCKS),
    "sched_getaffinity": (204, 123, "os.cpu_count, for itself alone", _ITSELF),
    "prlimit64": (302, 261, "resource.getrlimit, for itself alone", _ITSELF),
    "fcntl": (72, 25, "copies and flags of its own descriptors; no locks", _OWN_DESCRIPTORS),
}  # fmt: skip
"""The calls that are allowed: both numbers, what for, and the steps that decide by the arguments."""

_IOCTL, _SENDMSG, _TGKILL, _CLONE3 = (16, 29), (46, 211), (234, 131), (435, 435)
SECCOMP = (317, 277)
_MARKER = (161, 51)
"""chroot: no code makes this call; the jail's audit hook makes it so that the trusted side sees a mark."""

# For each flag the (x86-64, ARM) numbers of the calls that earn it when they are refused. Opening files and
# starting processes and threads are not among them: honest code asks for both.
_FLAGGED: dict[str, tuple[_Call, ...]] = {
    "tried-network": ((41, 198), (42, 203), (49, 200), (50, 201), (44, 206), _SENDMSG),
    "tried-processes": (
        (62, 129), _TGKILL, (200, 130), (101, 117), (310, 270), (311, 271), (424, 424), (434, 434),
        (438, 438), (272, 97), (308, 268), (129, 138), (297, 240),
    ),
    "tried-files": (
        _MARKER, (437, 437), (304, 265), (319, 279), (133, None), (259, 33), (165, 40), (86, None),
        (265, 37), (88, None), (266, 36),
    ),
}  # fmt: skip
STARTING: tuple[_Call, ...] = ((56, 220), (57, None), (58, None), (59, 221), (322, 281), _CLONE3)
"""The calls that start a process, a thread or a program."""


def numbers_of(calls: Iterable[_Call]) -> frozenset[int]:
    """Return the numbers of calls on this machine."""
    return frozenset(number for call in calls if (number := call[_COLUMN]) is not None)


@cache
def flags_by_number() -> dict[int, str]:
    """Map the numbers of this machine's refused calls to flags."""
    return {number: flag for flag, calls in _FLAGGED.items() for number in numbers_of(calls)}


def _program(rules: Iterable[tuple[_Call, bytes]], otherwise: bytes) -> bytes:
    """Build a program for this machine: steps that return for each of these calls, one for all others."""
    steps = [
        *(_step(_LOAD, 4), _step(_EQUAL, _ARCHITECTURE, 1), _KILL),
        *(_step(_LOAD, 0), _step(_AT_LEAST, _X32, 0, 1), _KILL),
    ]
    for call, action in rules:
        if (number := call[_COLUMN]) is not None:
            steps += [_step(_EQUAL, number, 0, len(action) // 8), action]
    return b"".join([*steps, otherwise])


@cache
def allow_list(*, watched: bool) -> bytes:
    """Build the program of all children.

    Threads and processes are refused: with one thread, the process's CPU clock cannot run faster than time.
    With ``watched``, the kernel shows the trusted side the refused calls that may earn a flag.
    """
    rules: list[tuple[_Call, bytes]] = [((x86, arm), steps) for x86, arm, _, steps in ALLOWED.values()]
    rules.append((_IOCTL, _NO_TERMINAL))
    if watched:
        # os.abort sends SIGABRT to the process 0, which this one takes itself for.
        kill = _if(0, _AT_LEAST, 1, _WATCH, _if(2, _EQUAL, 6, _REFUSE, _WATCH))
        rules += [(_SENDMSG, _ALLOW), (SECCOMP, _ALLOW), (_TGKILL, kill)]
        rules += [(call, _WATCH) for calls in (*_FLAGGED.values(), STARTING) for call in calls]
    return _program(rules, _REFUSE)


@cache
def deny_sending() -> bytes:
    """Build the program that is added after the watched one: it refuses ``sendmsg`` and further programs."""
    return _program([(_SENDMSG, _REFUSE), (SECCOMP, _REFUSE)], _ALLOW)


def hide_numbers() -> bytes:
    """Build the zygote's program, which its children inherit: the numbers of processes are 0."""
    return _program([(call, _ZERO) for call in NUMBERS], _ALLOW)
