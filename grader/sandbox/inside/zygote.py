"""The warm parent of all submissions' processes: a started Python that forks a jailed child for each.

It never sees a submission: a child's files travel over the child's own channel after the fork, so that
nothing of one submission is in the memory that the next one inherits. Its own channel carries commands
from the trusted side, one datagram each, with the child's channel as a passed descriptor.
"""

from __future__ import annotations

import array
import gc
import importlib
import json
import os
import random
import signal
import socket
import sys
import time
from collections.abc import Iterable
from typing import Any

from . import frames, jail
from .serve import FOLDER, Server

CHANNEL = 3
_HIGH = 500

# What students' code commonly imports: loaded once here instead of once a child.
_PRELOADED = (
    "abc", "bisect", "collections", "contextlib", "copy", "dataclasses", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "json", "linecache", "math", "numbers", "operator", "random", "re",
    "statistics", "string", "textwrap", "time", "traceback", "types", "typing",
)  # fmt: skip


def open_readable_folders(settings: dict[str, Any]) -> list[int]:
    """Open the folders that a child may read, Python's own first, out of the way of low descriptors."""
    found: list[int] = []
    for folder in settings["readable"]:
        low = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        found.append(os.dup2(low, _HIGH + len(found)))
        os.close(low)
    return found


def import_through(prefix: int, base: str) -> None:
    """Import through an open descriptor: Python lies below a folder that the child may not enter."""
    loaded = [
        module.__path__ for module in [*sys.modules.values()] if type(vars(module).get("__path__")) is list
    ]
    for places in (sys.path, *loaded):
        places[:] = [
            f"/proc/self/fd/{prefix}{place.removeprefix(base)}" if place.startswith(base) else place
            for place in places
        ]
    sys.path_importer_cache.clear()


def _folders_of(paths: Iterable[str]) -> Iterable[str]:
    return [f"{path.rstrip('/')}/" for path in paths]


class Zygote:
    """Takes commands: ``spawn`` a child, ``end`` it."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self.control = control
        self.settings = settings
        self.folders = open_readable_folders(settings)
        self.nothing = os.open("/dev/null", os.O_RDWR)

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
        """Fork a child that talks on ``channel``."""
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
        """Give a child so many seconds to end by itself, then kill it; say how it ended, and its CPU time."""
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
        }

    def child(self, channel: int) -> None:
        """Enter the jail, then serve."""
        settings = self.settings
        for target in (0, 1, 2):
            os.dup2(self.nothing, target)
        os.dup2(channel, CHANNEL)
        folders = [os.dup2(folder, CHANNEL + 1 + n) for n, folder in enumerate(self.folders)]
        os.closerange(CHANNEL + 1 + len(folders), 1024)
        talk = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=CHANNEL)
        os.chdir("/")
        random.seed(0)
        if settings["uid"] is not None:
            jail.become(settings["uid"])
        jail.limit(
            memory_bytes=settings["memory_bytes"],
            cpu_seconds=settings["cpu_seconds"],
            open_files=settings["open_files"],
        )
        if settings["through"]:
            import_through(folders[0], settings["base"])
        if settings["jailed"]:
            self.lock(talk, folders)
            jail.report_file_access((FOLDER, *_folders_of(sys.path), *_folders_of(settings["readable"])))
        else:
            talk.send(frames.dumps({"kind": "ready"}))
        talk.detach()
        gc.enable()
        Server(CHANNEL, settings["printed_characters"]).run()

    def lock(self, talk: socket.socket, folders: list[int]) -> None:
        """Close the jail behind this process; hand over the descriptor on which refusals are seen."""
        jail.drop_privileges()
        jail.landlock(folders)
        for folder in folders[1 if self.settings["through"] else 0 :]:
            os.close(folder)
        listener = jail.seccomp(watched=self.settings["watched"])
        if listener < 0:
            os.write(CHANNEL, frames.dumps({"kind": "ready"}))
            return
        passed = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))
        talk.sendmsg([frames.dumps({"kind": "ready"})], [passed])
        os.close(listener)
        jail.seccomp_no_sending()


def main(control: int) -> None:
    """Start: read the settings, load what children will need, serve."""
    channel = socket.socket(fileno=control)
    settings = json.loads(channel.recv(1 << 16))
    for module in _PRELOADED:
        importlib.import_module(module)
    sys.argv = ["submission"]
    gc.collect()
    gc.freeze()
    gc.disable()
    Zygote(channel, settings).run()
