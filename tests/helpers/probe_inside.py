"""Attempts to break out of the jail, one function each; a jailed child gets this file as its submission.

A function's docstring says what it tries. It returns ``ALLOWED`` or the name of the error that it got. An
attempt that succeeds does no harm: it writes to files made for it, sends signal 0, connects to our listeners.
"""

# The plain calls are what is tested, and no file with these names is ever made.
# ruff: noqa: PTH101, PTH120, PTH123, PTH211, S103, S108

import contextlib
import ctypes
import errno
import fcntl
import gc
import importlib
import os
import random
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any

ALLOWED = "ALLOWED"
Facts = dict[str, Any]
Probe = Callable[[Facts], str]

PROBES: dict[str, list[Probe]] = {}
"""The probes by topic, in the order of the table."""

_libc = ctypes.CDLL(None, use_errno=True)
_ARM = os.uname().machine == "aarch64"


def _probe(group: str) -> Callable[[Probe], Probe]:
    def keep(function: Probe) -> Probe:
        PROBES.setdefault(group, []).append(function)
        return function

    return keep


def attempt(name: str, facts: Facts) -> str:
    """Run one probe; return ``ALLOWED`` or an error's name."""
    function = next(f for group in PROBES.values() for f in group if f.__name__ == name)
    try:
        return function(facts)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "an error")
    except RuntimeError:  # threading says no more than that it could not
        return "EPERM"


def _said(action: Callable[..., object], *arguments: object) -> str:
    """Return ``ALLOWED`` if an action raises nothing."""
    action(*arguments)
    return ALLOWED


def _call(x86: int | None, arm: int | None, *arguments: object) -> str:
    """Make a system call by its number."""
    number = arm if _ARM else x86
    if number is None:
        return "ENOSYS"
    ctypes.set_errno(0)
    if _libc.syscall(ctypes.c_long(number), *arguments) >= 0:
        return ALLOWED
    return errno.errorcode[ctypes.get_errno()]


def _first_allowed(outcomes: list[str]) -> str:
    """Return ``ALLOWED`` if one of several attempts was, else the last outcome."""
    return next((outcome for outcome in outcomes if outcome == ALLOWED), outcomes[-1])


def _read(path: str) -> str:
    with open(path, "rb") as file:
        file.read(1)
    return ALLOWED


# --- Files: to read


@_probe("Files")
def read_system_file(_facts: Facts) -> str:
    """Read a file that everyone may read (`/etc/passwd`)."""
    return _read("/etc/passwd")


@_probe("Files")
def read_course(facts: Facts) -> str:
    """Read a file of the course, such as a hidden test."""
    return _read(facts["outside"] + "/readable")


@_probe("Files")
def read_grader(facts: Facts) -> str:
    """Read the grader's own code."""
    return _read(facts["grader"] + "/__init__.py")


@_probe("Files")
def read_through_parents(facts: Facts) -> str:
    """Read it by a path through Python's own folder and `..`."""
    return _first_allowed(
        [attempt_path(place + "/.." * 12 + facts["outside"] + "/readable") for place in sys.path]
    )


@_probe("Files")
def read_by_descriptor(facts: Facts) -> str:
    """Read it relative to a folder opened with `O_PATH`."""
    folder = os.open(facts["outside"], os.O_PATH)
    os.close(os.open("readable", os.O_RDONLY, dir_fd=folder))
    return ALLOWED


@_probe("Files")
def read_with_openat2(facts: Facts) -> str:
    """Read it with `openat2`."""
    path = (facts["outside"] + "/readable").encode()
    return _call(437, 437, -100, path, struct.pack("QQQ", 0, 0, 0), ctypes.c_size_t(24))


@_probe("Files")
def list_root(_facts: Facts) -> str:
    """List `/`."""
    return _said(os.listdir, "/")


@_probe("Files")
def list_outside(facts: Facts) -> str:
    """List a folder of the course."""
    return _said(os.listdir, facts["outside"])


@_probe("Files")
def read_own_environment(_facts: Facts) -> str:
    """Read `/proc/self/environ`."""
    return _read("/proc/self/environ")


