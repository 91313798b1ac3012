"""Texts that students read, kept word for word in ``tests/golden/``.

After a wording is changed on purpose, write the files again and read what ``git diff tests/golden`` shows::

    REFRESH_GOLDEN=1 .venv/bin/pytest tests/unit/{bundle,feedback,grading,lms,suite}
    REFRESH_GOLDEN=1 .venv/bin/pytest tests/whole/test_cases.py
"""

import os

from helpers.paths import TESTS


def assert_golden(name: str, text: str) -> None:
    """The text is that of ``tests/golden/NAME``; with REFRESH_GOLDEN set, the file is written instead."""
    path = TESTS / "golden" / name
    if os.environ.get("REFRESH_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs; see tests/helpers/golden.py"


def assert_golden_line(name: str, key: str, text: str) -> None:
    """``KEY: TEXT`` is a line of ``tests/golden/NAME``; with REFRESH_GOLDEN set, it is written instead."""
    path = TESTS / "golden" / name
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if os.environ.get("REFRESH_GOLDEN"):
        kept = [line for line in lines if not line.startswith(f"{key}: ")]
        lines = [*kept, f"{key}: {text}"]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    assert f"{key}: {text}" in lines, f"{name} differs; see tests/helpers/golden.py"
