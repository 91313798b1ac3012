"""Lock the child into the inner jail, through ctypes.

Runs in the child, before any code of the submission: resource limits, an unprivileged user, no capabilities,
Landlock (files), seccomp (system calls), and an audit hook that marks paths outside. Each step raises OSError
when the kernel refuses it, and then the child ends: no submission runs in half a jail.
"""

import contextlib
import ctypes
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from . import syscalls

# Loaded once, in the zygote: loading it in each child would cost memory each time.
_libc = ctypes.CDLL(None, use_errno=True)
_python = ctypes.PyDLL(None, use_errno=True)

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_CLONE, _CLONE_PARENT = (56, 220), 0x8000
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_PT_LOAD, _PF_READABLE = 1, 4
_NEW_LISTENER = 1 << 3


def _checked(result: int, what: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def _prctl(option: int, *arguments: int) -> None:
    values = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(_libc.prctl(option, *values), f"prctl {option}")


def fork_siblings(wake: Callable[[], bytes], namespaces: int) -> bool:
    """Fork a child of this process's parent each time that ``wake`` returns something; True in a child.

    ``namespaces`` are flags of ``clone``. The parent alone learns how a child ends, and its number does not
    stay here as with the C library's own fork. No line of Python runs between two forks: Python counts in
    its code and its dicts what runs, and a child would read there how many were forked before it. PyDLL
    keeps the interpreter's lock while it calls.

    Returns:
        True in a child, False when ``wake`` returned nothing.

    Raises:
        OSError: The kernel made no child.
    """
    (number,) = syscalls.numbers_of([_CLONE])
    clone = partial(_python.syscall, number, namespaces | _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    ctypes.pythonapi.PyOS_BeforeFork()
    # The kernel does not read what map adds, the bytes that woke it.
    pid = next(filter((1).__gt__, map(clone, iter(wake, b""))), None)
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    elif pid is not None:
        _checked(pid, "clone")
    return pid == 0


def drop_privileges(uid: int | None) -> None:
    """Become an unprivileged user for good, without groups and capabilities; end with the parent process.

    Nobody may trace this process, and no program gives it a right back. ``uid`` is None for a process that
    is no root's.
    """
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    for capability in range(64):
        if _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break
    header = struct.pack("Ii", 0x20080522, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def limit(memory_bytes: int, cpu_seconds: int, open_files: int) -> None:
    """Set hard resource limits; no file that this process writes can hold a byte."""
    for name, value in {
        "AS": memory_bytes,
        "CPU": cpu_seconds,
        "NOFILE": open_files,
        "FSIZE": 0,
        "CORE": 0,
    }.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))


def landlock() -> None:
    """Forbid all access to the file system: a second layer behind seccomp, which allows no call with a path.

    Where the kernel's version can, also forbid TCP, abstract sockets and signals to other processes.
    """
    version = int(_libc.syscall(_LANDLOCK_CREATE, None, 0, 1))
    if version < 1:
        raise OSError("this kernel has no Landlock")
    files = (1 << 13) - 1
    for since, right in ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15)):
        files |= right if version >= since else 0
    # An older kernel takes zeros for what it does not know.
    rules = struct.pack("QQQ", files, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    ruleset = _checked(_libc.syscall(_LANDLOCK_CREATE, rules, len(rules), 0), "landlock_create_ruleset")
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _checked(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def touch_libraries() -> None:
    """Read a byte of each page of all loaded libraries, so that no child is the first to need one."""

    def touch(info: Any, _size: int, _data: object) -> int:
        base, _name, headers, count = struct.unpack_from("QQQH", ctypes.string_at(info, 26))
        for number in range(count):
            kind, flags, _, address, _, _, size, _ = struct.unpack(
                "IIQQQQQQ", ctypes.string_at(headers + 56 * number, 56)
            )
            if kind == _PT_LOAD and flags & _PF_READABLE:
                bytes(memoryview((ctypes.c_char * size).from_address(base + address))[::4096])
        return 0

    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    _libc.dl_iterate_phdr(callback(touch), None)


def add_filter(program: bytes, flags: int = 0) -> int:
    """Let one more seccomp program decide on the system calls of this process and its children."""
    steps = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("H6xQ", len(program) // 8, ctypes.addressof(steps))
    (number,) = syscalls.numbers_of([syscalls.SECCOMP])
    return _checked(_libc.syscall(number, 1, ctypes.c_ulong(flags), filter_), "seccomp")


def seccomp(*, watched: bool) -> int:
    """Allow only the system calls in ``syscalls``; refuse all others with EPERM.

    With ``watched``, the kernel shows each refused call on the returned descriptor, and its holder answers
    with the error. Returns -1 when the kernel (or a jail around ours) cannot do that; refusals are then
    silent.
    """
    if watched:
        with contextlib.suppress(OSError):
            return add_filter(syscalls.allow_list(watched=True), _NEW_LISTENER)
    add_filter(syscalls.allow_list(watched=False))
    return -1


def hide_numbers() -> None:
    """Let this process and all of its children see 0 in place of the numbers of processes."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    add_filter(syscalls.hide_numbers())


_PATH_EVENTS = frozenset({"open", "os.listdir", "os.scandir"})
# Modules of Python that open what they are told to; all others open paths of their own, as platform does.
_MESSENGERS = frozenset({"codecs", "fileinput", "glob", "gzip", "io", "os", "pathlib", "shutil", "tokenize"})


def mark_outside_paths(own: str) -> None:
    """Make the kernel show the first attempt to open or list a path that lies outside the folder ``own``.

    The filter refuses every path in silence, since honest code has files, too. Python's audit hook hears
    which path Python code is about to open. If it lies outside, and no module of Python made it up by
    itself, the hook makes the call that is the mark.
    """
    mark, join, normpath = os.chroot, os.path.join, os.path.normpath
    library = os.__file__.removesuffix("os.py")
    marked = False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal marked
        if marked or event not in _PATH_EVENTS:
            return
        path = arguments[0] if arguments else None
        if type(path) is bytes:
            path = os.fsdecode(path)
        if type(path) is not str or f"{normpath(join(own, path))}/".startswith(own) or path == "/dev/null":
            return
        frame = sys._getframe(1)  # noqa: SLF001 - the only way to it
        while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _MESSENGERS:
            frame = frame.f_back
        if frame.f_code.co_filename.startswith((library, "<frozen ")):
            return
        marked = True
        try:
            mark("/")
        except OSError:
            return

    sys.addaudithook(hook)
