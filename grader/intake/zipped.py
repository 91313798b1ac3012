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

from grader.intake.member import (
    MAX_MEMBERS,
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

_MAX_DIRECTORY = 16 << 20
_MAX_RATIO = 200  # text packs to a tenth, a bomb to a thousandth
_SMALL = 1 << 20  # bytes; up to here no ratio matters
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, UnicodeError)


class _Bounded(io.BufferedReader):
    """A file that hands out no more at once than a directory of reasonable size needs.

    zipfile reads the whole directory with one call before anything can be counted.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MAX_DIRECTORY:
            raise UnreadableError(f"holds more than {MAX_MEMBERS} files")
        return super().read(size)


def read_zip(stream: BinaryIO, name: str, stack: ExitStack) -> Tree:
    """Lay out a zip; its members are read from ``stream`` until ``stack`` closes.

    Raises:
        UnreadableError: It is empty, damaged, password-protected as a whole, or holds too much.
    """
    packed = _opened(stream, stack)
    members: list[Member] = []
    folders: list[tuple[str, ...]] = []
    refused: list[Refused] = []
    for entry in packed.infolist():
        written = _written_name(entry)
        try:
            parts = clean_parts(written)
        except UnreadableError as refusal:
            refused.append(Refused(shown(written) or "a member", str(refusal)))
            continue
        is_folder = written.endswith(("/", "\\"))
        folders += [parts[:depth] for depth in range(1, len(parts) + is_folder)]
        if not is_folder:
            members.append(_member(packed, entry, parts))
    return make_tree(name, members, folders, refused, archive=True)


def _opened(stream: BinaryIO, stack: ExitStack) -> zipfile.ZipFile:
    bounded = stack.enter_context(_Bounded(cast("io.RawIOBase", stream)))
    try:
        packed = stack.enter_context(zipfile.ZipFile(bounded))
    except (*_DAMAGED, NotImplementedError):
        empty = stream.seek(0, io.SEEK_END) == 0
        why = "is empty" if empty else "is a damaged zip; download or pack it again"
        raise UnreadableError(why) from None
    entries = packed.infolist()
    if not entries:
        raise UnreadableError("is a zip without any files")
    if len(entries) > MAX_MEMBERS:
        raise UnreadableError(f"holds {len(entries)} files, and the limit is {MAX_MEMBERS}")
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
