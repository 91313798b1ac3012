"""Texts that students read, kept word for word in ``tests/golden/``.

After a wording is changed on purpose, write the files again and read what ``git diff tests/golden`` shows::

    REFRESH_GOLDEN=1 .venv/bin/pytest tests/unit/bundle tests/unit/grading tests/unit/feedback
"""

from __future__ import annotations

import os

from helpers.paths import TESTS


def assert_golden(name: str, text: str) -> None:
    """The text is that of ``tests/golden/NAME``; with REFRESH_GOLDEN set, the file is written instead."""
    path = TESTS / "golden" / name
    if os.environ.get("REFRESH_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs; see tests/helpers/golden.py"