@_probe("Files")
def read_own_memory_map(_facts: Facts) -> str:
    """Read `/proc/self/maps`."""
    return _read("/proc/self/maps")


@_probe("Files")
def read_parents_files(facts: Facts) -> str:
    """Read what `/proc` says of the grader (`cmdline`, `environ`, `mem`, `fd`)."""
    names = ("cmdline", "environ", "mem", "maps")
    outcomes = [attempt_path(f"/proc/{facts['pid']}/{name}") for name in names]
    outcomes.append(attempt_path(f"/proc/{facts['pid']}/fd", os.listdir))
    return _first_allowed(outcomes)


def attempt_path(path: str, action: Callable[[str], object] = _read) -> str:
    """Return the outcome of an action on a path."""
    try:
        action(path)
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return ALLOWED


@_probe("Files")
def follow_parents_links(facts: Facts) -> str:
    """Follow the grader's links in `/proc` (`cwd`, `exe`, `root`)."""
    return _first_allowed(
        [attempt_path(f"/proc/{facts['pid']}/{n}", os.readlink) for n in ("cwd", "exe", "root")]
    )


# --- Files: to write


@_probe("Files")
def write_outside(facts: Facts) -> str:
    """Write a file in a folder that everyone may write to."""
    return _said(os.close, os.open(facts["outside"] + "/new", os.O_WRONLY | os.O_CREAT, 0o600))


@_probe("Files")
def write_usual_places(_facts: Facts) -> str:
    """Write in `.`, `/tmp`, `/var/tmp`, `/dev/shm`, `/run`."""
    return _first_allowed(
        [attempt_path(f"{place}/probe", _create) for place in (".", "/tmp", "/var/tmp", "/run", "/dev/shm")]
    )


