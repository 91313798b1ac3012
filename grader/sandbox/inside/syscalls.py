"""List the system calls that a submission may make, and build seccomp programs that refuse all others.

Runs in the child, before any code of the submission; the trusted side reads :func:`flags_by_number`. No call
that takes a path is allowed, none that makes a descriptor other than a copy of an own one, and none that can
reach another process or something that processes share. Numbers are the kernel's, for x86-64 and 64-bit ARM
(None: the architecture lacks the call). ARM's numbers come from the kernel's headers and have not been tried
on a machine.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable
from functools import cache

_Call = tuple["int | None", "int | None"]
_Instruction = tuple[int, int, int, int]

ALLOWED: dict[str, tuple[int | None, int | None, str]] = {
    "read": (0, 63, "requests on the channel"),
    "write": (1, 64, "replies on the channel"),
    "poll": (7, None, "the select module: waiting for its own descriptors"),
    "ppoll": (271, 73, "the same"),
    "select": (23, None, "the same"),
    "pselect6": (270, 72, "the same"),
    "close": (3, 57, "its own descriptors"),
    "lseek": (8, 62, "open(1) asks for the position of a descriptor"),
    "brk": (12, 214, "memory, within RLIMIT_AS"),
    "munmap": (11, 215, "the same"),
    "mremap": (25, 216, "the same"),
    "mprotect": (10, 226, "the same"),
    "rt_sigaction": (13, 134, "its own signal handlers: signal.signal, faulthandler"),
    "rt_sigprocmask": (14, 135, "the same"),
    "rt_sigreturn": (15, 139, "the same"),
    "sigaltstack": (131, 132, "the same"),
    "restart_syscall": (219, 128, "the kernel itself, when a sleep goes on after the machine was suspended"),
    "getrandom": (318, 278, "random numbers: random, secrets, uuid"),
    "getpid": (39, 172, "facts about the process that os returns; its number is its own in tier 1 alone"),
    "gettid": (186, 178, "the same"),
    "getppid": (110, 173, "the same"),
    "getuid": (102, 174, "the same"),
    "geteuid": (107, 175, "the same"),
    "getgid": (104, 176, "the same"),
    "getegid": (108, 177, "the same"),
    "getrusage": (98, 165, "its own use of time and memory: resource"),
    "times": (100, 153, "its own use of time: os.times"),
    "uname": (63, 160, "the kernel's name and version: platform, uuid"),
    "exit": (60, 93, "the end"),
    "exit_group": (231, 94, "the end"),
}
"""The calls that are allowed with any arguments, each with what it is for."""

LIMITED: dict[str, tuple[int | None, int | None, str]] = {
    "mmap": (9, 222, "private memory of its own; nothing shared, locked or in huge pages"),
    "madvise": (28, 233, "giving memory back: MADV_DONTNEED, MADV_FREE"),
    "futex": (202, 98, "locks within the process: private ones alone"),
    "clock_gettime": (228, 113, "the machine's clocks and its own; not those of other processes"),
    "clock_getres": (229, 114, "the same"),
    "clock_nanosleep": (230, 115, "time.sleep, on the same clocks"),
    "sched_getaffinity": (204, 123, "os.cpu_count, for itself alone"),
    "prlimit64": (302, 261, "resource.getrlimit, for itself alone"),
    "tgkill": (234, 131, "os.abort: SIGABRT to itself alone"),
    "fcntl": (
        72,
        25,
        "copies and flags of its own descriptors: F_DUPFD to F_SETFL, F_DUPFD_CLOEXEC; no locks",
    ),
}
"""The calls that are allowed with some arguments, each with what it is for."""

_IOCTL, _SENDMSG, _CLONE3 = (16, 29), (46, 211), (435, 435)
SECCOMP = (317, 277)
_MARKER = (161, 51)
"""chroot: no code makes this call; the jail's audit hook makes it so that the trusted side sees a mark."""

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000

# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC. Locks carry bits between processes; F_SETOWN
# and F_SETSIG send signals.
_FCNTL_COMMANDS = (0, 1, 2, 3, 4, 1030)
# Clocks up to CLOCK_BOOTTIME. A clock of another process has a negative number, a large one to the filter.
_FIRST_OTHER_CLOCK = 8
_MADV_DONTNEED, _MADV_FREE, _SIGABRT = 4, 8, 6
# MAP_SHARED (and MAP_SHARED_VALIDATE, which holds its bit), MAP_LOCKED, MAP_HUGETLB.
_SHARED_MEMORY = 0x1 | 0x2000 | 0x40000
_FUTEX_PRIVATE = 0x80

# Takes the place of a child's own process id, which is never so large.
_ANY_PROCESS = 0x7E7E7E7E

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _ERRNO, _WATCH = 0x80000000, 0x7FFF0000, 0x00050000, 0x7FC00000

