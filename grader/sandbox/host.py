"""Start a zygote, spawn and end its children, and choose the best tier that this machine can build."""

import array
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from contextlib import closing
from typing import Any, cast

from grader.base.errors import UsageError
from grader.course.model import Limits
from grader.sandbox.child import Child, End, Request, SandboxError, StoppedError
from grader.sandbox.tiers import INSIDE, TITLES, Tier, TierName, environment

SANDBOXES = ("auto", "bwrap", "landlock", "none")

_START_SECONDS = 30.0
_ENDING_SECONDS = 2.0


class Zygote:
    """The trusted side's handle on a zygote process, which forks one child per submission."""

    def __init__(self, tier: Tier, limits: Limits) -> None:
        self.tier = tier
        self._printed = limits.output_kib << 10
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_START_SECONDS)
        home = os.open(INSIDE.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            # It inherits the control channel's other end, and without bubblewrap the folder of its code.
            self._process = subprocess.Popen(
                tier.command(theirs.fileno(), home),
                pass_fds=[theirs.fileno(), *([] if tier.in_bubblewrap else [home])],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment(),
                cwd="/",
            )
        except OSError:
            self._control.close()
            raise
        finally:
            theirs.close()
            os.close(home)
        try:
            self._request(tier.settings(limits))
        except SandboxError as error:
            # The last line that the zygote (or bubblewrap) wrote.
            lines = self.close().decode(errors="replace").strip().splitlines()[-1:]
            raise SandboxError(" ".join([str(error), *(line[:200] for line in lines)])) from None

    def _request(self, message: Mapping[str, Any], *descriptors: int) -> dict[str, Any]:
        """Send a message, and a descriptor with it; return the answer."""
        rights = (
            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        )
        try:
            self._control.sendmsg([json.dumps(message).encode()], rights)
            data = self._control.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            raise SandboxError("the sandbox's parent process ended")
        answer: dict[str, Any] = json.loads(data)
        return answer

    def spawn(self) -> Child:
        """Fork a child and wait until it is in its jail. Raises SandboxError if no child could be started."""
        mine, theirs = socket.socketpair()
        # The kernel then adds the child's process id to its first message.
        mine.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            with theirs:
                # Where this process stays on one CPU, the child does.
                spawn = {"do": "spawn", "cpus": [*os.sched_getaffinity(0)]}
                pid = self._request(spawn, theirs.fileno())["pid"]
            return Child(mine, lambda patience: self._end(pid, patience), self._printed)
        except SandboxError:
            mine.close()
            raise

    def _end(self, pid: int, patience: float) -> End:
        return End(**self._request({"do": "end", "pid": pid, "patience": patience}))

    def close(self) -> bytes:
        """Close the control channel, which ends the zygote and its children; return the end of its errors.

        A zygote that does not end is killed.
        """
        self._control.close()
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        errors = self._process.stderr
        if errors is None or errors.closed:
            return b""
        with errors:
            os.set_blocking(errors.fileno(), False)
            return errors.read(4096) or b""


def choose_tier(asked: str, limits: Limits, *, unsafe: bool) -> Tier:
    """Return the best tier that works on this machine, or the one asked for; each is tried out first.

    Raises UsageError if no tier works, or ``none`` was asked for without ``unsafe``.
    """
    if asked == "none":
        if not unsafe:
            raise UsageError(
                "--sandbox none runs submissions as you, with all your rights; add --unsafe if you mean it."
            )
        return Tier("none")
    tiers: tuple[TierName, ...] = ("bwrap", "bwrap-shared", "landlock")
    reasons = []
    for name in {"auto": tiers, "bwrap": tiers[:2]}.get(asked, (cast("TierName", asked),)):
        if reason := _why_unusable(Tier(name), limits):
            reasons.append(f"{TITLES[name].partition(':')[0]} ({reason})")
        else:
            return Tier(name)
    raise UsageError(
        f"No sandbox can be built here: {'; '.join(reasons)}. Install bubblewrap or use a Linux kernel with "
        "Landlock (5.13 or newer); --sandbox none --unsafe grades without one."
    )


_PROBE = b"""
def look(path):
    try:
        open(path).close()
    except OSError:
        return True
    return False
"""


def _why_unusable(tier: Tier, limits: Limits) -> str:
    """Let a child of the tier open a file that everyone may read, and this one.

    Return a reason if it can or if the jail cannot be built, or an empty text if the jail holds.
    """
    if tier.in_bubblewrap and not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    try:
        with closing(Zygote(tier, limits)) as zygote, closing(zygote.spawn()) as child:
            child.send_files({"probe.py": _PROBE})
            child.ask(Request({"verb": "load", "module": "probe"}), cpu=5, wall=20)
            for path in ("/etc/passwd", os.path.abspath(__file__)):  # noqa: PTH100 - a plain text for the child
                fields = {
                    "verb": "call",
                    "module": "probe",
                    "name": "look",
                    "arguments": [path],
                    "keywords": [],
                }
                if child.ask(Request(fields), cpu=5, wall=20).verdict.get("value") is not True:
                    return "a file outside could be read"
    except (OSError, SandboxError, StoppedError) as error:
        return str(error)
    return ""