def _create(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


@_probe("Files")
def write_existing(facts: Facts) -> str:
    """Open a file for writing that everyone may write to."""
    return _said(os.close, os.open(facts["outside"] + "/writable", os.O_WRONLY))


@_probe("Files")
def write_python(_facts: Facts) -> str:
    """Change Python's own library."""
    return _said(os.close, os.open(os.__file__, os.O_WRONLY | os.O_APPEND))


@_probe("Files")
def unnamed_file(facts: Facts) -> str:
    """Make a file without a name (`O_TMPFILE`)."""
    return _said(os.close, os.open(facts["outside"], os.O_TMPFILE | os.O_RDWR, 0o600))


@_probe("Files")
def memory_file(_facts: Facts) -> str:
    """Make a file in memory (`memfd_create`, `memfd_secret`)."""
    return _first_allowed([_call(319, 279, b"x", 0), _call(447, 447, 0)])


@_probe("Files")
def make_folder(facts: Facts) -> str:
    """Make a folder."""
    return _said(os.mkdir, facts["outside"] + "/folder")


@_probe("Files")
def make_links(facts: Facts) -> str:
    """Make a link, symbolic or hard."""
    outside = facts["outside"]
    return _first_allowed(
        [
            attempt_path(outside + "/link", lambda path: os.symlink("/etc/passwd", path)),
            attempt_path(outside + "/hard", lambda path: os.link(outside + "/writable", path)),
        ]
    )


@_probe("Files")
def make_special(facts: Facts) -> str:
    """Make a FIFO or a device."""
    return _first_allowed(
        [
            attempt_path(facts["outside"] + "/fifo", os.mkfifo),
            attempt_path(facts["outside"] + "/node", os.mknod),
        ]
    )


@_probe("Files")
def remove(facts: Facts) -> str:
    """Remove a file."""
    return _said(os.unlink, facts["outside"] + "/writable")


@_probe("Files")
def rename(facts: Facts) -> str:
    """Rename a file."""
    return _said(os.rename, facts["outside"] + "/writable", facts["outside"] + "/renamed")


@_probe("Files")
def change_mode(facts: Facts) -> str:
    """Change a file's mode, owner, length, times or attributes."""
    path = facts["outside"] + "/writable"
    return _first_allowed(
        [
            attempt_path(path, lambda p: os.chmod(p, 0o777)),
            attempt_path(path, lambda p: os.chown(p, -1, -1)),
            attempt_path(path, lambda p: os.truncate(p, 0)),
            attempt_path(path, os.utime),
            attempt_path(path, lambda p: os.setxattr(p, "user.x", b"x")),
        ]
    )


@_probe("Files")
def watch(_facts: Facts) -> str:
    """Watch files (`inotify`, `fanotify`)."""
    return _first_allowed([_call(294, 26, 0), _call(253, None), _call(300, 262, 0, 0)])


@_probe("Files")
def open_by_handle(facts: Facts) -> str:
    """Reach a file by a handle (`name_to_handle_at`, `open_by_handle_at`)."""
    path = (facts["outside"] + "/readable").encode()
    handle, mount = ctypes.create_string_buffer(136), ctypes.c_int()
    ctypes.memmove(handle, struct.pack("I", 128), 4)
    return _first_allowed(
        [_call(303, 264, -100, path, handle, ctypes.byref(mount), 0), _call(304, 265, -100, handle, 0)]
    )


@_probe("Files")
def mount(facts: Facts) -> str:
    """Mount, unmount, change the root."""
    place = facts["outside"].encode()
    return _first_allowed(
        [
            _call(165, 40, b"none", place, b"tmpfs", 0, None),
            _call(166, 39, place, 0),
            _call(161, 51, place),
            _call(155, 41, place, place),
            _call(428, 428, -100, place, 0),
            _call(430, 430, b"tmpfs", 0),
        ]
    )


# --- Network


@_probe("Network")
def socket_of_any_family(_facts: Facts) -> str:
    """Make a socket of any family, 0 to 63 (Unix, IPv4, IPv6, netlink, packet, vsock, ...)."""
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
    outcomes = {_call(41, 198, family, kind, 0) for family in range(64) for kind in kinds}
    return ALLOWED if ALLOWED in outcomes else "EPERM" if outcomes <= {"EPERM", "ENOSYS"} else str(outcomes)


@_probe("Network")
def connect_tcp(facts: Facts) -> str:
    """Connect to a listener on loopback."""
    with socket.socket() as channel:
        channel.connect(("127.0.0.1", facts["port"]))
    return ALLOWED


@_probe("Network")
def connect_abstract(facts: Facts) -> str:
    """Connect to an abstract Unix socket."""
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect("\0" + facts["abstract"])
    return ALLOWED


@_probe("Network")
def socket_pair(_facts: Facts) -> str:
    """Make a pair of sockets."""
    return _said(socket.socketpair)


@_probe("Network")
def pass_a_descriptor(_facts: Facts) -> str:
    """Pass a descriptor over the channel to the grader."""
    header = ctypes.create_string_buffer(56)
    return _first_allowed(
        [_call(46, 211, 3, header, 0), _call(307, 269, 3, header, 1, 0), _call(44, 206, 3, b"x", 1, 0)]
    )


@_probe("Network")
def take_a_descriptor(_facts: Facts) -> str:
    """Take a descriptor from the channel."""
    header = ctypes.create_string_buffer(56)
    return _first_allowed([_call(47, 212, 3, header, 0x40), _call(45, 207, 3, header, 1, 0x40)])


@_probe("Network")
def change_the_channel(_facts: Facts) -> str:
    """Change the channel's options (`setsockopt`, `shutdown`)."""
    return _first_allowed([_call(54, 208, 3, 1, 16, struct.pack("i", 0), 4), _call(48, 210, 3, 1)])


# --- Processes


@_probe("Processes")
def signal_others(facts: Facts) -> str:
    """Send a signal to the grader, the parent, everyone."""
    return _first_allowed([attempt_pid(pid, facts) for pid in (facts["pid"], os.getppid(), 1, -1, 0)])


def attempt_pid(pid: int, _facts: Facts) -> str:
    """Send signal 0 to a process."""
    try:
        os.kill(pid, 0)
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return ALLOWED


@_probe("Processes")
def signal_past_kill(facts: Facts) -> str:
    """Do the same with `tkill`, `tgkill`, `rt_sigqueueinfo`, `pidfd_send_signal`."""
    pid = facts["pid"]
    return _first_allowed(
        [
            _call(200, 130, pid, 0),
            _call(234, 131, pid, pid, 0),
            _call(129, 138, pid, 0, None),
            _call(297, 240, pid, pid, 0, None),
            _call(434, 434, pid, 0),
            _call(424, 424, 3, 0, None, 0),
        ]
    )


@_probe("Processes")
def signal_by_file(facts: Facts) -> str:
    """Let a file send the signal (`F_SETOWN`, `F_SETSIG`, `FIOSETOWN`)."""
    return _first_allowed(
        [
            _call(72, 25, 3, 8, facts["pid"]),
            _call(72, 25, 3, 10, int(signal.SIGKILL)),
            _call(72, 25, 3, 15, struct.pack("ii", 1, facts["pid"])),
            _call(16, 29, 3, 0x8901, struct.pack("i", facts["pid"])),
        ]
    )


@_probe("Processes")
def signal_by_timer(_facts: Facts) -> str:
    """Set a timer that signals (`alarm`, `setitimer`, `timer_create`, `timerfd`)."""
    return _first_allowed(
        [
            _call(37, None, 0),
            _call(38, 103, 0, bytes(32), None),
            _call(222, 107, 0, None, ctypes.create_string_buffer(8)),
            _call(283, 85, 0, 0),
        ]
    )


@_probe("Processes")
def trace(facts: Facts) -> str:
    """Trace the grader, or be traced (`ptrace`)."""
    return _first_allowed([_call(101, 117, 0, 0, 0, 0), _call(101, 117, 16, facts["pid"], 0, 0)])


@_probe("Processes")
def read_others_memory(facts: Facts) -> str:
    """Read and write another process's memory (`process_vm_readv`, `process_vm_writev`)."""
    room = ctypes.create_string_buffer(16)
    piece = struct.pack("QQ", ctypes.addressof(room), 16)
    return _first_allowed(
        [_call(number, arm, facts["pid"], piece, 1, piece, 1, 0) for number, arm in ((310, 270), (311, 271))]
    )


@_probe("Processes")
def take_others_descriptors(facts: Facts) -> str:
    """Take another process's descriptors (`pidfd_open`, `pidfd_getfd`, `kcmp`)."""
    return _first_allowed(
        [
            _call(434, 434, facts["pid"], 0),
            _call(438, 438, 3, 0, 0),
            _call(312, 272, facts["pid"], os.getpid(), 0, 0, 0),
        ]
    )


@_probe("Processes")
def fork(_facts: Facts) -> str:
    """Start a process (`fork`, `vfork`, `clone`)."""
    outcomes = []
    for x86, arm, arguments in ((57, None, ()), (56, 220, (17, 0, 0, 0, 0))):
        outcomes.append(_call(x86, arm, *arguments))
    return _first_allowed(outcomes)


@_probe("Processes")
def thread(_facts: Facts) -> str:
    """Start a thread."""
    started = threading.Thread(target=int)
    started.start()
    started.join()
    return ALLOWED


@_probe("Processes")
def execute(_facts: Facts) -> str:
    """Run a program (`execve`, `execveat`, a shell)."""
    try:
        subprocess.run(["/bin/true"], check=False)
    except OSError as error:
        shell = errno.errorcode[error.errno or 0]
    else:
        shell = ALLOWED
    return _first_allowed(
        [shell, _call(59, 221, b"/bin/true", None, None), _call(322, 281, -100, b"/bin/true", None, None, 0)]
    )


@_probe("Processes")
def new_namespaces(_facts: Facts) -> str:
    """Make or enter a namespace (`unshare`, `setns`, `clone3`)."""
    flags = (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000, 0x4000000, 0x2000000, 0x80, 0x400)
    outcomes = [_call(272, 97, flag) for flag in flags]
    return _first_allowed([*outcomes, _call(308, 268, 3, 0), _call(435, 435, bytes(88), 88)])


@_probe("Processes")
def new_session(_facts: Facts) -> str:
    """Leave the session or process group (`setsid`, `setpgid`)."""
    return _first_allowed([_call(112, 157), _call(109, 154, 0, 0)])


@_probe("Processes")
def change_user(_facts: Facts) -> str:
    """Become another user, or gain a capability."""
    header = struct.pack("Ii", 0x20080522, 0)
    return _first_allowed(
        [
            _call(105, 146, 0),
            _call(117, 147, 0, 0, 0),
            _call(116, 159, 0, None),
            _call(126, 91, header, b"\xff" * 24),
        ]
    )


@_probe("Processes")
def outlive_the_grader(_facts: Facts) -> str:
    """Change what the jail set with `prctl` (death with the parent, dumpable, ...)."""
    return _first_allowed([_call(157, 167, 1, 0, 0, 0, 0), _call(157, 167, 4, 1, 0, 0, 0)])


@_probe("Processes")
def raise_limits(_facts: Facts) -> str:
    """Raise a limit, of its own or of others."""
    unlimited = struct.pack("QQ", 2**64 - 1, 2**64 - 1)
    return _first_allowed(
        [_call(302, 261, 0, what, unlimited, None) for what in (0, 1, 7, 9)]
        + [_call(302, 261, os.getppid() or 1, 7, unlimited, None)]
    )


@_probe("Processes")
def change_scheduling(facts: Facts) -> str:
    """Change priorities or processors."""
    return _first_allowed(
        [
            _call(141, 140, 0, 0, -5),
            _call(203, 122, 0, 8, struct.pack("Q", 1)),
            _call(144, 119, 0, 0, struct.pack("i", 0)),
            _call(251, 30, 1, facts["pid"], 0),
        ]
    )


# --- Shared memory and messages


@_probe("Shared memory")
def system_v(_facts: Facts) -> str:
    """Use System V shared memory, semaphores, message queues."""
    return _first_allowed(
        [
            _call(29, 194, 0x6B6974, 4096, 0o1666),
            _call(64, 190, 0x6B6974, 1, 0o1666),
            _call(68, 186, 0x6B6974, 0o1666),
        ]
    )


@_probe("Shared memory")
def posix_queue(_facts: Facts) -> str:
    """Use POSIX message queues and shared memory."""
    return _first_allowed(
        [_call(240, 180, b"kit", 0o102, 0o666, None), attempt_path("/dev/shm/kit", _create)]
    )


@_probe("Shared memory")
def keyrings(_facts: Facts) -> str:
    """Use the kernel's keyrings."""
    return _first_allowed(
        [
            _call(248, 217, b"user", b"kit", b"x", 1, -3),
            _call(249, 218, b"user", b"kit", None, -3),
            _call(250, 219, 0, -3, 1),
        ]
    )


# --- The kernel


@_probe("The kernel")
def io_uring(_facts: Facts) -> str:
    """Use `io_uring`, whose calls the filter does not see."""
    return _call(425, 425, 4, ctypes.create_string_buffer(120))


@_probe("The kernel")
def asynchronous_io(_facts: Facts) -> str:
    """Use the older asynchronous I/O."""
    return _call(206, 0, 1, ctypes.create_string_buffer(8))


@_probe("The kernel")
def bpf(_facts: Facts) -> str:
    """Use `bpf`."""
    return _call(321, 280, 0, bytes(64), 64)


@_probe("The kernel")
def perf(_facts: Facts) -> str:
    """Use `perf_event_open`."""
    return _call(298, 241, bytes(112), 0, -1, -1, 0)


@_probe("The kernel")
def page_faults(_facts: Facts) -> str:
    """Use `userfaultfd`."""
    return _call(323, 282, 1)


@_probe("The kernel")
def filters(_facts: Facts) -> str:
    """Add another filter (`seccomp`, `landlock`)."""
    return _first_allowed([_call(317, 277, 0, 0, None), _call(444, 444, struct.pack("QQ", 1, 0), 8, 0)])


@_probe("The kernel")
def modules(_facts: Facts) -> str:
    """Load a module or another kernel, restart, swap, the log."""
    return _first_allowed(
        [
            _call(175, 105, b"", 0, b""),
            _call(313, 273, 3, b"", 0),
            _call(246, 104, 0, 0, None, 0),
            _call(169, 142, 0, 0, 0, None),
            _call(167, 224, b"/nowhere", 0),
            _call(103, 116, 10, None, 0),
        ]
    )


@_probe("The kernel")
def clock_and_name(_facts: Facts) -> str:
    """Set the clock, the host's name, the personality."""
    return _first_allowed(
        [
            _call(164, 170, None, None),
            _call(227, 112, 0, struct.pack("qq", 0, 0)),
            _call(170, 161, b"x", 1),
            _call(135, 92, 0x0040000),
        ]
    )


@_probe("The kernel")
def type_into_a_terminal(_facts: Facts) -> str:
    """Type into a terminal (`TIOCSTI`)."""
    return _call(16, 29, 0, 0x5412, b"x")


@_probe("Files")
def see_that_a_file_exists(facts: Facts) -> str:
    """Check that a file exists, its size and times (`stat`, `access`, `readlink`, `statx`)."""
    path = facts["outside"] + "/readable"
    return _first_allowed(
        [
            attempt_path(path, os.stat),
            attempt_path(path, os.lstat),
            attempt_path(path, os.readlink),
            _call(21, None, path.encode(), 0),
            _call(439, 439, -100, path.encode(), 0, 0),
            _call(332, 291, -100, path.encode(), 0, 0xFFF, bytes(256)),
        ]
    )


@_probe("Files")
def look_at_python(_facts: Facts) -> str:
    """Open, list or look up something in Python's own folders, or stand in one."""
    folder = os.path.dirname(os.__file__)
    return _first_allowed(
        [
            attempt_path(os.__file__),
            attempt_path(folder, os.listdir),
            attempt_path(os.__file__, os.stat),
            _call(80, 49, folder.encode()),
            _call(5, 80, 0, bytes(144)),
            _call(262, 79, 0, b"", bytes(144), 0x1000),
        ]
    )


# --- Carriers of bits from one submission to another

_CARRIERS = "Carriers of bits to another submission"


@_probe(_CARRIERS)
def lock_records(_facts: Facts) -> str:
    """Lock a part of a file, or ask who did (`F_SETLK`, `F_GETLK`, `F_OFD_SETLK`, `flock`, leases)."""
    lock = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 1, 0)
    commands = (5, 6, 7, 36, 37, 38, 1024, 1025)
    return _first_allowed([*(_call(72, 25, 0, command, lock) for command in commands), _call(73, 32, 0, 2)])


