"""Folders: opened step by step, no link followed, nothing waited for."""

import io
import os
import socket

import pytest
from helpers.intake_class import contents, lay_out

from grader.sources.folder import read_file, read_folder
from grader.sources.tree import Listing, UnreadableError


def test_a_folder_is_read_with_its_files_and_its_empty_folders(tmp_path):
    """Files have their bytes, and a student who handed in nothing still has a folder."""
    lay_out(tmp_path / "class", {"ada/reservation.py": b"1", "grace/": b"", "notes.txt": b"2"})
    made = read_folder(tmp_path / "class")
    assert contents(made) == {"ada/reservation.py": b"1", "notes.txt": b"2"}
    assert (made.name, made.tops, made.archive) == ("class", ("ada", "grace"), False)


def test_a_symbolic_link_is_refused_and_a_hard_link_is_a_file(tmp_path):
    """The target of a link is never read, be it a file or a folder; a hard link is read."""
    secret = tmp_path / "secret.py"
    secret.write_bytes(b"secret")
    lay_out(tmp_path / "ada", {"real.py": b"1"})
    (tmp_path / "ada" / "reservation.py").symlink_to(secret)
    (tmp_path / "ada" / "out").symlink_to(tmp_path)
    (tmp_path / "ada" / "hard.py").hardlink_to(tmp_path / "ada" / "real.py")
    link = "is a symbolic link; the file itself is needed"
    assert contents(read_folder(tmp_path / "ada")) == {
        "hard.py": b"1",
        "real.py": b"1",
        "reservation.py": link,
        "out": link,
    }


def test_pipes_and_sockets_are_refused_without_waiting(tmp_path, monkeypatch):
    """Opening a pipe without a writer would wait for ever."""
    os.mkfifo(tmp_path / "reservation.py")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # a socket's address is at most 108 bytes long
        server.bind("s.py")
        assert contents(read_folder(tmp_path)) == {
            "reservation.py": "is a pipe, not a file",
            "s.py": "is a socket, not a file",
        }


