"""A zip as a source: judged by its directory, read member by member, never unpacked to disk."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from contextlib import ExitStack
from functools import partial
from typing import BinaryIO, cast

from grader.sources.limits import Room
from grader.sources.tree import (
    Member,
    Refused,
    Tree,
    UnreadableError,
    clean_parts,
    make_tree,
    shown,
    too_long,
    unreadable,
)

_MAX_DIRECTORY = 256  # bytes a file that there is room for
_ENTRY, _ENTRY_BYTES, _LENGTHS = b"PK\x01\x02", 46, 28  # an entry of the directory; where its lengths stand
_MAX_RATIO = 200  # text packs to a tenth, a bomb to a thousandth
_SMALL = 1 << 20  # bytes; up to here no ratio matters
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, UnicodeError)


class _Bounded(io.BufferedReader):
    """A file that hands out no directory of more entries than there is ``room`` for.

    zipfile reads the whole directory with one call, and takes it apart, before anything can be counted.
    """

    def __init__(self, stream: BinaryIO, room: Room) -> None:
        super().__init__(cast("io.RawIOBase", stream))
        self._most = room.listed
        self._too_many = f"holds more than {room.files} files and folders"
        self.laid_out = False

    def read(self, size: int | None = -1, /) -> bytes:
        if self.laid_out:
            return super().read(size)
        if size is not None and size > max(_SMALL, _MAX_DIRECTORY * self._most):
            raise UnreadableError(self._too_many)
        data = super().read(size)
        if _entries_in(data, self._most) > self._most:
            raise UnreadableError(self._too_many)
        return data


def _entries_in(directory: bytes, most: int) -> int:
    """How many entries follow each other, up to one more than ``most``; their mark in a name is none."""
    count = at = 0
    while count <= most and directory.startswith(_ENTRY, at) and at + _ENTRY_BYTES <= len(directory):
        count += 1
        at += _ENTRY_BYTES + sum(struct.unpack_from("<3H", directory, at + _LENGTHS))
    return count


def read_zip(stream: BinaryIO, name: str, stack: ExitStack, room: Room | None = None) -> Tree:
    """Lay out a zip; its members are read from ``stream`` until ``stack`` closes.

    What it holds is taken off ``room``.

    Raises:
        UnreadableError: It is empty, damaged, password-protected as a whole, or holds too much.
    """
    room = room or Room()
    packed = _opened(stream, stack, room)
    members: list[Member] = []
    folders: set[tuple[str, ...]] = set()
    refused: list[Refused] = []
    for entry in packed.infolist():
        written = _written_name(entry)
        try:
            parts = clean_parts(written)
        except UnreadableError as refusal:
            refused.append(Refused(shown(written) or "a member", str(refusal)))
            continue
        is_folder = written.endswith(("/", "\\"))
        if room.takes_entry((*parts, "") if is_folder else parts, folders) and not is_folder:
            members.append(_member(packed, entry, parts))
    return make_tree(name, room.without_full(members), folders, refused, archive=True)


def _opened(stream: BinaryIO, stack: ExitStack, room: Room) -> zipfile.ZipFile:
    bounded = stack.enter_context(_Bounded(stream, room))
    try:
        packed = stack.enter_context(zipfile.ZipFile(bounded))
    except (*_DAMAGED, NotImplementedError):
        empty = stream.seek(0, io.SEEK_END) == 0
        why = "is empty" if empty else "is a damaged zip; download or pack it again"
        raise UnreadableError(why) from None
    bounded.laid_out = True
    entries = packed.infolist()
    if not entries:
        raise UnreadableError("is a zip without any files")
    files = [entry for entry in entries if not entry.filename.endswith("/")]
    if files and all(entry.flag_bits & _ENCRYPTED for entry in files):
        raise UnreadableError("is password-protected; pack it again without a password")
    return packed


def _member(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, parts: tuple[str, ...]) -> Member:
    mode = entry.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return unreadable(parts, "is a link or a special file; the file itself is needed")
    if too_long(parts):
        return unreadable(parts, "has a name that is too long for a file")
    if entry.flag_bits & _ENCRYPTED:
        return unreadable(parts, "is password-protected; pack it again without a password")
    # zipfile knows more methods, but theirs can ask for gigabytes of memory at the first byte.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return unreadable(parts, "is packed by an unusual method; pack it again as an ordinary zip")
    if entry.file_size > max(_SMALL, _MAX_RATIO * entry.compress_size):
        return unreadable(parts, f"unpacks to more than {_MAX_RATIO} times its size, like a zip bomb")
    return Member(parts, entry.file_size, partial(_read, packed, entry))


def _read(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    try:
        with packed.open(entry) as stream:
            return stream.read(limit)
    except (*_DAMAGED, NotImplementedError, RuntimeError):
        raise UnreadableError("is damaged inside its zip; pack it again") from None


def _written_name(entry: zipfile.ZipInfo) -> str:
    """The member's name as it was meant: many tools write UTF-8 without saying so."""
    if not entry.flag_bits & _UTF8_NAME:
        try:
            return entry.orig_filename.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return entry.orig_filename
