"""Read a tar, plain or with gzip, as a Tree: once from front to back, keeping in memory what may be graded.

The headers are read here, because ``tarfile`` follows long names by recursion, accepts negative sizes, and
takes minutes for some extended headers.
"""

from __future__ import annotations

import io
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from grader.base.text import printable
from grader.sources.limits import Room
from grader.sources.names import split_ending
from grader.sources.tree import (
    Member,
    Refused,
    Tree,
    UnreadableError,
    clean_parts,
    make_tree,
    size_text,
    too_long,
    unreadable_member,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MAX_FILE = 16 << 20
_MAX_EXTENDED = 1 << 20  # bytes of a long name or of extended attributes
_MAX_HEADERS = 6  # of one member; tools write at most five
_MAX_ATTRIBUTES = 100
_BLOCK = 512
_PIECE = 256 << 10
_PACKED_PIECE = 64 << 10
_FREE_PARTS = 100
_BYTES_A_PART = 4096  # tools that pack in parts put far more into each
# Files that platforms write about a class, kept besides source files and archives.
_BY_PLATFORMS = ("timestamp.txt", "submission_metadata.yml")
_MANIFEST = "_attempt_"
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz")
_LONG_NAME, _LONG_LINK = tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
_EXTENDED = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_WITHOUT_DATA = (
    tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE,
)  # fmt: skip
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_DAMAGED = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, UnicodeError, RecursionError)


@dataclass(frozen=True)
class _Entry:
    """One member's header; ``size`` bytes of data follow, and ``before`` bytes were headers."""

    name: str
    kind: bytes
    size: int
    before: int
    sparse: bool = False


