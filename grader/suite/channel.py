"""Send and receive JSON messages between the grader's own processes, which trust each other."""

import json
import socket
from typing import Any

import msgspec

# Bytes. Reports are larger than what a submission may send, and both ends are trusted.
_LARGEST = 1 << 28


def encode(message: Any) -> bytes:
    """Return a message in JSON; bytes in it are written in base64."""
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can escape
        return json.dumps(msgspec.to_builtins(message)).encode()


def decode(body: bytes, kind: Any = Any) -> Any:
    """Return the message that :func:`encode` wrote, as this type."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError:  # half a surrogate pair
        return msgspec.convert(json.loads(body), kind)


def send(channel: socket.socket, message: Any) -> None:
    """Send a message; bytes are one that is encoded already."""
    body = message if type(message) is bytes else encode(message)
    channel.sendall(len(body).to_bytes(4, "big") + body)


def receive(channel: socket.socket, kind: Any = Any, *, seconds: float | None = None) -> Any:
    """Return the next message, as this type, or None when the other side has closed the channel.

    Raises TimeoutError if nothing arrived for so many seconds.
    """
    channel.settimeout(seconds)
    head = _exactly(channel, 4)
    body = _exactly(channel, min(int.from_bytes(head, "big"), _LARGEST)) if head else b""
    return decode(body, kind) if body else None


def _exactly(channel: socket.socket, count: int) -> bytes:
    """Read exactly ``count`` bytes; return none if the other side closed before they were complete."""
    data = bytearray()
    while len(data) < count:
        part = channel.recv(min(count - len(data), 1 << 20))
        if not part:
            return b""
        data += part
    return bytes(data)
