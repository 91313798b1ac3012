"""Start a PostgreSQL server for the tests: in a temporary folder, on a socket there, as an ordinary user."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ORDINARY = 65534
"""The server's uid when the tests run as root, since PostgreSQL refuses root."""


def binaries():
    """The folder of the server's programs in Debian's packages; without them the test is skipped."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return (
        found[-1].parent if found else pytest.skip("there is no PostgreSQL here (apt-get install postgresql)")
    )


def started():
    """Start a server and stop it at the end; yield a function from a name to a new database's address."""
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
    """Create an empty database; return its address for course.toml."""
    subprocess.run(
        [programs / "createdb", "-h", folder, "-U", "kit", name], check=True, capture_output=True, timeout=60
    )
    return f"postgresql+psycopg2://kit@/{name}?host={folder}"
