"""A PostgreSQL server of the tests' own: in a folder of its own, on a socket in it, as an ordinary user."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ORDINARY = 65534
"""The uid that the server runs as when the tests are root's, for which PostgreSQL refuses to start."""


def binaries():
    """The folder of the server's programs in Debian's packages; without them the test is skipped."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return (
        found[-1].parent if found else pytest.skip("there is no PostgreSQL here (apt-get install postgresql)")
    )


def started():
    """Start a server; a generator for a fixture that gives a database's address, for ``str.format``."""
    programs = binaries()
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    ordinary = {}
    if os.geteuid() == 0:
        os.chown(folder, ORDINARY, ORDINARY)
        ordinary = {"user": ORDINARY, "group": ORDINARY, "extra_groups": ()}

    def run(program, *words, **more):
        options = {"cwd": folder, "check": True, "timeout": 120, **ordinary, **more}
        # With pipes, pg_ctl would be waited for until the server that inherits them ends.
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([programs / program, *words], **options, **quiet)  # noqa: PLW1510 - it is in the options

    data = folder / "data"
    # A test's database need not survive a power cut.
    settings = f"-k {folder} -c listen_addresses='' -c fsync=off -c full_page_writes=off"
    try:
        run("initdb", "-D", data, "-U", "kit", "-A", "trust", "-E", "UTF8")
        run("pg_ctl", "-D", data, "-o", settings, "-l", folder / "log", "-w", "start")
        yield lambda name: _database(programs, folder, name)
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop", check=False)
        shutil.rmtree(folder)


def _database(programs, folder, name):
    """A new, empty database; its address for course.toml."""
    subprocess.run(
        [programs / "createdb", "-h", folder, "-U", "kit", name], check=True, capture_output=True, timeout=60
    )
    return f"postgresql+psycopg2://kit@/{name}?host={folder}"
