"""The bytes in a gzip file, forwards only, and no more work than its bytes are worth."""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, BinaryIO

from grader.sources.tree import UnreadableError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_PIECE = 64 << 10
_FREE_PARTS = 100
_BYTES_A_PART = 4096  # a tool that packs in parts puts far more into each


class Gunzipped(io.RawIOBase):
    """What a gzip file unpacks to; its parts are read as one, and must not be many for what they hold."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._inflate = zlib.decompressobj(wbits=31)
        self._parts = 1
        self._unpacked = 0

    def readable(self) -> bool:
        """It can be read, and nothing else."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Unpack as much as fits; 0 at the end.

        Raises:
            EOFError: The file is cut off.
            UnreadableError: It has too many parts.
        """
        room = memoryview(buffer).cast("B")
        packed = self._inflate.unconsumed_tail  # where it is empty, there may still be bytes to come
        while not (piece := self._inflate.decompress(packed, len(room))):
            packed = self._next_packed()
            if not packed:
                return 0
        room[: len(piece)] = piece
        self._unpacked += len(piece)
        return len(piece)

    def _next_packed(self) -> bytes:
        """The next bytes for the unpacker, a new one where a part ended; none at the end of the file."""
        if not self._inflate.eof:
            if packed := self._packed.read(_PIECE):
                return packed
            raise EOFError
        packed = self._inflate.unused_data.lstrip(b"\0")
        while not packed:
            read = self._packed.read(_PIECE)
            if not read:
                return b""
            packed = read.lstrip(b"\0")  # zeros may pad the file
        self._parts += 1
        if self._parts > _FREE_PARTS + self._unpacked // _BYTES_A_PART:
            raise UnreadableError("is packed in too many parts; pack it again")
        self._inflate = zlib.decompressobj(wbits=31)
        return packed