def read_tar(stream: BinaryIO, name: str, room: Room | None = None, *, nested: bool = False) -> Tree:
    """List a tar, taking its entries off ``room``; of a ``nested`` one archives are not kept.

    Raises:
        UnreadableError: It is empty, damaged or holds too much.
    """
    room = room or Room()
    members: list[Member] = []
    folders: set[tuple[str, ...]] = set()
    refused: list[Refused] = []
    try:
        unpacked = _Blocks(stream, room.unpacked)
        for entry in _entries(unpacked):
            try:
                parts = clean_parts(entry.name)
            except UnreadableError as refusal:
                room.takes((), files=1 + len(entry.name) // _BLOCK)
                refused.append(Refused(printable(entry.name) or "a member", str(refusal)))
                unpacked.skip(entry.size)
                continue
            is_folder = entry.kind == tarfile.DIRTYPE
            below = (*parts, "") if is_folder else parts
            if room.takes_entry(below, folders, entry.before + entry.size) and not is_folder:
                members += _member(unpacked, entry, parts, room, nested=nested)
            else:
                unpacked.skip(entry.size)
    except _DAMAGED:
        raise UnreadableError("is a damaged tar; download or pack it again") from None
    if not members and not folders and not refused:
        raise UnreadableError("is a tar without any files")
    return make_tree(name, room.without_full(members), folders, refused, archive=True)


class _Blocks:
    """Reads the bytes of a tar forwards; each member is padded to whole blocks of 512 bytes."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        self._stream: BinaryIO = io.BufferedReader(_Gunzipped(stream), _PIECE) if packed else stream
        self._most = self._left = most

    def header(self) -> bytes:
        """Read the next block, or what is left of it."""
        return self._read(_BLOCK)

    def data(self, size: int) -> bytes:
        """Read so many bytes, and skip the padding."""
        data = self._read(size)
        padding = -size % _BLOCK
        if len(data) < size or len(self._read(padding)) < padding:
            raise EOFError
        return data

    def skip(self, size: int) -> None:
        """Skip so many bytes and the padding."""
        left = size + -size % _BLOCK
        while left > 0:
            read = len(self._read(min(left, _PIECE)))
            if not read:
                raise EOFError
            left -= read

    def _read(self, size: int) -> bytes:
        self._left -= size
        if self._left < 0:
            raise UnreadableError(f"unpacks to more than {size_text(self._most)}")
        return self._stream.read(size)


def _entries(blocks: _Blocks) -> Iterator[_Entry]:
    """Yield the members' headers in order; the caller reads or skips each one's data before the next."""
    first = True
    while (entry := _entry(blocks, first=first)) is not None:
        first = False
        yield entry


def _entry(blocks: _Blocks, *, first: bool) -> _Entry | None:
    """Read the next member's header with its long name and extended attributes; None at the end."""
    long_name, extended, before = "", dict[bytes, bytes](), 0
    for _ in range(_MAX_HEADERS):
        block = blocks.header()
        if not block.strip(b"\0"):
            if before or (first and not block):
                raise EOFError
            return None
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        before += _BLOCK
        if info.size < 0:
            raise ValueError
        if info.type not in (_LONG_NAME, _LONG_LINK, tarfile.XGLTYPE, *_EXTENDED):
            if info.type == tarfile.GNUTYPE_SPARSE:
                before += _pieces(blocks, block)
            return _whole(info, long_name, extended, before)
        if info.size > _MAX_EXTENDED:
            raise ValueError
        data = blocks.data(info.size)
        before += len(data)
        if info.type == _LONG_NAME:
            long_name = data.partition(b"\0")[0].decode("utf-8", "surrogateescape")
        elif info.type in _EXTENDED and not extended:
            extended = _attributes(data)
    raise ValueError


def _pieces(blocks: _Blocks, block: bytes) -> int:
    """Skip the rest of a sparse file's map, and return its size in bytes."""
    more, size = block[482], 0
    while more:
        piece = blocks.header()
        size += _BLOCK
        more = len(piece) == _BLOCK and piece[504]
    return size


def _whole(info: tarfile.TarInfo, long_name: str, extended: dict[bytes, bytes], before: int) -> _Entry:
    """Join a member's header with the long name and the attributes before it."""
    name = extended.get(b"GNU.sparse.name") or extended.get(b"path")
    size = int(extended.get(b"size") or info.size)
    if size < 0:
        raise ValueError
    return _Entry(
        name.decode("utf-8", "surrogateescape") if name else long_name or info.name,
        info.type,
        0 if info.type in _WITHOUT_DATA else size,
        before,
        sparse=any(key.startswith(b"GNU.sparse.") for key in extended),
    )


def _attributes(data: bytes) -> dict[bytes, bytes]:
    """Parse the first extended attributes of a member: lines ``LENGTH KEY=VALUE``."""
    found: dict[bytes, bytes] = {}
    at = 0
    for _ in range(_MAX_ATTRIBUTES):
        if at >= len(data) or not data[at]:
            break
        space = data.index(b" ", at, at + 20)
        end = at + int(data[at:space])
        if not space < end <= len(data) or data[end - 1 : end] != b"\n":
            raise ValueError
        key, _, value = data[space + 1 : end - 1].partition(b"=")
        found[key] = value
        at = end
    return found


def _member(
    blocks: _Blocks, entry: _Entry, parts: tuple[str, ...], room: Room, *, nested: bool
) -> list[Member]:
    """Return the member with its data, read now; nothing if its folder has no room for them."""
    problem = ""
    if entry.kind not in _PLAIN or entry.sparse:
        problem = "is a link or a special file; the file itself is needed"
    elif too_long(parts):
        problem = "has a name that is too long for a file"
    elif _can_matter(parts[-1], nested=nested):
        if entry.size <= _MAX_FILE:
            fits = room.takes(parts, kept=entry.size)
            data = blocks.data(entry.size)
            return [Member(parts, len(data), partial(_first, data))] if fits else []
        problem = f"is {size_text(entry.size)}, and the limit is {size_text(_MAX_FILE)}"
    blocks.skip(entry.size)
    return [unreadable_member(parts, problem) if problem else Member(parts, entry.size, _not_kept)]


def _can_matter(name: str, *, nested: bool) -> bool:
    """Return whether a file of that name may be graded, or read for a platform."""
    if split_ending(name)[1]:
        return True
    manifest = name in _BY_PLATFORMS or (_MANIFEST in name and name.endswith(".txt"))
    return not nested and (manifest or name.lower().endswith(_ARCHIVES))


def _first(data: bytes, limit: int) -> bytes:
    return data[:limit]


def _not_kept(_: int) -> bytes:
    raise UnreadableError("is not a file of this exercise")


class _Gunzipped(io.RawIOBase):
    """Unpacks a gzip file as one stream; refuses many parts with little content."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._inflate = zlib.decompressobj(wbits=31)
        self._parts = 1
        self._unpacked = 0

    def readable(self) -> bool:
        """Return True."""
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
        """Return the next packed bytes, with a new unpacker behind the end of a part; b"" at the end."""
        if not self._inflate.eof:
            if packed := self._packed.read(_PACKED_PIECE):
                return packed
            raise EOFError
        packed = self._inflate.unused_data.lstrip(b"\0")
        while not packed:
            read = self._packed.read(_PACKED_PIECE)
            if not read:
                return b""
            packed = read.lstrip(b"\0")  # zeros may pad the file
        self._parts += 1
        if self._parts > _FREE_PARTS + self._unpacked // _BYTES_A_PART:
            raise UnreadableError("is packed in too many parts; pack it again")
        self._inflate = zlib.decompressobj(wbits=31)
        return packed
