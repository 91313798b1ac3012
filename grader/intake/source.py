"""A path -> a Tree: a folder, an archive (told by its content, not by its name), or one file."""

from __future__ import annotations

import io
import os
import stat
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import BinaryIO

from grader.intake.folder import read_file, read_folder
from grader.intake.member import Member, Refusal, Tree, amount, make_tree
from grader.intake.tarred import read_tar
from grader.intake.zipped import read_zip

MAX_PACKED = 64 << 20  # bytes of an archive within a hand-in: it is held in memory
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar", ".tar.bz2", ".tar.xz", ".gz")
_HEAD = 512

_UNREADABLE = {
    b"Rar!": "is a RAR archive, which is not readable here; unpack it and hand over the folder or a zip",
    b"7z\xbc\xaf": "is a 7z archive, which is not readable here; unpack it and hand over the folder or a zip",
    b"BZh": "is packed with bzip2, which is not readable here; unpack it and hand over the folder or a zip",
    b"\xfd7zXZ": "is packed with xz, which is not readable here; unpack it and hand over the folder or a zip",
}


def kind_of(head: bytes) -> str:
    """``zip``, ``tar``, a sentence's end that says why it is not readable, or nothing for an ordinary file."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return "zip"
    if head.startswith(b"\x1f\x8b") or head[257:262] == b"ustar":
        return "tar"
    return next((why for magic, why in _UNREADABLE.items() if head.startswith(magic)), "")


def open_source(path: Path, stack: ExitStack) -> Tree:
    """Lay out what a path holds; archives stay open until ``stack`` closes.

    Raises:
        Refusal: It cannot be read.
    """
    if path.is_dir():
        return read_folder(path)
    head = read_file(path, _HEAD)
    kind = "" if path.suffix in (".py", ".ipynb") else kind_of(head)
    if kind or path.name.lower().endswith(ARCHIVES):
        return _archive(stack.enter_context(_open(path)), path.name, kind, stack)
    member = Member((path.name,), path.stat().st_size, partial(read_file, path))
    return make_tree(path.name, [member], ())


def open_nested(member: Member, stack: ExitStack) -> Tree:
    """Lay out an archive that is itself a member; archives within it are not looked into.

    Raises:
        Refusal: It cannot be read.
    """
    data = member.read(MAX_PACKED)
    return _archive(io.BytesIO(data), member.name, kind_of(data[:_HEAD]), stack)


def is_archive(member: Member) -> bool:
    """Whether a member is named like an archive."""
    return member.name.lower().endswith(ARCHIVES)


def _archive(stream: BinaryIO, name: str, kind: str, stack: ExitStack) -> Tree:
    if kind == "zip" or (not kind and name.lower().endswith(".zip")):
        return read_zip(stream, name, stack)
    if kind == "tar" or (not kind and name.lower().endswith((".tar", ".tgz", ".gz"))):
        return read_tar(stream, name)
    raise Refusal(kind or "is damaged, or no archive at all")


def _open(path: Path) -> BinaryIO:
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refusal("is not a file")
    return os.fdopen(handle, "rb")


__all__ = ["MAX_PACKED", "amount", "is_archive", "kind_of", "open_nested", "open_source"]
