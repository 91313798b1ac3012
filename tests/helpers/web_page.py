"""The page for the browser: what npm installs and builds, once, and a static server for it."""

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from filelock import FileLock

from helpers.paths import ROOT

MODULES = ROOT / "web" / "node_modules"


def installed():
    """The packages of ``web/``, installed by npm, and what is built from them; without npm a skip."""
    make, npm = shutil.which("make"), shutil.which("npm")
    if not make or not npm:
        pytest.skip("there is no npm or no make here (apt-get install npm make)")
    fresh = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    with FileLock(f"{sys.prefix}/web.lock"):
        command = [make, "--silent", "web/dist/index.html"]
        done = subprocess.run(
            command, cwd=ROOT, env=fresh, capture_output=True, text=True, check=False, timeout=600
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return MODULES


@contextlib.contextmanager
def served(folder):
    """Serve a folder on loopback; gives its address and the paths that were asked for."""
    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def log_request(self, code="-", size="-"):
            del code, size
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
