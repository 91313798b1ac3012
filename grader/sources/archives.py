"""Open what a PATH names, or an archive inside a hand-in, as a Tree; zips are read here, tars in ``tarred``.

An archive is recognised by its content, not by its name. Nothing is unpacked to disk.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from grader.base.text import printable
from grader.sources.folder import open_file, read_file, read_folder
from grader.sources.limits import Room
from grader.sources.names import split_ending
from grader.sources.tarred import read_tar
from grader.sources.tree import (
    Member,
    Refused,
    Tree,
    UnreadableError,
    clean_parts,
    make_tree,
    too_long,
    unreadable_member,
)

MAX_PACKED = 64 << 20  # bytes of an archive inside a hand-in, which is held in memory
HEAD = 512  # bytes at the start of a file that show its kind

_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".gz", ".7z", ".rar", ".tar.bz2", ".bz2", ".tar.xz", ".xz")
_SOURCE_FILES = (".py", ".ipynb")
_ADVICE = "which is not readable here; unpack it and hand over the folder or a zip"
_UNREADABLE = {
    b"Rar!": f"is a RAR archive, {_ADVICE}",
    b"7z\xbc\xaf": f"is a 7z archive, {_ADVICE}",
    b"BZh": f"is packed with bzip2, {_ADVICE}",
    b"\xfd7zXZ": f"is packed with xz, {_ADVICE}",
}

_MAX_DIRECTORY = 256  # bytes a file that there is room for
_ENTRY, _ENTRY_BYTES, _LENGTHS = b"PK\x01\x02", 46, 28  # an entry of the directory; where its lengths stand
_MAX_RATIO = 200  # text packs to a tenth, a bomb to a thousandth
_SMALL = 1 << 20  # bytes; up to here no ratio matters
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, UnicodeError)


def kind_of(head: bytes) -> str:
    """Return ``zip``, ``tar``, "" for no archive, or for one that cannot be read a sentence's end."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return "zip"
    if head.startswith(b"\x1f\x8b") or head[257:262] == b"ustar":
        return "tar"
    return next((why for magic, why in _UNREADABLE.items() if head.startswith(magic)), "")


def is_archive(name: str) -> bool:
    """Return whether a file is named like an archive, readable or not."""
    return name.lower().endswith(_ARCHIVES)


def is_handed_in(name: str) -> bool:
    """Return whether a file is named like something that students hand in: a source file or an archive."""
    return bool(split_ending(name)[1]) or is_archive(name)


def open_source(path: Path, stack: ExitStack) -> Tree:
    """Open what a path names as a tree; archives stay open until ``stack`` closes.

    Raises:
        UnreadableError: It cannot be read.
    """
    if path.is_dir():
        return read_folder(path)
    stream = stack.enter_context(os.fdopen(open_file(path), "rb"))
    kind = "" if path.suffix in _SOURCE_FILES else kind_of(stream.read(HEAD))
    if kind or is_archive(path.name):
        stream.seek(0)
        return _archive(stream, path.name, kind, stack)
    return open_files([path], path.name)


def open_files(paths: Sequence[Path], name: str) -> Tree:
    """Build a tree called ``name`` of files that the caller named, following links."""
    members = []
    for path in paths:
        size = path.stat().st_size if path.is_file() else 0
        members.append(Member((path.name,), size, partial(read_file, path)))
    return make_tree(name, members, ())


def open_nested(member: Member, stack: ExitStack, room: Room | None = None) -> Tree:
    """Open an archive that is a member of a hand-in; archives inside it are not opened.

    All archives of one hand-in share one ``room``.

    Raises:
        UnreadableError: It cannot be read.
    """
    room = room or Room.of_hand_in()
    if room.packed < member.size <= MAX_PACKED:
        raise UnreadableError("is one archive too many: the archives of a hand-in are too large together")
    data = member.read(min(MAX_PACKED, room.packed))
    room.packed -= len(data)
    return _archive(io.BytesIO(data), member.name, kind_of(data[:HEAD]), stack, room)


def _archive(stream: BinaryIO, name: str, kind: str, stack: ExitStack, room: Room | None = None) -> Tree:
    """Read an archive of this kind, or without a kind (when it is damaged) by its name."""
    if kind == "zip" or (not kind and name.lower().endswith(".zip")):
        return read_zip(stream, name, stack, room)
    if kind == "tar" or (not kind and name.lower().endswith((".tar", ".tgz", ".tar.gz"))):
        return read_tar(stream, name, room, nested=room is not None)
    raise UnreadableError(kind or "is damaged, or not an archive")


class _Bounded(io.BufferedReader):
    """A zip file that refuses to read a directory with more entries than there is ``room`` for.

    zipfile reads and parses the whole directory before its entries can be counted.
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
    """Count the entries of a zip's directory, up to one more than ``most``."""
    count = at = 0
    while count <= most and directory.startswith(_ENTRY, at) and at + _ENTRY_BYTES <= len(directory):
        count += 1
        at += _ENTRY_BYTES + sum(struct.unpack_from("<3H", directory, at + _LENGTHS))
    return count


def read_zip(stream: BinaryIO, name: str, stack: ExitStack, room: Room | None = None) -> Tree:
    """List a zip, taking its entries off ``room``; members are read from ``stream`` until ``stack`` closes.

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
            refused.append(Refused(printable(written) or "a member", str(refusal)))
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
        return unreadable_member(parts, "is a link or a special file; the file itself is needed")
    if too_long(parts):
        return unreadable_member(parts, "has a name that is too long for a file")
    if entry.flag_bits & _ENCRYPTED:
        return unreadable_member(parts, "is password-protected; pack it again without a password")
    # zipfile knows more methods, but theirs can ask for gigabytes of memory at the first byte.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return unreadable_member(parts, "is packed by an unusual method; pack it again as an ordinary zip")
    if entry.file_size > max(_SMALL, _MAX_RATIO * entry.compress_size):
        return unreadable_member(parts, f"unpacks to more than {_MAX_RATIO} times its size, like a zip bomb")
    return Member(parts, entry.file_size, partial(_read, packed, entry))


def _read(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    try:
        with packed.open(entry) as stream:
            return stream.read(limit)
    except (*_DAMAGED, NotImplementedError, RuntimeError):
        raise UnreadableError("is damaged inside its zip; pack it again") from None


def _written_name(entry: zipfile.ZipInfo) -> str:
    """Return the member's name; many tools write UTF-8 without setting the flag for it."""
    if not entry.flag_bits & _UTF8_NAME:
        try:
            return entry.orig_filename.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return entry.orig_filename
