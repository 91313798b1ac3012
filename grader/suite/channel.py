"""Send and receive JSON messages between the grader's own processes, which trust each other."""

from __future__ import annotations

import json
import socket
from typing import Any

# Bytes. Reports are larger than what a submission may send, and both ends are trusted.
_LARGEST = 1 << 28


def send(channel: socket.socket, message: Any) -> None:
    """Send a message that JSON can hold."""
    send_body(channel, json.dumps(message).encode())


def send_body(channel: socket.socket, body: bytes) -> None:
    """Send a message that is JSON already."""
    channel.sendall(len(body).to_bytes(4, "big") + body)


def receive(channel: socket.socket, *, seconds: float | None = None) -> Any:
    """Return the next message, or None when the other side has closed the channel.

    Raises:
        TimeoutError: Nothing arrived for so many seconds.
    """
    channel.settimeout(seconds)
    head = _exactly(channel, 4)
    body = _exactly(channel, min(int.from_bytes(head, "big"), _LARGEST)) if head else b""
    return json.loads(body) if body else None


def _exactly(channel: socket.socket, count: int) -> bytes:
    """Read exactly ``count`` bytes; return none if the other side closed before they were complete."""
    data = bytearray()
    while len(data) < count:
        part = channel.recv(min(count - len(data), 1 << 20))
        if not part:
            return b""
        data += part
    return bytes(data)
