"""A headless Chromium for tests: one call of it, or a page to type into, spoken to over a pipe."""

import contextlib
import json
import os
import subprocess
import sys
import time

SCHEMES = {"dark": 0, "light": 1}
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
_AS_3_AND_4 = """
import os, sys
reading, writing = (os.dup(int(word)) for word in sys.argv[1:3])
os.dup2(reading, 3)
os.dup2(writing, 4)
os.set_inheritable(3, True)
os.set_inheritable(4, True)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""A program that becomes the browser, which reads requests from descriptor 3 and writes answers to 4."""


def run(browser, folder, scheme, *options):
    """Run the browser with a new profile; return its output."""
    command = [browser, *FLAGS, f"--user-data-dir={folder / 'profile'}"]
    command += [f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", *options]
    done = subprocess.run(command, capture_output=True, timeout=90, check=True)
    return done.stdout.decode()


class Page:
    """One page in the browser."""

    def __init__(self, requests, answers):
        self._requests, self._answers, self._last, self._session = requests, answers, 0, None
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def open(self, address):
        """Open an address."""
        self._call("Page.navigate", url=address)

    def value(self, script):
        """What a JavaScript expression gives."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, script):
        """Wait until an expression is true."""
        until = time.monotonic() + 120
        while not self.value(script):
            assert time.monotonic() < until, script
            time.sleep(0.1)

    def type(self, selector, text):
        """Type a text into a field in place of what is there, and leave the field."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{found}.focus(), {found}.select()")
        self._call("Input.insertText", text=text)
        self.value(f"{found}.blur()")

    def _call(self, method, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._requests.write(json.dumps(message).encode() + b"\0")
        self._requests.flush()
        while True:
            answer = json.loads(self._message())
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]

    def _message(self):
        data = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "the browser has ended"
            data += byte
        return bytes(data)


@contextlib.contextmanager
def opened(chromium, profile):
    """Start the browser; gives an empty page."""
    to_read, requests = os.pipe()
    answers, to_write = os.pipe()
    words = [chromium, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        [sys.executable, "-c", _AS_3_AND_4, str(to_read), str(to_write), *words],
        pass_fds=(to_read, to_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read)
    os.close(to_write)
    with os.fdopen(requests, "wb") as writing, os.fdopen(answers, "rb") as reading:
        try:
            yield Page(writing, reading)
        finally:
            process.kill()
            process.wait()
