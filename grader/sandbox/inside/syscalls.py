"""List the system calls that a submission may make, and build seccomp programs that refuse all others.

Runs in the child, before any code of the submission; the trusted side reads :func:`flags_by_number`.
Numbers are the kernel's, for x86-64 and 64-bit ARM (``None``: the architecture lacks the call). ARM's numbers
come from the kernel's headers and have not been tried on a machine.
"""

from __future__ import annotations

import errno
import os
import struct

_Call = tuple["int | None", "int | None"]
_Instruction = tuple[int, int, int, int]

_ALLOWED: dict[str, _Call] = {
    # Read modules of the standard library, write replies on the channel, close both.
    "read": (0, 63), "readv": (19, 65), "pread64": (17, 67), "lseek": (8, 62), "close": (3, 57),
    "write": (1, 64), "writev": (20, 66),
    # Look for modules: the import system asks for a file's status and lists folders.
    "fstat": (5, 80), "stat": (4, None), "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291),
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "getdents64": (217, 61),
    "readlink": (89, None), "readlinkat": (267, 78),  # os.path.realpath
    # os.getcwd, os.chdir and os.umask: Landlock decides what may be opened, wherever the process stands.
    "getcwd": (79, 17), "chdir": (80, 49), "umask": (95, 166),
    # Copies of descriptors and pipes within the process; RLIMIT_NOFILE bounds their number.
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "pipe2": (293, 59), "close_range": (436, 436),
    # Wait: time.sleep and the select module.
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, None), "epoll_pwait": (281, 22),
    "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "sched_yield": (24, 124),
    # Memory: malloc and Python's arenas; RLIMIT_AS bounds its size.
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "mremap": (25, 216), "brk": (12, 214),
    "madvise": (28, 233),
    # The C library's own locks and the data of its one thread.
    "futex": (202, 98), "set_robust_list": (273, 99), "rseq": (334, 293), "set_tid_address": (218, 96),
    # Signal handlers of the process itself: faulthandler, signal.signal, abort.
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    # Clocks, and random numbers for hash seeds, random and secrets.
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "gettimeofday": (96, 169), "times": (100, 153),
    "getrandom": (318, 278),
    # Facts about the process and the machine that os, platform and resource return.
    "getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178), "getuid": (102, 174),
    "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "getrusage": (98, 165),
    "getrlimit": (97, 163), "sysinfo": (99, 179), "uname": (63, 160), "sched_getaffinity": (204, 123),
    # End.
    "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip

# Allowed or refused by one of their arguments: open for reading alone; tgkill at the process itself, for
# abort(); prlimit of the process itself; a few commands of fcntl and ioctl. sendmsg hands over the watching
# descriptor and is refused before the submission runs.
_OPEN, _OPENAT = (2, None), (257, 56)
_TGKILL, _PRLIMIT, _FCNTL, _IOCTL = (234, 131), (302, 261), (72, 25), (16, 29)
_SENDMSG = (46, 211)
_CLONE3 = 435
SECCOMP = (317, 277)

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000

# Without F_SETOWN and F_SETSIG, which with O_ASYNC send any signal to any process of the same user.
_FCNTL_COMMANDS = (0, 1, 2, 3, 4, 5, 6, 7, 1030)
_IOCTL_REQUESTS = (0x5401, 0x541B)  # TCGETS, FIONREAD
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _ERRNO, _WATCH = 0x80000000, 0x7FFF0000, 0x00050000, 0x7FC00000


# For each flag the (x86-64, ARM) numbers of the calls that earn it when they are refused.
_FLAGGED: dict[str, tuple[_Call, ...]] = {
    "tried-network": ((41, 198), (42, 203), (49, 200), (50, 201), (53, 199), (44, 206), _SENDMSG),
    "tried-processes": (
        (56, 220), (57, None), (58, None), (435, 435), (59, 221), (322, 281), (62, 129), (234, 131),
        (200, 130), (101, 117), (310, 270), (311, 271), (424, 424), (434, 434), (438, 438), (272, 97),
        (308, 268), (302, 261), (129, 138), (297, 240),
    ),
    "tried-files": (
        _OPEN, _OPENAT, (437, 437), (85, None), (82, None), (264, 38), (316, 276), (87, None), (263, 35),
        (83, None), (258, 34), (84, None), (88, None), (266, 36), (86, None), (265, 37), (90, None),
        (268, 53), (92, None), (76, 45), (77, 46), (319, 279), (133, None), (259, 33), (165, 40),
    ),
}  # fmt: skip


def flags_by_number() -> dict[int, str]:
    """Map the numbers of this machine's refused calls to flags."""
    column, _ = _ARCHITECTURES[os.uname().machine]
    flagged = ((flag, pair[column]) for flag, pairs in _FLAGGED.items() for pair in pairs)
    return {number: flag for flag, number in flagged if number is not None}


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

    def by_argument(self, call: _Call, position: int, tests: list[_Instruction]) -> None:
        """Decide a call by the low word of an argument; every path through ``tests`` returns."""
        number = call[self.column]
        if number is not None:
            body = [(_LOAD, 16 + 8 * position, 0, 0), *tests]
            self.code += [(_EQUAL, number, 0, len(body)), *body]

    def one_of(self, values: tuple[int, ...], otherwise: int) -> list[_Instruction]:
        """Build tests that allow an argument with one of these values."""
        pairs = [step for value in values for step in ((_EQUAL, value, 0, 1), (_RETURN, _ALLOW, 0, 0))]
        return [*pairs, (_RETURN, otherwise, 0, 0)]

    def finish(self, action: int) -> bytes:
        """Return the program's bytes; ``action`` is taken on all other calls."""
        steps = (*self.code, (_RETURN, action, 0, 0))
        return b"".join(struct.pack("HBBI", code, yes, no, value) for code, value, yes, no in steps)


def allow_list(pid: int, *, watched: bool) -> bytes:
    """Build the program for a process with this id (in its own namespace).

    Threads and processes are refused: with one thread, the process's CPU clock cannot run faster than time.
    """
    refusal = _WATCH if watched else _ERRNO | errno.EPERM
    program = _Assembler()
    for call in _ALLOWED.values():
        program.on(call, _ALLOW)
    read_only = [(_ANY_BIT, _WRITING, 0, 1), (_RETURN, refusal, 0, 0), (_RETURN, _ALLOW, 0, 0)]
    program.by_argument(_OPEN, 1, read_only)
    program.by_argument(_OPENAT, 2, read_only)
    program.by_argument(_TGKILL, 0, program.one_of((pid,), refusal))  # abort()
    program.by_argument(_PRLIMIT, 0, program.one_of((0,), refusal))
    program.by_argument(_FCNTL, 1, program.one_of(_FCNTL_COMMANDS, refusal))
    program.by_argument(_IOCTL, 1, program.one_of(_IOCTL_REQUESTS, _ERRNO | errno.ENOTTY))
    program.on((_CLONE3, _CLONE3), _ERRNO | errno.ENOSYS)  # the C library then tries clone
    if watched:
        program.on(_SENDMSG, _ALLOW)
        program.on(SECCOMP, _ALLOW)
    return program.finish(refusal)


def deny_sending() -> bytes:
    """Build the program that is added after the watched one: it refuses ``sendmsg`` and further programs."""
    program = _Assembler()
    program.on(_SENDMSG, _ERRNO | errno.EPERM)
    program.on(SECCOMP, _ERRNO | errno.EPERM)
    return program.finish(_ALLOW)
