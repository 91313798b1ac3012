"""Open what a PATH names, or an archive inside a hand-in, as a Tree, in a process with limits.

Nothing is unpacked to disk: members of a zip are read when they are asked for, and a tar once from front to
back, keeping in memory what may be graded.
"""

import gzip
import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, Self, cast

from grader.sources.folder import open_file, read_file, read_folder
from grader.sources.names import split_ending
from grader.sources.tree import Listing, Member, Tree, UnreadableError, size_text

MAX_PACKED = 64 << 20  # bytes of an archive inside a hand-in, which is held in memory
HEAD = 512  # bytes at the start of a file that show its kind

_KINDS = {".zip": "zip", ".tar": "tar", ".tgz": "tar", ".tar.gz": "tar"}
_ARCHIVES = (*_KINDS, ".gz", ".7z", ".rar", ".bz2", ".xz")
_SOURCE_FILES = (".py", ".ipynb")
_ADVICE = "which is not readable here; unpack it and hand over the folder or a zip"
_UNREADABLE = {
    b"Rar!": f"is a RAR archive, {_ADVICE}",
    b"7z\xbc\xaf": f"is a 7z archive, {_ADVICE}",
    b"BZh": f"is packed with bzip2, {_ADVICE}",
    b"\xfd7zXZ": f"is packed with xz, {_ADVICE}",
}
_PASSWORD = "is password-protected; pack it again without a password"  # noqa: S105 - it is none
_SPECIAL = "is a link or a special file; the file itself is needed"

_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_MAX_FILE = 16 << 20  # bytes of a tar's member
GRADESCOPE_METADATA = "submission_metadata.yml"
NBGRADER_TIMESTAMP = "timestamp.txt"
_MANIFEST = "_attempt_"  # Blackboard's
_DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error,
    EOFError, OSError, ValueError, IndexError, OverflowError, RecursionError,
)  # fmt: skip


def archive_kind(head: bytes) -> str:
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
    """Open what a path names as a tree; archives stay open until ``stack`` closes."""
    if path.is_dir():
        return read_folder(path)
    stream = stack.enter_context(os.fdopen(open_file(path), "rb"))
    kind = "" if path.suffix in _SOURCE_FILES else archive_kind(stream.read(HEAD))
    if kind or is_archive(path.name):
        stream.seek(0)
        return read_archive(stream, path.name, kind, stack)
    return open_files([path], path.name)


def open_files(paths: Sequence[Path], name: str) -> Tree:
    """Build a tree called ``name`` of files that the caller named, following links."""
    listing = Listing()
    for path in paths:
        size = path.stat().st_size if path.is_file() else 0
        listing.members.append(Member((path.name,), size, partial(read_file, path)))
    return listing.tree(name)


def open_nested(member: Member, stack: ExitStack) -> Tree:
    """Open an archive that is a member of a hand-in; archives inside it are not opened."""
    data = member.read(MAX_PACKED)
    return read_archive(io.BytesIO(data), member.name, archive_kind(data[:HEAD]), stack)


def read_archive(
    stream: BinaryIO, name: str, kind: str, stack: ExitStack, listing: Listing | None = None
) -> Tree:
    """Read an archive of this kind, or without a kind (when it is damaged) by its name."""
    listing = listing or Listing()
    kind = kind or next((kind for ending, kind in _KINDS.items() if name.lower().endswith(ending)), "")
    if kind == "zip":
        _list_zip(stream, stack, listing)
    elif kind == "tar":
        _list_tar(stream, listing)
    else:
        raise UnreadableError(kind or "is damaged, or not an archive")
    if not (listing.members or listing.folders or listing.refused or listing.left_out):
        raise UnreadableError(f"is a {kind} without any files")
    return listing.tree(name, archive=True)


