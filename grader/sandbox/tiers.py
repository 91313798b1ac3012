"""Describe the tiers: the command that starts a zygote, and its settings.

Tier 1 is bubblewrap, namespaces for each child, Landlock and seccomp. Tier 2 lacks the child's namespaces,
which a distribution may forbid inside bubblewrap. Tier 3 is Landlock and seccomp alone, for containers that
forbid namespaces. ``none`` is no jail.
"""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from grader.course.model import Limits

TierName = Literal["bwrap", "bwrap-shared", "landlock", "none"]
NOBODY = 65534
# CLONE_NEWIPC and CLONE_NEWPID; CLONE_NEWUSER.
_NAMESPACES, _USER_NAMESPACE = 0x08000000 | 0x20000000, 0x10000000

INSIDE = Path(__file__).parent / "inside"
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib")

TITLES: dict[TierName, str] = {
    "bwrap": "tier 1: bubblewrap, own namespaces, Landlock and seccomp",
    "bwrap-shared": "tier 2: bubblewrap, Landlock and seccomp",
    "landlock": "tier 3: Landlock and seccomp",
    "none": "NO SANDBOX: submissions run as you, with all your rights",
}


@dataclass(frozen=True)
class Tier:
    """One kind of jail."""

    name: TierName

    @property
    def title(self) -> str:
        """The tier's name in output."""
        return TITLES[self.name]

    @property
    def in_bubblewrap(self) -> bool:
        """True if bubblewrap makes the file system that children see."""
        return self.name in ("bwrap", "bwrap-shared")

    def command(self, control: int, home: int) -> list[str]:
        """Return the command that starts the zygote with descriptor ``control`` as its control channel.

        ``home`` is an open descriptor of the folder above ``inside``. Without bubblewrap the code is imported
        through it, so that a submission does not learn where the grader is installed.
        """
        place = "/kit" if self.in_bubblewrap else f"/proc/self/fd/{home}"
        if self.name == "none":
            place = str(INSIDE.parent)
        start = (
            f"import sys, os; sys.path.insert(0, {place!r}); from inside.zygote import main; "
            f"del sys.path[0], sys.path_importer_cache[{place!r}]; "
        )
        start += f"main({control})" if self.in_bubblewrap else f"os.close({home}); main({control})"
        # In a virtual environment, Python is a link to this one.
        base = Path(getattr(sys, "_base_executable", "") or sys.executable).resolve()
        python = [str(base), "-s", "-S", "-P", "-B", "-X", "utf8", "-c", start]
        return [*self._bubblewrap(), *python] if self.in_bubblewrap else python

    @staticmethod
    def _bubblewrap() -> list[str]:
        command = [shutil.which("bwrap") or "bwrap"]
        for folder in zygote_folders():
            command += ["--ro-bind", folder, folder]
        for name in ("/lib", "/lib64", "/bin"):
            if Path(name).is_symlink():
                command += ["--symlink", str(Path(name).readlink()), name]
        command += ["--ro-bind", str(INSIDE), "/kit/inside"]
        command += ["--dir", "/dev", "--dev-bind", "/dev/null", "/dev/null"]
        command += [f"--unshare-{kind}" for kind in ("pid", "ipc", "uts", "net", "cgroup-try")]
        command += ["--hostname", "jail", *([] if os.geteuid() == 0 else ["--unshare-user"])]
        return [*command, "--die-with-parent", "--new-session", "--remount-ro", "/"]

    def settings(self, limits: Limits) -> dict[str, Any]:
        """Return the zygote's settings for its children (sizes in bytes and characters, CPU in seconds)."""
        root = os.geteuid() == 0
        namespaces = _NAMESPACES if root else _NAMESPACES | _USER_NAMESPACE
        return {
            "jailed": self.name != "none",
            "watched": True,
            "namespaces": namespaces if self.name == "bwrap" else 0,
            "uid": NOBODY if root else None,
            "limits": [limits.memory_mib << 20, int(limits.submission_cpu_seconds) + 2, limits.open_files],
            "printed_characters": limits.output_kib << 10,
        }


def environment() -> dict[str, str]:
    """Return all environment variables of the untrusted side.

    The hash seed is fixed so that a second run gives the same results. HOME and USER are set so that Python
    does not look them up in ``/etc/passwd``.
    """
    place = {"PATH": "/usr/bin", "HOME": "/", "LANG": "C.UTF-8", "TZ": "UTC"}
    return {**place, "USER": "student", "PYTHONHASHSEED": "0", "MPLBACKEND": "Agg"}


def zygote_folders() -> list[str]:
    """Return the folders that a zygote reads in bubblewrap: Python's prefix, system libraries, time zones."""
    folders = [sys.base_prefix]
    for name in (*_LIBRARIES, "/usr/share/zoneinfo"):
        path = Path(name)
        if path.is_dir() and not path.is_symlink() and not path.is_relative_to(sys.base_prefix):
            folders.append(name)
    return folders