@_probe(_CARRIERS)
def wake_others(_facts: Facts) -> str:
    """Wait for or wake another process through a futex that is shared."""
    word = ctypes.create_string_buffer(8)
    soon = struct.pack("qq", 0, 1)
    shared = [_call(202, 98, word, op, 0, soon, word, 0xFFFFFFFF) for op in (0, 1, 3, 4, 9, 10, 256, 265)]
    return _first_allowed([*shared, _call(449, 449, word, 1, 0, None, 0), _call(454, 454, word, 1, 1, 2)])


@_probe(_CARRIERS)
def share_memory(_facts: Facts) -> str:
    """Map memory that is shared, locked, droppable or in huge pages; lock memory."""
    kinds = (0x21, 0x23, 0x28, 0x2022, 0x40022)
    return _first_allowed(
        [_call(9, 222, None, 4096, 3, kind, -1, 0) for kind in kinds]
        + [_call(9, 222, None, 4096, 3, 1, 0, 0), _call(149, 228, None, 4096), _call(151, 230, 2)]
    )


@_probe(_CARRIERS)
def advise_on_memory(_facts: Facts) -> str:
    """Give advice about memory that tells of others, or changes what they meet (`madvise`)."""
    page = ctypes.create_string_buffer(8192)
    address = ctypes.c_void_p((ctypes.addressof(page) + 4095) & ~4095)
    advice = {*range(26), 100, 101} - {4}
    return _first_allowed([_call(28, 233, address, 4096, number) for number in sorted(advice)])


