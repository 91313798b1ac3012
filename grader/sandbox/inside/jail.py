"""Lock the child into the inner jail, through ctypes.

Runs in the child, before any code of the submission: resource limits, an unprivileged user, no capabilities,
Landlock (files), seccomp (system calls), and an audit hook that reports file access. Each step raises OSError
when the kernel refuses it, and then the child ends: no submission runs in half a jail.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys
from collections.abc import Iterable
from typing import Any

from . import syscalls

# Loaded once, in the zygote: loading it in each child would cost memory each time.
_libc = ctypes.CDLL(None, use_errno=True)
_python = ctypes.PyDLL(None, use_errno=True)

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_SIGCHLD, _SIGKILL = 17, 9
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWPID = 0x08000000, 0x10000000, 0x20000000
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_LANDLOCK_EXECUTE, _LANDLOCK_READ_FILE, _LANDLOCK_READ_DIR = 1 << 0, 1 << 2, 1 << 3
_NEW_LISTENER = 1 << 3


def _checked(result: int, what: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def _prctl(option: int, *arguments: int) -> None:
    values = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(_libc.prctl(option, *values), f"prctl {option}")


def fork_into_namespaces(*, user: bool) -> int:
    """Fork into a new process-id and IPC namespace (and user namespace); return what ``os.fork`` returns.

    The raw ``clone`` call stands between Python's own fork handlers, and PyDLL keeps the interpreter's lock
    while it runs.
    """
    flags = _CLONE_NEWPID | _CLONE_NEWIPC | (_CLONE_NEWUSER if user else 0)
    number = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = int(_python.syscall(number, flags | _SIGCHLD, 0, 0, 0, 0))
    error = ctypes.get_errno()
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(error, f"clone: {os.strerror(error)}")
    return pid


def become(uid: int) -> None:
    """Take an unprivileged user and group id and drop all groups, for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def drop_privileges() -> None:
    """Drop all capabilities and ways to gain one; forbid tracing; end with the parent process."""
    for capability in range(64):
        if _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break
    header = struct.pack("Ii", 0x20080522, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)


def limit(*, memory_bytes: int, cpu_seconds: int, open_files: int) -> None:
    """Set hard resource limits; no file that this process writes can hold a byte."""
    for what, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (value, value))


def landlock_version() -> int:
    """Return the kernel's Landlock version, or 0 when it has none."""
    return max(0, int(_libc.syscall(_LANDLOCK_CREATE, None, 0, 1)))


def landlock(readable: Iterable[int]) -> None:
    """Allow reading below these open folders (descriptors) and no other access to the file system.

    Where the kernel's version can, also forbid TCP, abstract sockets and signals to other processes.
    """
    version = landlock_version()
    if version < 1:
        raise OSError("this kernel has no Landlock")
    files = (1 << 13) - 1
    for since, right in ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15)):
        files |= right if version >= since else 0
    network = 3 if version >= 4 else 0
    scope = 3 if version >= 6 else 0
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = struct.pack("QQQ", files, network, scope)[:size]
    ruleset = _checked(_libc.syscall(_LANDLOCK_CREATE, rules, size, 0), "landlock_create_ruleset")
    for folder in readable:
        rule = struct.pack("=Qi", _LANDLOCK_READ_FILE | _LANDLOCK_READ_DIR, folder)
        _checked(_libc.syscall(_LANDLOCK_ADD, ruleset, 1, rule, 0), "landlock_add_rule")
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _checked(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


class _Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _load_filter(program: bytes, flags: int) -> int:
    buffer = ctypes.create_string_buffer(program, len(program))
    pointer = _Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    number = syscalls.SECCOMP[os.uname().machine == "aarch64"]
    return int(_libc.syscall(number, 1, ctypes.c_ulong(flags), ctypes.byref(pointer)))


def seccomp(*, watched: bool) -> int:
    """Allow only the system calls in ``syscalls``; refuse all others with EPERM.

    With ``watched``, the kernel shows each refused call on the returned descriptor, and its holder answers
    with the error. Returns -1 when the kernel (or a jail around ours) cannot do that; refusals are then
    silent.
    """
    if watched:
        listener = _load_filter(syscalls.allow_list(os.getpid(), watched=True), _NEW_LISTENER)
        if listener >= 0:
            return listener
    _checked(_load_filter(syscalls.allow_list(os.getpid(), watched=False), 0), "seccomp")
    return -1


def seccomp_no_sending() -> None:
    """Refuse ``sendmsg``, which the watched filter allows so that its descriptor can be handed over once."""
    _checked(_load_filter(syscalls.deny_sending(), 0), "seccomp")


_FILE_EVENTS = frozenset({"open", "os.listdir", "os.scandir"})


def report_file_access(expected: tuple[str, ...]) -> None:
    """Make the kernel show the first access to a file or folder that is not below ``expected`` folders.

    Landlock refuses without telling anyone. Python's audit hook hears of every file that Python code is about
    to open; it then makes a call that seccomp refuses and shows to the trusted side. Code that opens files
    without Python's functions is refused as well, but not seen.
    """
    refused = os.open
    reported = False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal reported
        if reported or event not in _FILE_EVENTS:
            return
        path = arguments[0] if arguments else None
        if type(path) is bytes:
            path = os.fsdecode(path)
        if type(path) is int or (type(path) is str and f"{path}/".startswith(expected)):
            return
        reported = True
        try:
            refused("/", os.O_WRONLY)
        except OSError:
            return

    sys.addaudithook(hook)
