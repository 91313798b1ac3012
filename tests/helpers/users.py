"""Run a script of these tests as root and as an ordinary user.

Tests that an ordinary user starts run as that user alone. For root, the other user is a numeric id without an
account; the grader, the course and the packages that grading imports are copied to a readable folder for it.
"""

import atexit
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from helpers.paths import ROOT, unmeasured

USERS = ("root", "user") if os.geteuid() == 0 else ("user",)
ANYONE = 64_111

_NEEDED = ("filelock", "msgspec", "pytest", "pytest-json-report")
_COPIED = ("grader", "tests", "solutions", "exercises", "course.toml")


def run_as(user: str, script: str, *arguments: str, environment: dict[str, str] | None = None) -> str:
    """Run a script of this folder as a user; return its output. It must exit with 0."""
    given = {**unmeasured(), **(environment or {})}
    command = [sys.executable]
    home = ROOT
    given["PYTHONPATH"] = f"{home}/tests"
    if user == "user" and os.geteuid() == 0:
        home = everyones_folder()
        given["PYTHONPATH"] = f"{home}:{home}/tests:{home}/packages"
        who = ["--reuid", str(ANYONE), "--regid", str(ANYONE), "--clear-groups"]
        command = ["setpriv", *who, everyones_python()]
    command += ["-B", str(home / "tests/helpers" / script), *arguments]
    done = subprocess.run(
        command, env=given, cwd="/", capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def everyone_may_enter(folder: Path) -> bool:
    """Return True if any user may enter this folder by its path."""
    places = [folder.resolve(), *folder.resolve().parents]
    return all(place.stat().st_mode & stat.S_IXOTH for place in places)


def everyones_python() -> str:
    """Return a Python of this version that every user may run; skip the test if there is none."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if everyone_may_enter(Path(sys.base_prefix)):
        return f"{sys.base_prefix}/bin/{version}"
    found = next(
        (f"{place}/{version}" for place in ("/usr/bin", "/usr/local/bin") if Path(place, version).exists()),
        "",
    )
    if not found:
        pytest.skip(f"there is no {version} here that an ordinary user may run (apt-get install {version})")
    return found


@cache
def everyones_folder() -> Path:
    """Copy what an ordinary user needs into a readable folder, once; it is removed at exit."""
    folder = Path(tempfile.mkdtemp(prefix="kit-everyone-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in _COPIED:
        place = ROOT / name
        copy = shutil.copytree if place.is_dir() else shutil.copyfile
        copy(place, folder / name)
    for package in _with_dependencies(_NEEDED):
        for file in metadata.files(package) or ():
            if ".." not in file.parts and file.suffix != ".pyc":
                copy = folder / "packages" / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), copy)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def _with_dependencies(names: tuple[str, ...]) -> set[str]:
    """Return distributions and their dependencies."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for line in metadata.requires(name) or ():
            needed, _, marker = line.partition(";")
            if not marker:
                waiting.append(re.split(r"[^\w.-]", needed)[0])
    return found
