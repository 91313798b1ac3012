"""Messages between the two sides of the jail: a four-byte length, then an object of ASCII JSON.

Both sides use this file; safety rests on :func:`receive` alone, which takes any bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

from .wire import WireError

MAX_FRAME = 1 << 18
"""Bytes of one message."""


def _refuse(name: str) -> NoReturn:
    raise WireError(f"{name} is not JSON")


_reader = json.JSONDecoder(parse_constant=_refuse)
_writer = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def dumps(message: Any) -> bytes:
    """A message as one frame: length and ASCII JSON.

    Raises:
        WireError: It is larger than a frame may be.
    """
    body = _writer.encode(message).encode("ascii")
    if len(body) > MAX_FRAME:
        raise WireError("more data than a frame may hold")
    return len(body).to_bytes(4, "big") + body


def loads(body: bytes) -> dict[str, Any]:
    """A frame's body -> the message, which is an object with text keys; its values are not yet checked.

    Raises:
        WireError: It is not such a message.
    """
    try:
        message = _reader.decode(body.decode("ascii"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise WireError(f"not JSON: {type(error).__name__}") from None
    if type(message) is not dict:
        raise WireError("a message is an object")
    return message


def receive(read: Callable[[int], bytes], limit: int = MAX_FRAME) -> dict[str, Any]:
    """Read one frame with ``read(n)``, which gives exactly ``n`` bytes or raises.

    Raises:
        WireError: The frame is too long or not a message.
    """
    length = int.from_bytes(read(4), "big")
    if length > limit:
        raise WireError("a frame that is too long")
    return loads(read(length))
