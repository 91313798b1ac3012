"""Make the README's picture: the page of one student of the sample class, drawn by a headless Chromium.

Run ``python docs/make_pictures.py`` in the repository after a change of the page; it writes feedback.png and,
in pictures.txt, the digest of the page, by which a test knows whether the picture is current.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
SAMPLE = DOCS.parent / "tests" / "sample"
STUDENT = "varga"
WIDTH, HEIGHT = 860, 1140
"""Pixels; the height ends below the table of points."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def graded_page(folder: Path) -> Path:
    """Grade that one student below ``folder``, and return the path of the page."""
    shutil.copytree(SAMPLE / "class" / STUDENT, folder / "class" / STUDENT)
    command = [sys.executable, "-m", "grader", "grade", str(folder / "class"), "--no-gradebook", "--quiet"]
    settings = ["--course", str(SAMPLE / "course.toml"), "--roster", str(SAMPLE / "roster.csv")]
    subprocess.run([*command, *settings, "--out", str(folder / "graded")], check=True)
    return folder / "graded" / "students" / STUDENT / "feedback.html"


def main() -> None:
    """Write feedback.png and pictures.txt."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("There is no Chromium here; install it (apt-get install chromium).")
    with tempfile.TemporaryDirectory() as name:
        page = graded_page(Path(name))
        window = [f"--user-data-dir={name}/profile", f"--window-size={WIDTH},{HEIGHT}"]
        picture = f"--screenshot={DOCS / 'feedback.png'}"
        subprocess.run([browser, *FLAGS, *window, picture, page.as_uri()], check=True, capture_output=True)
        digest = hashlib.sha256(page.read_bytes()).hexdigest()
    (DOCS / "pictures.txt").write_text(f"feedback.png shows the page with the SHA-256 {digest}\n")


if __name__ == "__main__":
    main()
