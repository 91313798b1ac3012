"""Read and write messages on the child's channel: a four-byte length, then a JSON object in ASCII.

Runs on both sides of the jail. The trusted side relies on :func:`next_body` and :func:`loads` alone,
which accept any bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

from .wire import WireError

MAX_FRAME = 1 << 18
"""Largest size of one message, in bytes."""
CELL = ".cell"
"""Ending of the names under which the cells of a notebook are sent among the files."""


def _refuse(name: str) -> NoReturn:
    raise WireError(f"{name} is not JSON")


_reader = json.JSONDecoder(parse_constant=_refuse)
_writer = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def dumps(message: Any) -> bytes:
    """Write a message as one frame.

    Raises:
        WireError: The message is larger than a frame may be.
    """
    body = _writer.encode(message).encode("ascii")
    if len(body) > MAX_FRAME:
        raise WireError("a message that is larger than a frame may be")
    return len(body).to_bytes(4, "big") + body


def loads(body: bytes) -> dict[str, Any]:
    """Parse a frame's body into a dict with text keys; its values are not checked here.

    Raises:
        WireError: The body is not a JSON object in ASCII.
    """
    try:
        message = _reader.decode(body.decode("ascii"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise WireError(f"not JSON: {type(error).__name__}") from None
    if type(message) is not dict:
        raise WireError("a message is an object")
    return message


def next_body(received: bytearray, read_more: Callable[[], None]) -> bytes:
    """Take the body of the first frame out of ``received``; ``read_more`` appends bytes to it or raises.

    Raises:
        WireError: The frame is longer than a frame may be.
    """
    while len(received) < 4:
        read_more()
    end = 4 + int.from_bytes(received[:4], "big")
    if end > 4 + MAX_FRAME:
        raise WireError("a frame that is too long")
    while len(received) < end:
        read_more()
    body = bytes(received[4:end])
    del received[:end]
    return body
