"""Files are written whole or not at all, for their owner's eyes."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat

import pytest

from grader.base.errors import GraderError
from grader.base.files import write_whole


def test_file_for_its_owner(tmp_path):
    """A file and its new folders can be read by their owner only."""
    path = tmp_path / "students" / "ada" / "result.json"
    write_whole(path, b"one")
    assert path.read_bytes() == b"one"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    write_whole(path, b"two", durable=False)
    assert path.read_bytes() == b"two"
    assert [one.name for one in path.parent.iterdir()] == ["result.json"]


def test_no_room_for_the_file(tmp_path):
    """When a write fails, the old content stays, no partial file is left, and the path is named."""
    path = tmp_path / "scores.csv"
    write_whole(path, b"old\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(GraderError) as caught:
            write_whole(path, b"x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert str(caught.value) == (
        f"{path} could not be written: File too large. What was there before is untouched."
    )
    assert caught.value.exit_status == 1
    assert path.read_bytes() == b"old\n"
    assert [one.name for one in tmp_path.iterdir()] == ["scores.csv"]


def test_disk_that_fills_while_flushing(tmp_path, monkeypatch):
    """If the disk turns out full at the flush, the old content stays."""

    def full(_handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "scores.csv"
    path.write_bytes(b"old\n")
    monkeypatch.setattr("grader.base.files.os.fsync", full)
    with pytest.raises(
        GraderError, match=r"scores\.csv could not be written: No space left on device\. What"
    ):
        write_whole(path, b"new\n")
    assert path.read_bytes() == b"old\n"
    assert [one.name for one in tmp_path.iterdir()] == ["scores.csv"]


def test_folder_that_cannot_be_made(tmp_path):
    """If a file is in the place of a folder, the path is named."""
    (tmp_path / "students").write_bytes(b"")
    with pytest.raises(GraderError, match=r"students/ada/result\.json could not be written: "):
        write_whole(tmp_path / "students" / "ada" / "result.json", b"")
