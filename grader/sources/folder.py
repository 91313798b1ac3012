"""Read a folder as a Tree without following links: each folder is opened relative to the one above it.

A file is checked and read through one descriptor, so that it cannot be replaced in between. A hard link is
an ordinary file.
"""

import errno
import os
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path

from grader.sources.tree import (
    ENVIRONMENT_FOLDERS,
    ENVIRONMENT_MARK,
    MAX_FOLDERS,
    TOO_DEEP,
    Listing,
    Member,
    Tree,
    UnreadableError,
    clean_part,
    is_junk,
)

# Without O_NONBLOCK, opening a FIFO would wait for a writer that never comes.
_SAFE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_KINDS = {
    stat.S_IFLNK: "is a symbolic link; the file itself is needed",
    stat.S_IFIFO: "is a pipe, not a file",
    stat.S_IFSOCK: "is a socket, not a file",
    stat.S_IFCHR: "is a device, not a file",
    stat.S_IFBLK: "is a device, not a file",
    stat.S_IFDIR: "is a folder, not a file",
}


def read_folder(root: Path, listing: Listing | None = None) -> Tree:
    """List a folder as far as there is room; files are opened when they are read."""
    listing = listing or Listing()
    todo: list[tuple[str, ...]] = [()]
    while todo:
        folder = todo.pop()
        parts = tuple(map(clean_part, folder))
        try:
            entries = _entries(root, folder)
        except UnreadableError as error:
            if not folder:
                raise
            listing.left_out[parts] = str(error)
            continue
        listing.folders += [parts] if parts else []
        for name, mode, size in entries:
            inner = (*parts, clean_part(name))
            if not listing.takes(inner):
                break
            if stat.S_ISDIR(mode):
                todo.append((*folder, name))
            else:
                source = partial(read_file, root, below=(*folder, name))
                listing.members.append(Member(inner, size, source, _KINDS.get(stat.S_IFMT(mode), "")))
    return listing.tree(root.resolve().name)


def _entries(root: Path, folder: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """Return name, mode and size of everything in a folder, without junk."""
    if len(folder) == MAX_FOLDERS:
        raise UnreadableError(TOO_DEEP)
    handle: int = open_file(root, folder, kind=stat.S_IFDIR)
    found = []
    try:
        names = sorted(os.listdir(handle))
        environment = ENVIRONMENT_FOLDERS if ENVIRONMENT_MARK in names else ()
        for name in names:
            if name not in environment and not is_junk((name,)):
                with suppress(FileNotFoundError):  # it was deleted after the listing
                    info = os.stat(name, dir_fd=handle, follow_symlinks=False)
                    found.append((name, info.st_mode, info.st_size))
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    finally:
        os.close(handle)
    return found


def open_file(root: Path, below: tuple[str, ...] = (), kind: int = stat.S_IFREG) -> int:
    """Open a file or a folder (``kind``) and return its descriptor.

    ``root`` is what the caller named and may be a link; no step ``below`` it may be one.
    """
    opened: list[int] = []
    steps: tuple[Path | str, ...] = (root, *below)
    try:
        for at, step in enumerate(steps):
            folder = os.O_DIRECTORY if at < len(below) or kind == stat.S_IFDIR else 0
            flags = _SAFE | folder | (os.O_NOFOLLOW if at else 0)
            opened.append(os.open(step, flags, dir_fd=opened[-1] if opened else None))
        found = stat.S_IFMT(os.fstat(opened[-1]).st_mode)
        if found != kind:
            raise UnreadableError(_KINDS[found])
        return opened.pop()
    except OSError as error:
        is_link = below and error.errno in (errno.ELOOP, errno.ENOTDIR)
        why = _KINDS[stat.S_IFLNK] if is_link else f"cannot be read: {error.strerror}"
        raise UnreadableError(why) from None
    finally:
        for handle in opened:
            os.close(handle)


def read_file(root: Path, limit: int, below: tuple[str, ...] = ()) -> bytes:
    """Return the first ``limit`` bytes of a regular file, opened as by :func:`open_file`."""
    with os.fdopen(open_file(root, below), "rb") as stream:
        try:
            return stream.read(limit)
        except OSError as error:
            raise UnreadableError(f"cannot be read: {error.strerror}") from None