@_probe(_CARRIERS)
def page_cache(_facts: Facts) -> str:
    """Ask which pages are in memory (`mincore`, `cachestat`)."""
    room = ctypes.create_string_buffer(64)
    return _first_allowed([_call(27, 232, None, 0, room), _call(451, 451, 0, room, room, 0)])


@_probe(_CARRIERS)
def clock_of_others(facts: Facts) -> str:
    """Read another process's CPU clock, or sleep by it."""
    room = ctypes.create_string_buffer(16)
    clocks = [(~pid << 3) | kind for pid in (facts["pid"], os.getppid(), 1, os.getpid()) for kind in (2, 6)]
    return _first_allowed(
        [_call(228, 113, ctypes.c_int(clock), room) for clock in clocks]
        + [_call(230, 115, ctypes.c_int(clock), 0, room, None) for clock in clocks]
    )


@_probe(_CARRIERS)
def facts_of_others(facts: Facts) -> str:
    """Ask for another process's limits, processors or priority."""
    room = ctypes.create_string_buffer(128)
    return _first_allowed(
        [
            outcome
            for pid in (facts["pid"], os.getppid() or 1, 1)
            for outcome in (
                _call(302, 261, pid, 7, None, room),
                _call(204, 123, pid, 128, room),
                _call(140, 141, 0, pid),
                _call(145, 120, pid),
            )
        ]
    )


