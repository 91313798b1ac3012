"""A folder as a source: each step is opened from the one before, and no link is followed.

A file is checked and read through one descriptor, so that the bytes that were checked are the bytes that are
used, whatever happens to the folder meanwhile. A hard link is a file like any other.
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
    is_junk,
    make_tree,
    tidy,
    too_long,
    unreadable,
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


def read_folder(root: Path, room: Room | None = None) -> Tree:
    """Lay out a folder as far as there is ``room``; files are opened when they are read.

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
    """A descriptor of a regular file that the caller named; a link in its path is the caller's.

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
    """The first ``limit`` bytes of a regular file that the caller named.

    Raises:
        UnreadableError: It cannot be read or is not a regular file.
    """
    with os.fdopen(open_file(path), "rb") as stream:
        try:
            return stream.read(limit)
        except OSError as error:
            raise UnreadableError(f"cannot be read: {error.strerror}") from None


def _walk(folder: int, above: tuple[str, ...], found: _Found) -> None:
    """List one open folder and those below it; an unreadable one is a member that says so."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        if not above:
            raise UnreadableError(f"cannot be read: {error.strerror}") from None
        found.members.append(unreadable((*_tidy(above), ""), f"cannot be read: {error.strerror}"))
        return
    unwanted = ENVIRONMENT_FOLDERS if ENVIRONMENT_MARK in names else ()
    for name in names:
        if name in unwanted or is_junk((name,)):
            continue
        if not found.room.takes(_tidy((*above, name)), files=1):
            return  # a folder above holds too much, and says so in the end
        _note(folder, (*above, name), found)


def _note(folder: int, raw: tuple[str, ...], found: _Found) -> None:
    """Put one entry of an open folder on the list, and what lies below it."""
    try:
        info = os.stat(raw[-1], dir_fd=folder, follow_symlinks=False)
    except OSError:
        return  # it went away since the listing
    kind = stat.S_IFMT(info.st_mode)
    if kind == stat.S_IFDIR and len(raw) < MAX_DEPTH:
        _enter(folder, raw, found)
    elif kind == stat.S_IFDIR:
        found.members.append(unreadable((*_tidy(raw), ""), f"lies more than {MAX_DEPTH} folders deep"))
    elif too_long(_tidy(raw)):
        found.members.append(unreadable(_tidy(raw), "has a name that is too long for a file"))
    else:
        source = partial(_read_below, found.root, raw)
        found.members.append(Member(_tidy(raw), info.st_size, source, _KINDS.get(kind, "")))


def _enter(folder: int, raw: tuple[str, ...], found: _Found) -> None:
    try:
        handle = os.open(raw[-1], _SAFE | os.O_DIRECTORY, dir_fd=folder)
    except OSError as error:
        found.members.append(unreadable((*_tidy(raw), ""), f"cannot be read: {error.strerror}"))
        return
    try:
        found.folders.append(_tidy(raw))
        _walk(handle, raw, found)
    finally:
        os.close(handle)


def _read_below(root: Path, raw: tuple[str, ...], limit: int) -> bytes:
    """At most ``limit`` bytes of a file, each step to it opened from the one before."""
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


def _tidy(raw: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(tidy, raw))
