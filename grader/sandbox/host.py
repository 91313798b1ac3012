"""Start a zygote, spawn and end its children, and choose the best tier that this machine can build."""

from __future__ import annotations

import array
import json
import os
import shutil
import socket
import subprocess
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
        with theirs:
            self._process = self._start_process(theirs.fileno())
        self._control.settimeout(_START_SECONDS)
        try:
            self._control.send(json.dumps(tier.settings(limits)).encode())
            self._answer()
        except (OSError, SandboxError) as error:
            self._stop()
            output = self._process.stderr.read(4096) if self._process.stderr else b""
            self.close()
            # The last line that the zygote (or bubblewrap) wrote.
            lines = output.decode(errors="replace").strip().splitlines()[-1:]
            raise SandboxError(" ".join([str(error), *(line[:200] for line in lines)])) from None

    def _start_process(self, control: int) -> subprocess.Popen[bytes]:
        """Start the process; of our descriptors it inherits the control channel's other end alone."""
        home = os.open(INSIDE.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return subprocess.Popen(
                self.tier.command(control, home),
                pass_fds=[control, *([] if self.tier.in_bubblewrap else [home])],
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
            os.close(home)

    def _answer(self) -> dict[str, Any]:
        try:
            data = self._control.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            raise SandboxError("the sandbox's parent process ended")
        answer: dict[str, Any] = json.loads(data)
        return answer

    def spawn(self) -> Child:
        """Fork a child and wait until it is in its jail.

        Raises:
            SandboxError: No child could be started.
        """
        mine, theirs = socket.socketpair()
        # The kernel then adds the child's process id to its first message.
        mine.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        try:
            with theirs:
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [theirs.fileno()]))
                self._control.sendmsg([b'{"do": "spawn"}'], [rights])
            pid = self._answer()["pid"]
            return Child(mine, lambda patience: self._end(pid, patience), self._printed)
        except OSError:
            mine.close()
            raise SandboxError("the sandbox's parent process ended") from None
        except SandboxError:
            mine.close()
            raise

    def _end(self, pid: int, patience: float) -> End:
        try:
            self._control.send(json.dumps({"do": "end", "pid": pid, "patience": patience}).encode())
        except OSError:
            raise SandboxError("the sandbox's parent process ended") from None
        answer = self._answer()
        seconds, peak = float(answer["cpu_seconds"]), int(answer["peak_kib"])
        return End(int(answer["status"]), seconds, killed=answer["killed"] is True, peak_kib=peak)

    def close(self) -> None:
        """End the zygote and all of its children."""
        self._stop()
        if self._process.stderr:
            self._process.stderr.close()

    def _stop(self) -> None:
        """Close the control channel, which ends the zygote; kill it when it does not."""
        self._control.close()
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def choose_tier(asked: str, limits: Limits, *, unsafe: bool) -> Tier:
    """Return the best tier that works on this machine, or the one asked for; each is tried out first.

    Raises:
        UsageError: No tier works, or ``none`` was asked for without ``unsafe``.
    """
    if asked == "none":
        if not unsafe:
            raise UsageError(
                "--sandbox none runs submissions as you, with all your rights; add --unsafe if you mean it."
            )
        return Tier("none")
    wanted: tuple[TierName, ...] = ("bwrap", "bwrap-shared", "landlock")
    if asked == "bwrap":
        wanted = ("bwrap", "bwrap-shared")
    elif asked != "auto":
        wanted = (cast("TierName", asked),)
    reasons = []
    for name in wanted:
        if reason := _why_unusable(Tier(name), limits):
            reasons.append(f"{TITLES[name].partition(':')[0]} ({reason})")
        else:
            return Tier(name)
    raise UsageError(
        f"No sandbox can be built here: {'; '.join(reasons)}. Install bubblewrap or use a Linux kernel with "
        "Landlock (5.13 or newer); --sandbox none --unsafe grades without one."
    )


def _why_unusable(tier: Tier, limits: Limits) -> str:
    """Build the tier's jail and try to read files outside; return a reason, or an empty text if it holds."""
    if tier.in_bubblewrap and not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    try:
        zygote = Zygote(tier, limits)
    except (OSError, SandboxError) as error:
        return str(error)
    try:
        return _read_outside(zygote.spawn())
    except (SandboxError, StoppedError) as error:
        return str(error)
    finally:
        zygote.close()


_PROBE = b"""
def look(path):
    try:
        open(path).close()
    except OSError:
        return True
    return False
"""


def _read_outside(child: Child) -> str:
    """Let a child open a file that everyone may read, and this file; return a reason if it can."""
    with closing(child):
        child.send_files({"probe.py": _PROBE})
        child.ask(Request({"verb": "load", "module": "probe"}), cpu=5, wall=20)
        for path in ("/etc/passwd", os.path.abspath(__file__)):  # noqa: PTH100 - a plain text for the child
            fields = {"verb": "call", "module": "probe", "name": "look", "arguments": [path], "keywords": []}
            if child.ask(Request(fields), cpu=5, wall=20).verdict.get("value") is not True:
                return "a file outside could be read"
    return ""
