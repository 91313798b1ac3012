"""A path -> a Tree: a folder, an archive (told by its content, not by its name), or loose files."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import BinaryIO

from grader.sources.folder import open_file, read_file, read_folder
from grader.sources.limits import Room
from grader.sources.names import split_ending
from grader.sources.tarred import read_tar
from grader.sources.tree import Member, Tree, UnreadableError, make_tree
from grader.sources.zipped import read_zip

MAX_PACKED = 64 << 20  # bytes of an archive within a hand-in: it is held in memory
HEAD = 512  # bytes that tell what a file is

_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".gz", ".7z", ".rar", ".tar.bz2", ".bz2", ".tar.xz", ".xz")
_SOURCE_FILES = (".py", ".ipynb")
_ADVICE = "which is not readable here; unpack it and hand over the folder or a zip"
_UNREADABLE = {
    b"Rar!": f"is a RAR archive, {_ADVICE}",
    b"7z\xbc\xaf": f"is a 7z archive, {_ADVICE}",
    b"BZh": f"is packed with bzip2, {_ADVICE}",
    b"\xfd7zXZ": f"is packed with xz, {_ADVICE}",
}


def kind_of(head: bytes) -> str:
    """``zip``, ``tar``, why another archive is not readable (a sentence's end), or "" for no archive."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return "zip"
    if head.startswith(b"\x1f\x8b") or head[257:262] == b"ustar":
        return "tar"
    return next((why for magic, why in _UNREADABLE.items() if head.startswith(magic)), "")


def is_archive(name: str) -> bool:
    """Whether a file is named like an archive, readable here or not."""
    return name.lower().endswith(_ARCHIVES)


def is_handed_in(name: str) -> bool:
    """Whether a file is named like something that a student hands in: a source file or an archive."""
    return bool(split_ending(name)[1]) or is_archive(name)


def open_source(path: Path, stack: ExitStack) -> Tree:
    """Lay out what a path holds; archives stay open until ``stack`` closes.

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
    """A tree of loose files, called ``name``; a link among them is the caller's own."""
    members = []
    for path in paths:
        size = path.stat().st_size if path.is_file() else 0
        members.append(Member((path.name,), size, partial(read_file, path)))
    return make_tree(name, members, ())


def open_nested(member: Member, stack: ExitStack, room: Room | None = None) -> Tree:
    """Lay out an archive that is itself a member; archives within it are not looked into.

    All archives of one hand-in share a ``room``.

    Raises:
        UnreadableError: It cannot be read.
    """
    room = room or Room.of_hand_in()
    if room.packed < member.size <= MAX_PACKED:
        raise UnreadableError("is one archive too many: all of a hand-in together hold too much")
    data = member.read(min(MAX_PACKED, room.packed))
    room.packed -= len(data)
    return _archive(io.BytesIO(data), member.name, kind_of(data[:HEAD]), stack, room)


def _archive(stream: BinaryIO, name: str, kind: str, stack: ExitStack, room: Room | None = None) -> Tree:
    """Lay out an archive, one within a hand-in in the ``room`` of that; a damaged one is told by its name."""
    if kind == "zip" or (not kind and name.lower().endswith(".zip")):
        return read_zip(stream, name, stack, room)
    if kind == "tar" or (not kind and name.lower().endswith((".tar", ".tgz", ".tar.gz"))):
        return read_tar(stream, name, room, nested=room is not None)
    raise UnreadableError(kind or "is damaged, or no archive at all")
