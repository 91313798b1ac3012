"""Makes the kernel see that a submission reaches for a file: what Landlock refuses, seccomp does not show.

Python itself tells of every file that it is about to open. When that is one outside of Python's own folders,
the hook makes a call that seccomp refuses and shows to the trusted side. Code that opens files past Python
is stopped all the same, but not seen.
"""

from __future__ import annotations

import os
import sys
from typing import Any

_EVENTS = frozenset({"open", "os.listdir", "os.scandir"})


def tell_of_files(expected: tuple[str, ...]) -> None:
    """From now on, tell once of a file or folder that is asked for and not below ``expected`` folders."""
    refused = os.open
    told = False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal told
        if told or event not in _EVENTS:
            return
        path = arguments[0] if arguments else None
        if type(path) is bytes:
            path = os.fsdecode(path)
        if type(path) is int or (type(path) is str and f"{path}/".startswith(expected)):
            return
        told = True
        try:
            refused("/", os.O_WRONLY)
        except OSError:
            return

    sys.addaudithook(hook)
