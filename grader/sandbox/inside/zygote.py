"""Fork one jailed child per submission from a Python that is started and has its modules loaded.

Runs in the outer jail: inside bubblewrap in tiers 1 and 2, else as plain processes. The *keeper* carries out
the trusted side's commands, one per datagram, and is the parent of all children; the *zygote*, which it
starts, forks them. No child inherits memory with another submission in it: files come over a channel of the
child's own, after the fork, and the keeper alone learns how a child ended and what it used.
"""

import array
import contextlib
import gc
import importlib
import json
import locale
import os
import random
import signal
import socket
import sys
import time
from functools import partial
from typing import Any

from . import jail, standins, syscalls, wire
from .library import load_library
from .serve import Server
from .statements import FOLDER

CHANNEL = 3

# Modules that students often import: loaded once here, and not once per child.
_PRELOADED = (
    "abc", "bisect", "collections", "contextlib", "copy", "dataclasses", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "json", "linecache", "math", "numbers", "operator", "random", "re",
    "statistics", "string", "textwrap", "time", "traceback", "types", "typing",
)  # fmt: skip


def keep(control: socket.socket, zygote: socket.socket, channels: socket.socket, zygote_pid: int) -> None:
    """Carry out the commands ``spawn`` and ``end`` until the trusted side closes the channel.

    A byte to the ``zygote`` makes a child, which has the zygote's CPUs and takes its channel from
    ``channels``.
    """
    # The kernel then tells the process id of a child that sends a message.
    zygote.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    if not zygote.recv(1):
        return
    control.send(b'{"ready": true}')
    while True:
        command, rights, _flags, _address = control.recvmsg(1 << 16, socket.CMSG_SPACE(4))
        if not command:
            return
        request = json.loads(command)
        if request["do"] == "spawn":
            with contextlib.suppress(OSError):  # CPUs that are not there in this jail
                os.sched_setaffinity(zygote_pid, request["cpus"])
            channels.sendmsg([b"c"], rights)
            zygote.send(b"s")
            os.close(array.array("i", rights[0][2])[0])
            _, credentials, _flags, _address = zygote.recvmsg(1, socket.CMSG_SPACE(12))
            answer = {"pid": array.array("i", credentials[0][2])[0]}
        else:
            answer = end(request["pid"], request["patience"])
        control.send(json.dumps(answer).encode())


def end(pid: int, patience: float) -> dict[str, Any]:
    """Wait ``patience`` seconds for a child to end, then kill it; return how it ended and what it used."""
    last = time.monotonic() + patience
    while not (ended := os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
        if time.monotonic() >= last:
            os.kill(pid, signal.SIGKILL)
            break
        time.sleep(0.005)
    _, status, usage = os.wait4(pid, 0)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "killed": not ended,
        "peak_kib": usage.ru_maxrss,
    }


class Zygote:
    """Forks a child for each byte that the keeper sends."""

    def __init__(self, keeper: socket.socket, channels: socket.socket, settings: dict[str, Any]) -> None:
        self.keeper, self.channels = keeper, channels
        self.settings = settings
        # What is the same for all children is made once.
        self.server = Server(CHANNEL, settings["printed_characters"])
        standins.set_up(self.server.printed)
        syscalls.allow_list(watched=settings["watched"])
        syscalls.deny_sending()

    def run(self) -> None:
        """Fork children until the keeper ends."""
        self.keeper.send(b"r")
        if jail.fork_siblings(partial(self.keeper.recv, 1), self.settings["namespaces"]):
            try:
                self.child()
            except BaseException as error:  # noqa: BLE001 - nothing may return into the zygote's code
                report = {"kind": "fault", "text": f"{type(error).__name__}: {error}"[:300]}
                os.write(CHANNEL, wire.dumps(report))
            finally:
                os._exit(1)

    def child(self) -> None:
        """Enter the jail, then serve. Runs in the child and never returns."""
        settings = self.settings
        self.keeper.send(b"c")
        rights = self.channels.recvmsg(1, socket.CMSG_SPACE(4))[1]
        (channel,) = array.array("i", rights[0][2])
        # Copies of one descriptor would share its flags, and with them two bits, among all children.
        os.closerange(0, 3)
        for _ in range(3):
            os.open("/dev/null", os.O_RDWR)
        os.dup2(channel, CHANNEL)
        os.closerange(CHANNEL + 1, 1024)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=CHANNEL)
        os.chdir("/")
        random.seed(0)
        jail.limit(*settings["limits"])
        jail.drop_privileges(settings["uid"])
        ready, listener = wire.dumps({"kind": "ready"}), -1
        if settings["jailed"]:
            jail.landlock()
            listener = jail.seccomp(watched=settings["watched"])
        if listener < 0:
            os.write(CHANNEL, ready)
        else:
            passed = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))
            connection.sendmsg([ready], [passed])
            os.close(listener)
            # The watched program allowed to send, for this once.
            jail.add_filter(syscalls.deny_sending())
        if settings["jailed"]:
            jail.mark_outside_paths(FOLDER)
        connection.detach()
        gc.enable()
        self.server.run()


def main(control: int) -> None:
    """Read the settings, and keep; be the zygote in a fork, with the library and what children need of it."""
    channel = socket.socket(fileno=control)
    settings = json.loads(channel.recv(1 << 16))
    if settings["jailed"]:
        jail.hide_numbers()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    gives, takes = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if zygote_pid := os.fork():
        theirs.close()
        takes.close()
        with ours:
            keep(channel, ours, gives, zygote_pid)
        os.waitpid(zygote_pid, 0)
        return
    ours.close()
    gives.close()
    channel.close()
    # The C library reads the files of its locale now or never.
    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "")
    load_library()
    jail.touch_libraries()
    sys.path[:] = [FOLDER.rstrip("/")]
    for module in _PRELOADED:
        importlib.import_module(module)
    sys.argv = ["submission"]
    zygote = Zygote(theirs, takes, settings)
    gc.collect()
    gc.freeze()
    gc.disable()
    zygote.run()
