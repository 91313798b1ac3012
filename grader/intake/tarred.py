"""A tar, plain or with gzip, as a source: read once from front to back, what can matter kept in memory."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, cast

from grader.intake.member import (
    MAX_MEMBERS,
    Member,
    Refused,
    Tree,
    UnreadableError,
    amount,
    clean_parts,
    make_tree,
    shown,
    too_long,
    unreadable,
)

_MAX_UNPACKED = 1 << 30  # bytes passed over or read
_MAX_KEPT = 256 << 20  # bytes that stay in memory
_MAX_FILE = 16 << 20
_MAX_PIECE = _MAX_FILE + 1
_CAN_MATTER = (".py", ".txt", ".ipynb", ".yml", ".zip", ".tar", ".gz", ".tgz")
_DAMAGED = (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, UnicodeError)


class _Bounded(io.BufferedReader):
    """A file that ends a bomb: too much in one piece (a forged header), or too much in all."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= _MAX_PIECE:
            raise UnreadableError("is a damaged tar; pack it again")
        return super().read(size)

    def seek(self, target: int, whence: int = 0, /) -> int:
        if target > _MAX_UNPACKED:
            raise UnreadableError(f"unpacks to more than {amount(_MAX_UNPACKED)}")
        return super().seek(target, whence)


def read_tar(stream: BinaryIO, name: str) -> Tree:
    """Lay out a tar.

    Raises:
        UnreadableError: It is empty, damaged or holds too much.
    """
    members: list[Member] = []
    folders: list[tuple[str, ...]] = []
    refused: list[Refused] = []
    kept = 0
    try:
        with _bounded(stream) as bounded, tarfile.open(fileobj=bounded, mode="r:") as tar:
            for entry in _entries(tar):
                try:
                    parts = clean_parts(entry.name)
                except UnreadableError as refusal:
                    refused.append(Refused(shown(entry.name) or "a member", str(refusal)))
                    continue
                folders += [parts[:depth] for depth in range(1, len(parts) + entry.isdir())]
                if entry.isdir():
                    continue
                members.append(_member(tar, entry, parts))
                kept += members[-1].size if members[-1].source is not _not_kept else 0
                if kept > _MAX_KEPT:
                    raise UnreadableError(f"unpacks to more than {amount(_MAX_KEPT)}")
    except _DAMAGED:
        raise UnreadableError("is a damaged tar; download or pack it again") from None
    if not members and not folders and not refused:
        raise UnreadableError("is a tar without any files")
    return make_tree(name, members, folders, refused, archive=True)


def _bounded(stream: BinaryIO) -> _Bounded:
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    plain = gzip.GzipFile(fileobj=stream, mode="rb") if packed else stream
    return _Bounded(cast("io.RawIOBase", plain))


def _entries(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for count, entry in enumerate(tar):
        if count >= MAX_MEMBERS:
            raise UnreadableError(f"holds more than {MAX_MEMBERS} files")
        yield entry


def _not_kept(_: int) -> bytes:
    raise UnreadableError("is not a file of this exercise")


def _member(tar: tarfile.TarFile, entry: tarfile.TarInfo, parts: tuple[str, ...]) -> Member:
    """The member with its bytes, read now: a packed tar cannot be read out of order at a bearable cost."""
    if not entry.isreg() or entry.issparse():
        return unreadable(parts, "is a link or a special file; the file itself is needed")
    if too_long(parts):
        return unreadable(parts, "has a name that is too long for a file")
    if not parts[-1].lower().endswith(_CAN_MATTER):
        return Member(parts, entry.size, _not_kept)
    if entry.size > _MAX_FILE:
        return unreadable(parts, f"is {amount(entry.size)}, and the limit is {amount(_MAX_FILE)}")
    stream = tar.extractfile(entry)
    data = stream.read(_MAX_FILE) if stream else b""
    return Member(parts, len(data), lambda limit: data[:limit])