def _list_zip(stream: BinaryIO, stack: ExitStack, listing: Listing) -> None:
    try:
        packed = stack.enter_context(zipfile.ZipFile(stream))
    except (*_DAMAGED, NotImplementedError):
        is_empty = stream.seek(0, io.SEEK_END) == 0
        why = "is empty" if is_empty else "is a damaged zip; download or pack it again"
        raise UnreadableError(why) from None
    files = [entry for entry in packed.infolist() if not entry.filename.endswith("/")]
    locked = {bool(entry.flag_bits & _ENCRYPTED) for entry in files}
    if locked == {True}:
        raise UnreadableError(_PASSWORD)
    for entry in packed.infolist():
        name = entry.orig_filename
        if not entry.flag_bits & _UTF8_NAME:  # many tools write UTF-8 without setting the flag for it
            with suppress(UnicodeError):
                name = name.encode("cp437").decode("utf-8")
        if not (parts := listing.place_for(name)):
            continue
        if name.endswith(("/", "\\")):
            listing.folders.append(parts)
            continue
        problem = _PASSWORD if entry.flag_bits & _ENCRYPTED else ""
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
            problem = _SPECIAL
        listing.members.append(Member(parts, entry.file_size, partial(_read_entry, packed, entry), problem))


def _read_entry(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    try:
        with packed.open(entry) as stream:
            return stream.read(limit)
    except NotImplementedError:
        raise UnreadableError("is packed by an unusual method; pack it again as an ordinary zip") from None
    except (*_DAMAGED, RuntimeError):
        raise UnreadableError("is damaged inside its zip; pack it again") from None


class _Header(tarfile.TarInfo):
    """A tar's header; a damaged one is an error also behind other members, where ``tarfile`` just ends."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            header = super().fromtarfile(tarfile_)
        except (tarfile.EOFHeaderError, tarfile.EmptyHeaderError):  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None
        if header.size < 0:
            raise tarfile.ReadError
        return header


def _list_tar(stream: BinaryIO, listing: Listing) -> None:
    """List a tar, plain or with gzip, and keep what may be graded."""

    def not_kept(_: int) -> bytes:
        raise UnreadableError("is not a file of this exercise")

    is_packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    unpacked = gzip.GzipFile(fileobj=stream) if is_packed else stream
    try:
        # In the mode "r|" nothing is read twice, whatever sizes the headers state.
        with tarfile.open(fileobj=unpacked, mode="r|", tarinfo=_Header, errors="surrogateescape") as archive:
            while (entry := archive.next()) is not None:
                archive.members = []  # type: ignore[attr-defined] # otherwise it keeps all of them
                is_kept = _can_matter(entry.name)
                parts = listing.place_for(entry.name, min(entry.size, _MAX_FILE) if is_kept else 0)
                if parts and entry.isdir():
                    listing.folders.append(parts)
                    continue
                problem = "" if entry.isreg() and not entry.issparse() else _SPECIAL
                if is_kept and entry.size > _MAX_FILE and not problem:
                    problem = f"is {size_text(entry.size)}, and the limit is {size_text(_MAX_FILE)}"
                if parts and (problem or not is_kept):
                    listing.members.append(Member(parts, 0 if problem else entry.size, not_kept, problem))
                elif parts:
                    data = cast("IO[bytes]", archive.extractfile(entry)).read()
                    if len(data) < entry.size:
                        raise EOFError
                    listing.members.append(Member(parts, len(data), partial(_first, data)))
    except _DAMAGED:
        raise UnreadableError("is a damaged tar; download or pack it again") from None


def _first(data: bytes, limit: int) -> bytes:
    return data[:limit]


def _can_matter(path: str) -> bool:
    """Return whether a file of that name may be graded, or is what a platform writes about a class."""
    name = path.replace("\\", "/").rpartition("/")[2]
    is_manifest = _MANIFEST in name and name.endswith(".txt")
    by_platform = is_manifest or name in (GRADESCOPE_METADATA, NBGRADER_TIMESTAMP)
    return by_platform or bool(split_ending(name)[1]) or name.lower().endswith((*_KINDS, ".gz"))
