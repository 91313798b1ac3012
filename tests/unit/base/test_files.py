"""Files that the kit reads and writes: text of the course, zips and CSV files."""

import errno
import io
import os
import resource
import signal
import stat
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.base.errors import CourseError, GraderError
from grader.base.files import (
    archive_bytes,
    csv_bytes,
    escape_formula,
    read_text,
    unescape_formula,
    write_whole,
)


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


def test_interrupted_while_flushing(tmp_path, monkeypatch):
    """An interrupted write leaves nothing half written behind."""

    def interrupt(_handle):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", b"new")
    assert list(tmp_path.iterdir()) == []


def test_file_for_others(tmp_path):
    """A file can be one that others may read."""
    write_whole(tmp_path / "a", b"new", mode=0o644)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644


def test_folder_that_cannot_be_made(tmp_path):
    """If a file is in the place of a folder, the path is named."""
    (tmp_path / "students").write_bytes(b"")
    with pytest.raises(GraderError, match=r"students/ada/result\.json could not be written: "):
        write_whole(tmp_path / "students" / "ada" / "result.json", b"")


def test_text_is_read(tmp_path):
    """A file in UTF-8 comes back as text, without a byte-order mark."""
    (tmp_path / "a.md").write_bytes("\ufeffö\n".encode())
    assert read_text(tmp_path / "a.md", "a.md") == "ö\n"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (None, "a.md cannot be read: No such file or directory."),
        (b"a\n\xf6\n", "a.md:2: is not in UTF-8; save the file in that encoding."),
    ],
)
def test_unreadable_file_is_named(tmp_path, data, sentence):
    """A missing file, or one in another encoding, is a mistake in the course."""
    if data is not None:
        (tmp_path / "a.md").write_bytes(data)
    with pytest.raises(CourseError) as refused:
        read_text(tmp_path / "a.md", "a.md")
    assert str(refused.value) == sentence


def test_archive_is_stored_for_any_reader():
    """The archive's bytes depend on nothing but its members."""
    data = archive_bytes({"b": b"2", "a": b"1"}, executable=("a",))
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        assert members.namelist() == ["a", "b"]
        assert members.getinfo("a").external_attr >> 16 == 0o100755
        assert members.getinfo("b").external_attr >> 16 == 0o100644
    assert data == archive_bytes({"a": b"1", "b": b"2"}, executable=("a",))


def test_rows_below_their_header():
    """A CSV file is UTF-8 with one line ending; only cells that need quotes have them; ids keep zeros."""
    data = csv_bytes(("id", "name"), [("007", "Lovelace, Ada"), ("8", 'say "hi"'), (9, "李\n小明")])
    assert data == 'id,name\n007,"Lovelace, Ada"\n8,"say ""hi"""\n9,"李\n小明"\n'.encode()


def test_line_endings_within_cells():
    """CR and CR LF within a cell become the one line ending, since a lone CR would end the row."""
    assert csv_bytes(("a\rb",), [("c\r\nd",)]) == b'"a\nb"\n"c\nd"\n'


def test_another_delimiter_and_quotes_everywhere():
    """Some platforms want semicolons, some want every cell in quotes."""
    assert csv_bytes(("a", "b"), [("1,5", "")], delimiter=";", quote_all=True) == b'"a";"b"\n"1,5";""\n'


def test_no_rows():
    """Without rows the file is the header."""
    assert csv_bytes(("a", "b"), ()) == b"a,b\n"


def test_no_text_is_a_formula():
    """A formula gets an apostrophe, which can be taken off again; other texts stay."""
    for text in ("=1+1", "+x", "-x", "@x", "\tx", "\rx", " =1", "\uff1d1", "'=1", "''+"):
        assert escape_formula(text) == f"'{text}"
        assert unescape_formula(f"'{text}") == text
    assert [escape_formula(text) for text in ("a=b", "'t was", "")] == ["a=b", "'t was", ""]
    assert unescape_formula("'t was") == "'t was"


def test_no_part_of_a_text_is_a_formula():
    """In many countries a spreadsheet ends a cell at a semicolon: a formula behind it gets an apostrophe."""
    for text, safe in (("x;=1+1;", "x;'=1+1;"), ("a; @b;+c", "a;' @b;'+c"), (";;-", ";;'-")):
        assert escape_formula(text) == safe
        assert unescape_formula(safe) == text
    assert escape_formula("a;b=c; d-e") == "a;b=c; d-e"


@given(st.text("=+-@\t\r\uff1d ;'a"))
def test_what_was_escaped_comes_back(text):
    """Whatever stands in a cell, and no formula is left."""
    assert unescape_formula(escape_formula(text)) == text


def test_line_ends_of_a_course_file_are_plain(tmp_path):
    """A file with a byte order mark and CRLF, as Windows writes it, reads as any other."""
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert read_text(tmp_path / "a.md", "a.md") == "one\ntwo\n"
