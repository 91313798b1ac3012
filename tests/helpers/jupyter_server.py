"""Start a real Jupyter server on a native nbgrader course, and send requests to its formgrader."""

import contextlib
import http.cookiejar
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from helpers import nbgrader_class


class Site:
    """A running Jupyter server in the course's folder."""

    def __init__(self, folder, port):
        self.folder, self.address = folder, f"http://127.0.0.1:{port}"
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies)
        self.jar = cookies.cookiejar

    def get(self, path):
        """Return status and text of a page."""
        try:
            with self.opener.open(self.address + path, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def api(self, path):
        """Return JSON of formgrader's interface."""
        return json.loads(self.get(f"/formgrader/api/{path}")[1])

    def put(self, path, data):
        """Save JSON as formgrader's pages do."""
        token = next(cookie.value for cookie in self.jar if cookie.name == "_xsrf")
        headers = {"Content-Type": "application/json", "X-XSRFToken": token}
        request = urllib.request.Request(  # noqa: S310 - our own server
            f"{self.address}/formgrader/api/{path}", json.dumps(data).encode(), headers, method="PUT"
        )
        with self.opener.open(request, timeout=60) as answer:
            return json.loads(answer.read())


@contextlib.contextmanager
def server_on(course):
    """Run a server on a native course's folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--no-browser", "--allow-root", "--IdentityProvider.token=", "--ServerApp.password="]
    with (course.parent / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyter", "lab", f"--port={port}", "--ServerApp.ip=127.0.0.1", *words],
            cwd=course,
            env=nbgrader_class.environment(course.parent),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        found = Site(course, port)
        for _ in range(300):
            try:
                if found.get("/formgrader/manage_assignments")[0] == 200:
                    break
            except urllib.error.URLError:
                time.sleep(0.2)
        yield found
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