@_probe(_CARRIERS)
def count_pipes(_facts: Facts) -> str:
    """Make pipes or fill them (their pages are counted for each user)."""
    room = ctypes.create_string_buffer(8)
    return _first_allowed([_call(22, None, room), _call(293, 59, room, 0), _call(72, 25, 1, 1031, 1 << 20)])


@_probe(_CARRIERS)
def count_watches(_facts: Facts) -> str:
    """Make watches (counted for each user): `epoll`, `inotify`, `eventfd`, `signalfd`."""
    calls = ((213, None), (291, 20), (253, None), (294, 26), (284, None), (290, 19), (289, 74))
    return _first_allowed([_call(x86, arm, 0, 0, 8, 0) for x86, arm in calls])


@_probe(_CARRIERS)
def count_signals(_facts: Facts) -> str:
    """Queue signals for itself (counted for each user)."""
    own = os.getpid()
    return _first_allowed(
        [_call(234, 131, own, threading.get_native_id(), number) for number in (0, 10, 34, 64)]
        + [_call(129, 138, own, 34, bytes(128)), _call(297, 240, own, own, 34, bytes(128))]
    )


@_probe(_CARRIERS)
def load_of_the_machine(_facts: Facts) -> str:
    """Ask how much memory is free and how busy the machine is (`sysinfo`, `/proc/loadavg`)."""
    return _first_allowed([_call(99, 179, ctypes.create_string_buffer(128)), attempt_path("/proc/loadavg")])


