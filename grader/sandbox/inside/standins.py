"""Stand-ins that spare honest code: standard output, the current folder, asyncio's loop, help() and the like.

Runs in the child. Nothing here keeps a submission from anything: the kernel refuses what it must not do.
"""

import builtins
import io
import os
import sys
import types
from collections.abc import Callable
from typing import Any, cast

from .statements import FOLDER


class Printed(io.RawIOBase):
    """Keeps what is printed: the first ``limit`` characters of each request."""

    name = "<stdout>"
    mode = "w"

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.kept = bytearray()

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor of the real standard output, which is /dev/null."""
        return 1

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Keep as many bytes as there is room for; a character has four at most."""
        self.kept += data[: max(0, 4 * self.limit - len(self.kept))]
        return len(data)

    def take(self) -> str:
        """Return the kept text and begin anew."""
        text = self.kept.decode("utf-8", "replace")[: self.limit]
        self.kept = bytearray()
        return text


def _do_nothing(*_: object, **__: object) -> None:
    """Do nothing."""


def set_up(printed: Printed) -> None:
    """Put all stand-ins in place; what is printed goes to ``printed``."""
    stream: Any = io.TextIOWrapper(
        cast("io.BufferedIOBase", printed), "utf-8", "backslashreplace", "\n", write_through=True
    )
    sys.stdout = sys.stderr = stream
    vars(sys).update(__stdout__=stream, __stderr__=stream)
    # Python's site module, which is not imported here, defines these; help would wait for a key.
    vars(builtins).update(exit=sys.exit, quit=sys.exit)
    vars(builtins).update(dict.fromkeys(("help", "copyright", "credits", "license"), _do_nothing))
    sys.breakpointhook = _do_nothing
    chdir, here = os.chdir, FOLDER.rstrip("/")

    def stay(path: str) -> None:
        """Do nothing for the submission's own folder, in which it seems to stand; refuse any other."""
        if os.path.normpath(os.path.join(here, os.fsdecode(path))) != here:  # noqa: PTH118 - texts alone
            chdir(path)

    vars(os).update(chdir=stay, getcwd=here.__str__, getcwdb=here.encode)


def _without_self_pipe(module: types.ModuleType) -> None:
    """Let asyncio's loop do without the sockets by which a thread or a signal would wake it."""
    loop = module.BaseSelectorEventLoop
    loop._make_self_pipe = loop._close_self_pipe = lambda _self: None  # noqa: SLF001 - there is no other way


def _without_debugger(module: types.ModuleType) -> None:
    """Let ``pdb.set_trace()`` do nothing, as ``breakpoint()``."""
    vars(module).update(set_trace=sys.breakpointhook)


AFTER_IMPORT: dict[str, Callable[[types.ModuleType], None]] = {
    "asyncio.selector_events": _without_self_pipe,
    "pdb": _without_debugger,
}
"""What is done to a module of the library when it has been imported."""
