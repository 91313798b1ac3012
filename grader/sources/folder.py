"""Read a folder as a Tree without following links: each folder is opened relative to the one above it.

A file is checked and read through one descriptor, so that it cannot be replaced in between. A hard link is
an ordinary file.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from grader.sources.limits import Room
from grader.sources.tree import (
    ENVIRONMENT_FOLDERS,
    ENVIRONMENT_MARK,
    MAX_DEPTH,
    Member,
    Tree,
    UnreadableError,
    clean_part,
    is_junk,
    make_tree,
    too_long,
    unreadable_member,
)

# Without O_NONBLOCK, opening a FIFO would wait for a writer that never comes.
_SAFE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_KINDS = {
    stat.S_IFLNK: "is a symbolic link; the file itself is needed",
    stat.S_IFIFO: "is a pipe, not a file",
    stat.S_IFSOCK: "is a socket, not a file",
    stat.S_IFCHR: "is a device, not a file",
    stat.S_IFBLK: "is a device, not a file",
    stat.S_IFDIR: "is a folder, not a file",
}


@dataclass
class _Found:
    root: Path
    room: Room
    members: list[Member] = field(default_factory=list)
    folders: list[tuple[str, ...]] = field(default_factory=list)

    def add_unreadable(self, folder: tuple[str, ...], problem: str) -> None:
        """Add a member that stands for a folder that is not listed."""
        self.members.append(unreadable_member((*_clean(folder), ""), problem))


def read_folder(root: Path, room: Room | None = None) -> Tree:
    """List a folder as far as there is ``room``; files are opened when they are read.

    Raises:
        UnreadableError: The folder cannot be read or holds too much.
    """
    found = _Found(root, room or Room())
    try:
        top = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    try:
        _walk(top, (), found)
    finally:
        os.close(top)
    return make_tree(root.resolve().name, found.room.without_full(found.members), found.folders)


def open_file(path: Path) -> int:
    """Open a regular file that the caller named, following links, and return its descriptor.

    Raises:
        UnreadableError: It cannot be read or is not a regular file.
    """
    try:
        handle = os.open(path, _SAFE & ~os.O_NOFOLLOW)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    try:
        _check(handle)
    except UnreadableError:
        os.close(handle)
        raise
    return handle


def read_file(path: Path, limit: int) -> bytes:
    """Return the first ``limit`` bytes of a regular file that the caller named.

    Raises:
        UnreadableError: It cannot be read or is not a regular file.
    """
    with os.fdopen(open_file(path), "rb") as stream:
        try:
            return stream.read(limit)
        except OSError as error:
            raise UnreadableError(f"cannot be read: {error.strerror}") from None


def _walk(folder: int, above: tuple[str, ...], found: _Found) -> None:
    """List one open folder and those below it."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        if not above:
            raise UnreadableError(f"cannot be read: {error.strerror}") from None
        found.add_unreadable(above, f"cannot be read: {error.strerror}")
        return
    environment = ENVIRONMENT_FOLDERS if ENVIRONMENT_MARK in names else ()
    for name in names:
        raw = (*above, name)
        if name in environment or is_junk((name,)):
            continue
        if not found.room.takes(_clean(raw)):
            return  # a folder above holds too much, and says so in the end
        try:
            info = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue  # it was deleted after the listing
        kind = stat.S_IFMT(info.st_mode)
        if kind == stat.S_IFDIR:
            _walk_below(folder, raw, found)
        elif too_long(_clean(raw)):
            found.members.append(unreadable_member(_clean(raw), "has a name that is too long for a file"))
        else:
            source = partial(_read_below, found.root, raw)
            found.members.append(Member(_clean(raw), info.st_size, source, _KINDS.get(kind, "")))


def _walk_below(folder: int, raw: tuple[str, ...], found: _Found) -> None:
    """Open and list a folder inside an open one."""
    if len(raw) == MAX_DEPTH:
        found.add_unreadable(raw, f"lies more than {MAX_DEPTH} folders deep")
        return
    try:
        handle = os.open(raw[-1], _SAFE | os.O_DIRECTORY, dir_fd=folder)
    except OSError as error:
        found.add_unreadable(raw, f"cannot be read: {error.strerror}")
        return
    try:
        found.folders.append(_clean(raw))
        _walk(handle, raw, found)
    finally:
        os.close(handle)


def _read_below(root: Path, raw: tuple[str, ...], limit: int) -> bytes:
    """Return at most ``limit`` bytes of a file, opening each folder relative to the one above it."""
    opened: list[int] = []
    try:
        opened.append(os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        for step in raw[:-1]:
            opened.append(os.open(step, _SAFE | os.O_DIRECTORY, dir_fd=opened[-1]))
        opened.append(os.open(raw[-1], _SAFE, dir_fd=opened[-1]))
        _check(opened[-1])
        with os.fdopen(opened.pop(), "rb") as stream:
            return stream.read(limit)
    except OSError as error:
        link = error.errno in (errno.ELOOP, errno.ENOTDIR)
        raise UnreadableError(_KINDS[stat.S_IFLNK] if link else f"cannot be read: {error.strerror}") from None
    finally:
        for handle in reversed(opened):
            os.close(handle)


def _check(handle: int) -> None:
    kind = stat.S_IFMT(os.fstat(handle).st_mode)
    if kind != stat.S_IFREG:
        raise UnreadableError(_KINDS[kind])


def _clean(raw: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(clean_part, raw))