# For each flag the (x86-64, ARM) numbers of the calls that earn it when they are refused. Opening files and
# starting processes and threads are not among them: honest code asks for both.
_FLAGGED: dict[str, tuple[_Call, ...]] = {
    "tried-network": ((41, 198), (42, 203), (49, 200), (50, 201), (44, 206), _SENDMSG),
    "tried-processes": (
        (62, 129), (234, 131), (200, 130), (101, 117), (310, 270), (311, 271), (424, 424), (434, 434),
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
    column, _ = _ARCHITECTURES[os.uname().machine]
    return frozenset(number for call in calls if (number := call[column]) is not None)


@cache
def flags_by_number() -> dict[int, str]:
    """Map the numbers of this machine's refused calls to flags."""
    return {number: flag for flag, calls in _FLAGGED.items() for number in numbers_of(calls)}


class _Assembler:
    """Builds a seccomp program for this machine's architecture."""

    def __init__(self) -> None:
        self.column, architecture = _ARCHITECTURES[os.uname().machine]
        self.code: list[_Instruction] = [
            (_LOAD, 4, 0, 0), (_EQUAL, architecture, 1, 0), (_RETURN, _KILL, 0, 0),
            (_LOAD, 0, 0, 0), (_AT_LEAST, _X32, 0, 1), (_RETURN, _KILL, 0, 0),
        ]  # fmt: skip

    def on(self, call: _Call, action: int) -> None:
        """Take ``action`` on one call."""
        number = call[self.column]
        if number is not None:
            self.code += [(_EQUAL, number, 0, 1), (_RETURN, action, 0, 0)]

    def decide(self, name: str, *tests: _Instruction) -> None:
        """Decide a limited call by its arguments; every path through ``tests`` returns."""
        x86, arm, _ = LIMITED[name]
        number = (x86, arm)[self.column]
        if number is not None:
            self.code += [(_EQUAL, number, 0, len(tests)), *tests]

    def finish(self, action: int) -> bytes:
        """Return the program's bytes; ``action`` is taken on all other calls."""
        steps = (*self.code, (_RETURN, action, 0, 0))
        return b"".join(struct.pack("HBBI", code, yes, no, value) for code, value, yes, no in steps)


def _argument(position: int) -> _Instruction:
    """Load the low word of an argument."""
    return _LOAD, 16 + 8 * position, 0, 0


def _one_of(values: tuple[int, ...], otherwise: int) -> list[_Instruction]:
    """Allow the loaded argument if it has one of these values."""
    pairs = [step for value in values for step in ((_EQUAL, value, 0, 1), (_RETURN, _ALLOW, 0, 0))]
    return [*pairs, (_RETURN, otherwise, 0, 0)]


def allow_list(pid: int, *, watched: bool) -> bytes:
    """Return the program for a process with this id (in its own namespace)."""
    return _allow_list(watched=watched).replace(_ANY_PROCESS.to_bytes(4, "little"), pid.to_bytes(4, "little"))


@cache
def _allow_list(*, watched: bool) -> bytes:
    """Build the program for the process ``_ANY_PROCESS``: the zygote once, for all of its children.

    Threads and processes are refused: with one thread, the process's CPU clock cannot run faster than time.
    With ``watched``, the kernel shows the trusted side the refused calls that may earn a flag.
    """
    refusal = _ERRNO | errno.EPERM
    allow, refuse = (_RETURN, _ALLOW, 0, 0), (_RETURN, refusal, 0, 0)
    own_clocks = (_argument(0), (_AT_LEAST, _FIRST_OTHER_CLOCK, 0, 1), refuse, allow)
    itself = (_argument(0), *_one_of((0,), refusal))
    program = _Assembler()
    for x86, arm, _ in ALLOWED.values():
        program.on((x86, arm), _ALLOW)
    program.decide("mmap", _argument(3), (_ANY_BIT, _SHARED_MEMORY, 0, 1), refuse, allow)
    program.decide("madvise", _argument(2), *_one_of((_MADV_DONTNEED, _MADV_FREE), refusal))
    program.decide("futex", _argument(1), (_ANY_BIT, _FUTEX_PRIVATE, 1, 0), refuse, allow)
    for name in ("clock_gettime", "clock_getres", "clock_nanosleep"):
        program.decide(name, *own_clocks)
    for name in ("sched_getaffinity", "prlimit64"):
        program.decide(name, *itself)
    seen = _WATCH if watched else refusal
    program.decide(
        "tgkill", _argument(0), (_EQUAL, _ANY_PROCESS, 1, 0), (_RETURN, seen, 0, 0),
        _argument(2), *_one_of((_SIGABRT,), seen),
    )  # fmt: skip
    program.decide("fcntl", _argument(1), *_one_of(_FCNTL_COMMANDS, refusal))
    program.on(_IOCTL, _ERRNO | errno.ENOTTY)
    if watched:
        program.on(_SENDMSG, _ALLOW)
        program.on(SECCOMP, _ALLOW)
        flagged = [call for calls in _FLAGGED.values() for call in calls]
        for call in (*flagged, *STARTING):
            program.on(call, _WATCH)
    return program.finish(refusal)


@cache
def deny_sending() -> bytes:
    """Build the program that is added after the watched one: it refuses ``sendmsg`` and further programs."""
    program = _Assembler()
    program.on(_SENDMSG, _ERRNO | errno.EPERM)
    program.on(SECCOMP, _ERRNO | errno.EPERM)
    return program.finish(_ALLOW)
