"""Syntax that only a newer Python knows, told from the line that an older one could not read."""

from __future__ import annotations

import re
import sys

# (the first version that has it, what the line looks like)
_SIGNS: tuple[tuple[tuple[int, int], re.Pattern[str]], ...] = (
    ((3, 12), re.compile(r"\s*type\s+\w+\s*(\[.*\])?\s*=")),
    ((3, 12), re.compile(r"\s*(async\s+)?(def|class)\s+\w+\s*\[")),
    # A name in small letters behind the comma is how Python 2 named the error: no later version reads that.
    ((3, 14), re.compile(r"\s*except\s*\*?\s+\w+(\.\w+)*\s*,\s*(\w+\.)*[A-Z]\w*\s*:")),
    ((3, 14), re.compile(r".*(?<!\w)([tT][rR]?|[rR][tT])(\"|')")),
    ((3, 15), re.compile(r"\s*lazy\s+(import|from)\s")),
)


def python_needed(line: str, running: tuple[int, int] = sys.version_info[:2]) -> str:
    """The version that first reads such a line, when it is newer than the running one; else an empty text."""
    for version, sign in _SIGNS:
        if version > running and sign.match(line):
            return f"{version[0]}.{version[1]}"
    return ""