@pytest.mark.parametrize(
    ("becomes", "why"),
    [
        ("link", "is a symbolic link; the file itself is needed"),
        ("pipe", "is a pipe, not a file"),
        ("folder", "is a folder, not a file"),
        ("nothing", "cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_is_swapped_after_the_listing_is_checked_again(tmp_path, becomes, why):
    """The descriptor that is read is the one that was checked."""
    path = lay_out(tmp_path, {"ada/reservation.py": b"1"}) / "ada" / "reservation.py"
    made = read_folder(tmp_path)
    path.unlink()
    if becomes == "link":
        path.symlink_to("/etc/hostname")
    elif becomes == "pipe":
        os.mkfifo(path)
    elif becomes == "folder":
        path.mkdir()
    assert contents(made) == {"ada/reservation.py": why}


def test_a_folder_that_is_swapped_for_a_link_is_not_followed(tmp_path):
    """Every step to a file is opened without following links."""
    lay_out(tmp_path, {"class/ada/reservation.py": b"1", "grace/reservation.py": b"2"})
    made = read_folder(tmp_path / "class")
    (tmp_path / "class" / "ada").rename(tmp_path / "away")
    (tmp_path / "class" / "ada").symlink_to(tmp_path / "grace")
    assert contents(made) == {"ada/reservation.py": "is a symbolic link; the file itself is needed"}


def test_names_are_normalized_and_odd_bytes_escaped(tmp_path):
    """MacOS's decomposed letters match a roster's; bytes outside UTF-8 are escaped."""
    lay_out(tmp_path, {"Jose\u0301/reservation.py": b"1"})
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_bytes(b"2")
    assert contents(read_folder(tmp_path)) == {"Jos\u00e9/reservation.py": b"1", "caf\\xe9.py": b"2"}


def test_environments_and_junk_are_not_entered(tmp_path):
    """A virtual environment with thousands of files costs nothing."""
    lay_out(tmp_path, {"a/pyvenv.cfg": b"", "a/lib/x.py": b"1", "a/x.py": b"2", ".git/config": b"3"})
    assert contents(read_folder(tmp_path)) == {"a/pyvenv.cfg": b"", "a/x.py": b"2"}


def test_a_folder_that_is_too_deep_is_named(tmp_path):
    """Thirty-two levels are read."""
    lay_out(tmp_path, {"/".join("a" * 31) + "/x.py": b"1", "/".join("b" * 33) + "/x.py": b"2"})
    found = contents(read_folder(tmp_path))
    assert found["/".join("a" * 31) + "/x.py"] == b"1"
    assert found["/".join("b" * 32) + "/"] == "lies more than 32 folders deep"


def test_too_many_files_are_refused(tmp_path):
    """A folder that is not a class is not read for minutes."""
    lay_out(tmp_path, {"1": b"", "2": b"", "3": b"", "4": b""})
    with pytest.raises(UnreadableError, match=r"holds more than 3 files"):
        read_folder(tmp_path, Listing(files=3))


def test_a_student_of_too_many_files_costs_the_others_nothing(tmp_path):
    """A folder may have half of what a class may have; it says so, and the rest is read."""
    crowd = {f"mallory/{n // 4}/{n}.txt": b"" for n in range(40)}
    lay_out(tmp_path, {"ada/reservation.py": b"1", **crowd, "zoe/reservation.py": b"2"})
    found = contents(read_folder(tmp_path, Listing(files=20)))
    assert found == {
        "ada/reservation.py": b"1",
        "mallory/": "holds more than 10 files and folders",
        "zoe/reservation.py": b"2",
    }


def test_one_full_folder_costs_nothing_beside_it(tmp_path):
    """A student's folder of pictures is left out; the answer is read."""
    lay_out(tmp_path, {**{f"ada/pictures/{n}.png": b"" for n in range(9)}, "ada/reservation.py": b"1"})
    assert contents(read_folder(tmp_path, Listing(files=28))) == {
        "ada/pictures/": "holds more than 7 files and folders",
        "ada/reservation.py": b"1",
    }


def test_a_folder_without_permission_is_unreadable(tmp_path, monkeypatch):
    """It is a member with a problem, not missing."""
    lay_out(tmp_path, {"ada/reservation.py": b"1", "grace/reservation.py": b"2"})
    opened, listed = os.open, os.listdir

    def no_entry(path, *args, **kwargs):
        if path == "ada":
            raise PermissionError(13, "Permission denied")
        return opened(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", no_entry)
    assert contents(read_folder(tmp_path)) == {
        "ada/": "cannot be read: Permission denied",
        "grace/reservation.py": b"2",
    }
    monkeypatch.setattr(os, "open", opened)

    inode = (tmp_path / "grace").stat().st_ino

    def no_list(handle):
        if os.fstat(handle).st_ino == inode:
            raise PermissionError(13, "Permission denied")
        return listed(handle)

    monkeypatch.setattr(os, "listdir", no_list)
    assert contents(read_folder(tmp_path))["grace/"] == "cannot be read: Permission denied"
    with pytest.raises(UnreadableError, match="cannot be read: Permission denied"):
        read_folder(tmp_path / "grace")


def test_a_file_deleted_after_the_listing_is_skipped(tmp_path, monkeypatch):
    """A listing may be out of date."""
    lay_out(tmp_path, {"a.py": b"1"})
    monkeypatch.setattr(os, "listdir", lambda _: ["a.py", "gone.py"])
    assert contents(read_folder(tmp_path)) == {"a.py": b"1"}


def test_a_disk_that_fails_is_named(tmp_path, monkeypatch):
    """Reading may fail long after opening."""
    (tmp_path / "x.py").write_bytes(b"1")

    class Failing(io.BytesIO):
        def read(self, _size=-1):
            raise OSError(5, "Input/output error")

    def failing(handle, _mode):
        os.close(handle)
        return Failing()

    made = read_folder(tmp_path)
    monkeypatch.setattr(os, "fdopen", failing)
    with pytest.raises(UnreadableError, match="cannot be read: Input/output error"):
        read_file(tmp_path / "x.py", 3)
    assert contents(made) == {"x.py": "cannot be read: Input/output error"}


def test_a_path_that_is_no_folder_is_refused(tmp_path):
    """A file, or nothing."""
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(UnreadableError, match="cannot be read: Not a directory"):
        read_folder(tmp_path / "x")


def test_a_named_file_is_read_through_a_link(tmp_path):
    """Up to its limit; the person who names a PATH may have linked it."""
    (tmp_path / "x.py").write_bytes(b"12345")
    (tmp_path / "link.py").symlink_to("x.py")
    os.mkfifo(tmp_path / "pipe")
    assert read_file(tmp_path / "link.py", 3) == b"123"
    assert read_file(tmp_path / "x.py", 10) == b"12345"
    with pytest.raises(UnreadableError, match="is a pipe, not a file"):
        read_file(tmp_path / "pipe", 3)
    with pytest.raises(UnreadableError, match="is a folder, not a file"):
        read_file(tmp_path, 3)
    with pytest.raises(UnreadableError, match="cannot be read: No such file or directory"):
        read_file(tmp_path / "none", 3)