def carry(bit: int) -> str:
    """Send a bit to the next submission by the flags of descriptors 0 to 2."""
    for descriptor in (0, 1, 2):
        fcntl.fcntl(descriptor, fcntl.F_SETFL, (os.O_APPEND | os.O_NONBLOCK) * bit)
    return ALLOWED


def receive() -> list[int]:
    """Return what a submission sees of descriptors 0 to 2 and of its clocks' names: the other end."""
    return [fcntl.fcntl(descriptor, fcntl.F_GETFL) for descriptor in (0, 1, 2)]


def end(status: int) -> None:
    """Use memory and CPU time, then end with a status: what the keeper learns of a child."""
    os._exit(len(bytearray(status << 20)) and status)


def seen_of_the_zygote() -> list[str]:
    """Return the local names of all frames of the zygote, in which this process was forked."""
    found, frame = [], sys._getframe()
    while frame.f_back:
        frame = frame.f_back
        if frame.f_globals["__name__"] in ("inside.zygote", "__main__"):
            found.append(repr(sorted(frame.f_locals.items(), key=str)))
    return found


def counts_of_python() -> list[Any]:
    """Return what Python counts while code runs: in its code, in a new dict, and of its objects."""
    codes: list[tuple[str, str]] = []
    for name in ("zygote", "jail", "syscalls", "library", "standins"):
        functions = [
            *vars(sys.modules[f"inside.{name}"]).values(),
            *vars(sys.modules["inside.zygote"].Zygote).values(),
        ]
        found = [one.__code__ for one in functions if hasattr(one, "__code__")]
        codes += [(code.co_qualname, getattr(code, "_co_code_adaptive", b"").hex()) for code in found]
    versions = [ctypes.string_at(id({name: 0}), 48).hex() for name in "ab"]
    return [*map(str, sorted(codes)), versions, repr(gc.get_count()), sys.getallocatedblocks()]


