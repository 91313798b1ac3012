"""Fork one jailed child per submission from a Python that is started and has its modules loaded.

Runs in the outer jail: inside bubblewrap in tiers 1 and 2, else as a plain process. It never receives a
submission: a child gets its files over a channel of its own, after the fork, so that no child inherits memory
with another submission in it. The zygote's channel carries one command per datagram; ``spawn`` passes the
child's channel as a descriptor.
"""

from __future__ import annotations

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
from typing import Any

from . import frames, jail, standins, syscalls
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


class Zygote:
    """Carries out the commands ``spawn`` and ``end``."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self.control = control
        self.settings = settings
        # What is the same for all children is made once.
        self.server = Server(CHANNEL, settings["printed_characters"])
        standins.set_up(self.server.printed)
        syscalls.allow_list(0, watched=settings["watched"])
        syscalls.deny_sending()

    def run(self) -> None:
        """Serve until the trusted side closes the channel."""
        self.control.send(b'{"ready": true}')
        while True:
            command, extra, _flags, _address = self.control.recvmsg(1 << 16, socket.CMSG_SPACE(4))
            if not command:
                return
            request = json.loads(command)
            if request["do"] == "spawn":
                answer = self.spawn(array.array("i", extra[0][2])[0])
            else:
                answer = self.end(request["pid"], request["patience"])
            self.control.send(json.dumps(answer).encode())

    def spawn(self, channel: int) -> dict[str, Any]:
        """Fork a child that serves on ``channel``; answer with its process id."""
        namespaces = self.settings["namespaces"]
        pid = jail.fork_into_namespaces(user=namespaces == "user") if namespaces else os.fork()
        if pid == 0:
            try:
                self.child(channel)
            except BaseException as error:  # noqa: BLE001 - nothing may return into the zygote's loop
                report = {"kind": "fault", "text": f"{type(error).__name__}: {error}"[:300]}
                os.write(CHANNEL, frames.dumps(report))
            finally:
                os._exit(1)
        os.close(channel)
        return {"pid": pid}

    def end(self, pid: int, patience: float) -> dict[str, Any]:
        """Wait ``patience`` seconds for a child to end, then kill it; answer what it used."""
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
            "peak_kib": usage.ru_maxrss,
            "killed": not ended,
        }

    def child(self, channel: int) -> None:
        """Enter the jail, then serve. Runs in the child and never returns."""
        settings = self.settings
        # Copies of one descriptor would share its flags, and with them two bits, among all children.
        os.closerange(0, 3)
        for _ in range(3):
            os.open("/dev/null", os.O_RDWR)
        os.dup2(channel, CHANNEL)
        os.closerange(CHANNEL + 1, 1024)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=CHANNEL)
        os.chdir("/")
        random.seed(0)
        if settings["uid"] is not None:
            jail.become(settings["uid"])
        jail.limit(
            memory_bytes=settings["memory_bytes"],
            cpu_seconds=settings["cpu_seconds"],
            open_files=settings["open_files"],
        )
        if settings["jailed"]:
            self.lock(connection)
            jail.mark_outside_paths(FOLDER)
        else:
            connection.send(frames.dumps({"kind": "ready"}))
        connection.detach()
        gc.enable()
        self.server.run()

    def lock(self, connection: socket.socket) -> None:
        """Enter Landlock and seccomp; send ``ready`` and the descriptor that shows refused calls."""
        jail.drop_privileges()
        jail.landlock()
        listener = jail.seccomp(watched=self.settings["watched"])
        if listener < 0:
            os.write(CHANNEL, frames.dumps({"kind": "ready"}))
            return
        passed = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))
        connection.sendmsg([frames.dumps({"kind": "ready"})], [passed])
        os.close(listener)
        jail.seccomp_no_sending()


def main(control: int) -> None:
    """Read the settings, load the library and what children need of it, and serve."""
    channel = socket.socket(fileno=control)
    settings = json.loads(channel.recv(1 << 16))
    # The C library reads the files of its locale now or never.
    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "")
    load_library()
    jail.touch_libraries()
    sys.path[:] = [FOLDER.rstrip("/")]
    for module in _PRELOADED:
        importlib.import_module(module)
    sys.argv = ["submission"]
    zygote = Zygote(channel, settings)
    gc.collect()
    gc.freeze()
    gc.disable()
    zygote.run()
