"""A headless Chromium for tests."""

from __future__ import annotations

import subprocess

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


def run(browser, folder, scheme, *options):
    """Run the browser with a new profile; return its output."""
    command = [browser, *FLAGS, f"--user-data-dir={folder / 'profile'}"]
    command += [f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", *options]
    done = subprocess.run(command, capture_output=True, timeout=90, check=True)
    return done.stdout.decode()