def own_numbers() -> list[Any]:
    """Return the numbers that this process is told, and what the C library keeps about its thread."""
    thread = ctypes.CDLL(None).pthread_self
    thread.restype = ctypes.c_void_p
    kept = ctypes.string_at(thread(), 2048).hex()
    return [os.getpid(), os.getppid(), threading.get_native_id(), threading.main_thread().native_id, kept]


def faults_of_reading_libraries() -> list[int]:
    """Read the pages around Python's and the C library's code; return their number and the major faults."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    count = 0
    for function in (ctypes.pythonapi.PyList_Append, ctypes.CDLL(None).qsort):
        place = ctypes.cast(function, ctypes.c_void_p).value or 0
        for address in range((place & ~4095) - (4 << 20), place + (4 << 20), 4096):
            count += is_readable(address) and ctypes.string_at(address, 1) is not None
    return [count, resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before]


def is_readable(address: int) -> bool:
    """Return True if there is memory at an address: the kernel reads it there, and then refuses the rest."""
    ctypes.set_errno(0)
    _libc.syscall(ctypes.c_long(135 if _ARM else 14), 99, ctypes.c_void_p(address), None, ctypes.c_size_t(8))
    return ctypes.get_errno() == errno.EINVAL


# --- For single tests


def call_all(numbers: list[int]) -> list[str]:
    """Make system calls by number with zeros as arguments; return the outcomes."""
    return [_call(number, number, 0, 0, 0, 0, 0, 0) for number in numbers]


def open_descriptors() -> list[int]:
    """Return the descriptors that this process holds."""
    found = []
    for descriptor in range(2_000):
        with contextlib.suppress(OSError):
            os.get_inheritable(descriptor)
            found.append(descriptor)
    return found


def scan() -> int:
    """How often a made-up secret stands in this process's memory, which it reads page by page."""
    page, found = 4096, 0
    secret = re.compile(b"kit-(?:7f3a){8}")
    large = ctypes.create_string_buffer(1 << 20)
    heap_end = ctypes.CDLL(None).sbrk
    heap_end.restype = ctypes.c_void_p
    places = {id(object()) & ~0xFFFFF, ctypes.addressof(large) & ~0xFFFFF, heap_end(0) & ~0xFFFFF}
    seen: set[int] = set()
    for place in places:
        for address in range(max(page, place - (64 << 20)), place + (64 << 20), page):
            if address not in seen and is_readable(address):
                found += len(secret.findall(ctypes.string_at(address, page)))
            seen.add(address)
    return found


def do_honest_things() -> int:
    """Import what students import, fail and recover, print."""
    for name in (
        "argparse", "array", "asyncio", "calendar", "concurrent.futures", "csv", "datetime", "difflib",
        "doctest", "email", "glob", "hashlib", "inspect", "logging", "multiprocessing", "pathlib", "pprint",
        "queue", "sqlite3", "subprocess", "tempfile", "threading", "timeit", "traceback", "turtle",
        "unittest.mock", "uuid", "zoneinfo",
    ):  # fmt: skip
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
    with contextlib.suppress(ZeroDivisionError):
        print(1 // 0)  # noqa: T201
    try:
        importlib.import_module("no_such_module")
    except ImportError:
        traceback.print_exc()
    warnings.warn("careful", stacklevel=1)
    return len(b"\xe9".decode("latin-1")) + random.Random(3).randrange(1) + 41  # noqa: S311
