"""Zips that are the same wherever and whenever they are made."""

from __future__ import annotations

import io
import zipfile

from grader.base.files import archive_bytes


def test_archive_is_stored_for_any_reader():
    """The archive's bytes depend on its members alone."""
    data = archive_bytes({"b": b"2", "a": b"1"}, executable=("a",))
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        assert members.namelist() == ["a", "b"]
        assert members.getinfo("a").external_attr >> 16 == 0o100755
        assert members.getinfo("b").external_attr >> 16 == 0o100644
    assert data == archive_bytes({"a": b"1", "b": b"2"}, executable=("a",))
