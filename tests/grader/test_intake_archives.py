"""Zips and tars: nothing unpacked to disk, every trick refused by name, the rest read."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from contextlib import ExitStack

import pytest
from intake_class import contents, member, tarred, zipped, zipped_link

from grader.intake import tarred as tarred_module
from grader.intake import zipped as zipped_module
from grader.intake.member import Refused, UnreadableError
from grader.intake.source import kind_of, open_nested, open_source


@pytest.fixture
def stack():
    """What keeps archives open, closed after the test."""
    with ExitStack() as opened:
        yield opened


def opened(data: bytes, stack, tmp_path, name="class.zip"):
    """The tree of an archive with this content."""
    path = tmp_path / name
    path.write_bytes(data)
    return open_source(path, stack)


def read(data: bytes, tmp_path, name="class.zip"):
    """What can be read of an archive with this content, and what was refused."""
    with ExitStack() as stack:
        tree = opened(data, stack, tmp_path, name)
        return contents(tree), tree.refused


def refusal(data: bytes, tmp_path, name="class.zip") -> str:
    """Why an archive with this content is refused as a whole."""
    with ExitStack() as stack, pytest.raises(UnreadableError) as error:
        opened(data, stack, tmp_path, name)
    return str(error.value)


def patched(data: bytes, flags: int) -> bytes:
    """The zip with flag bits set in every header, local and central."""
    out = bytearray(data)
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = out.find(mark)
        while place >= 0:
            out[place + at] |= flags
            place = out.find(mark, place + 1)
    return bytes(out)


def test_a_zip_is_read_with_its_folders(tmp_path, stack):
    """Files have their bytes, and an empty folder is a student who handed in nothing."""
    made = opened(zipped({"ada/reservation.py": b"1", "grace/": b"", "x.py": b"2"}), stack, tmp_path)
    assert contents(made) == {"ada/reservation.py": b"1", "x.py": b"2"}
    assert (made.name, made.tops, made.archive) == ("class.zip", ("ada", "grace"), True)


def test_nothing_is_written_when_an_archive_is_read(tmp_path):
    """An archive's names touch no file system."""
    read(zipped({"a/b.py": b"1", "../../out.py": b"2", "/abs.py": b"3"}), tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["class.zip"]


def test_members_with_bad_names_are_refused_and_the_others_read(tmp_path):
    """One bad member does not cost the others their marks."""
    found, refused = read(zipped({"../evil.py": b"1", "C:evil.py": b"2", "ada/x.py": b"3"}), tmp_path)
    assert found == {"ada/x.py": b"3"}
    assert refused == (
        Refused("../evil.py", "has a name that leads out of its folder"),
        Refused("C:evil.py", "has an absolute name"),
    )


def test_a_link_in_a_zip_is_refused_by_name(tmp_path):
    """Its text is neither a path to follow nor a file to grade."""
    found, _ = read(zipped_link("ada/reservation.py", "/etc/passwd"), tmp_path)
    assert found == {"ada/reservation.py": "is a link or a special file; the file itself is needed"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused(tmp_path):
    """Zipfile itself would take the last one without a word."""
    found, _ = read(zipped([("x.py", b"good"), ("./x.py", b"bad"), ("y.py", b"1")]), tmp_path)
    assert found == {"x.py": "is there more than once", "y.py": b"1"}


def test_a_file_and_a_folder_of_one_name_harm_nothing(tmp_path):
    """On a disk they could not both be."""
    found, _ = read(zipped({"hw": b"1", "hw/x.py": b"2"}), tmp_path)
    assert found == {"hw": b"1", "hw/x.py": b"2"}


def test_utf8_names_are_recovered_and_others_kept(tmp_path):
    """Many tools write UTF-8 without the flag that says so; what is no UTF-8 stays as the format reads it."""
    data = zipped({"XXXXXX.py": b"1", "YYY.py": b"2"})
    data = data.replace(b"XXXXXX", "李小".encode()).replace(b"YYY", b"Jo\xe9")
    found, _ = read(data, tmp_path)
    assert found == {"李小.py": b"1", "JoΘ.py": b"2"}


def test_a_member_without_a_name_is_refused(tmp_path):
    """Zipfile itself fails on it."""
    data = zipped({"x.py": b"1", "Y": b"2"})
    at = data.find(b"PK\x01\x02", data.find(b"PK\x01\x02") + 1)
    nameless = data[: at + 28] + bytes(2) + data[at + 30 : at + 46] + data[at + 47 :]
    size = struct.pack("<I", struct.unpack("<I", nameless[-10:-6])[0] - 1)
    found, refused = read(nameless[:-10] + size + nameless[-6:], tmp_path)
    assert found == {"x.py": b"1"}
    assert refused == (Refused("a member", "has no name"),)


def test_a_name_beyond_any_file_system_is_named_and_the_others_read(tmp_path):
    """An unpacking tool would stop there."""
    found, _ = read(zipped({"a" * 300 + ".py": b"1", "b.py": b"2"}), tmp_path)
    assert found == {"a" * 300 + ".py": "has a name that is too long for a file", "b.py": b"2"}


def test_a_bomb_is_refused_by_its_ratio_and_its_size(tmp_path):
    """Neither is unpacked; a text that packs well is no bomb."""
    zeros, text = bytes(5 << 20), b"x = 1\n" * 100
    found, _ = read(zipped({"bomb.py": zeros, "text.py": text}), tmp_path)
    assert found == {
        "bomb.py": "unpacks to more than 200 times its size, like a zip bomb",
        "text.py": text,
    }
    found, _ = read(zipped({"large.py": zeros}, zipfile.ZIP_STORED), tmp_path)
    assert found == {"large.py": "is 5 MiB, and the limit is 1 MiB"}


def test_a_lie_about_the_size_is_found_out(tmp_path):
    """A member that declares fewer bytes than it holds is damaged."""
    data = bytearray(zipped({"x.py": bytes(3000)}))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 100)
    assert read(bytes(data), tmp_path)[0] == {"x.py": "is damaged inside its zip; pack it again"}


def test_a_damaged_member_costs_itself_only(tmp_path):
    """A checksum that does not fit is the member's own."""
    data = zipped({"x.py": b"return 1", "y.py": b"2"}, zipfile.ZIP_STORED).replace(b"return 1", b"return 2")
    assert read(data, tmp_path)[0] == {"x.py": "is damaged inside its zip; pack it again", "y.py": b"2"}


def test_an_unusual_packing_is_named(tmp_path):
    """LZMA's header can ask for gigabytes at once."""
    data = zipped({"x.py": b"1"}, zipfile.ZIP_LZMA)
    assert read(data, tmp_path)[0] == {
        "x.py": "is packed by an unusual method; pack it again as an ordinary zip"
    }


def test_password_protection_is_named(tmp_path):
    """The whole archive's, and one member's."""
    locked = patched(zipped({"x.py": b"1"}), 1)
    why = "is password-protected; pack it again without a password"
    assert refusal(locked, tmp_path) == why
    data = bytearray(zipped({"x.py": b"1", "y.py": b"2"}))
    data[6] |= 1
    data[data.find(b"PK\x01\x02") + 8] |= 1
    assert read(bytes(data), tmp_path)[0] == {"x.py": why, "y.py": b"2"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty"),
        (b"PK\x05\x06" + bytes(18), "is a zip without any files"),
        (zipped({"x.py": b"1" * 99})[:60], "is a damaged zip; download or pack it again"),
        (b"PK\x03\x04 and nothing else", "is a damaged zip; download or pack it again"),
        (b"<html>not found</html>", "is a damaged zip; download or pack it again"),
        (
            b"Rar!\x1a\x07\x01\x00",
            "is a RAR archive, which is not readable here; unpack it and hand over the folder or a zip",
        ),
        (
            b"7z\xbc\xaf'\x1c",
            "is a 7z archive, which is not readable here; unpack it and hand over the folder or a zip",
        ),
    ],
)
def test_each_unreadable_zip_has_its_own_reason(tmp_path, data, why):
    """Empty, without files, cut, no zip at all, another archive by the name of a zip."""
    assert refusal(data, tmp_path) == why


def test_a_zip_of_too_many_files_is_refused(tmp_path, monkeypatch):
    """Counted before anything is read of them."""
    monkeypatch.setattr(zipped_module, "MAX_MEMBERS", 2)
    assert refusal(zipped({"a": b"", "b": b"", "c": b""}), tmp_path) == "holds 3 files, and the limit is 2"


def test_a_huge_directory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """Zipfile would read all of it into memory first."""
    monkeypatch.setattr(zipped_module, "_MAX_DIRECTORY", 100)
    assert refusal(zipped({"a" * 200: b""}), tmp_path) == "holds more than 50000 files"


def test_a_tar_is_read_packed_and_plain_whatever_its_name(tmp_path):
    """The content tells what an archive is."""
    files = {"ada/reservation.py": b"1", "grace/": b"", "ada/report.pdf": b"%PDF"}
    expected = {"ada/reservation.py": b"1", "ada/report.pdf": "is not a file of this exercise"}
    for name, mode in (("class.tar.gz", "w:gz"), ("class.tar", "w"), ("class.zip", "w:gz")):
        assert read(tarred(files, mode), tmp_path, name)[0] == expected


def test_links_and_special_files_of_a_tar_are_refused_by_name(tmp_path):
    """Hard links of an archive lead to other members, so that they are refused too."""
    links = [
        ("soft.py", tarfile.SYMTYPE, "../grace/reservation.py"),
        ("hard.py", tarfile.LNKTYPE, "soft.py"),
        ("pipe.py", tarfile.FIFOTYPE, ""),
        ("device.py", tarfile.CHRTYPE, ""),
    ]
    why = "is a link or a special file; the file itself is needed"
    found, refused = read(tarred({"x.py": b"1", "../evil.py": b"2"}, links=links), tmp_path, "a.tgz")
    assert found == {"x.py": b"1", "soft.py": why, "hard.py": why, "pipe.py": why, "device.py": why}
    assert refused == (Refused("../evil.py", "has a name that leads out of its folder"),)


def test_long_names_and_large_files_of_a_tar_are_named(tmp_path, monkeypatch):
    """The other members are read."""
    monkeypatch.setattr(tarred_module, "_MAX_FILE", 100)
    found, _ = read(tarred({"a" * 300 + ".py": b"1", "large.py": bytes(101), "x.py": bytes(100)}), tmp_path)
    assert found == {
        "a" * 300 + ".py": "has a name that is too long for a file",
        "large.py": "is 101 bytes, and the limit is 100 bytes",
        "x.py": bytes(100),
    }


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (tarred({"x.py": b"1" * 5000})[:60], "is a damaged tar; download or pack it again"),
        (gzip.compress(b"no tar"), "is a damaged tar; download or pack it again"),
        (gzip.compress(bytes(10240)), "is a tar without any files"),
        (
            b"BZh9",
            "is packed with bzip2, which is not readable here; unpack it and hand over the folder or a zip",
        ),
    ],
    ids=["cut off", "no tar", "empty", "bzip2"],
)
def test_each_unreadable_tar_has_its_own_reason(tmp_path, data, why):
    """Cut, no tar inside, empty, another packing."""
    assert refusal(data, tmp_path, "class.tar.gz") == why


def test_a_tar_bomb_ends(tmp_path, monkeypatch):
    """Too many members, too many bytes kept, too many passed over: each ends before it is unpacked."""
    monkeypatch.setattr(tarred_module, "MAX_MEMBERS", 2)
    assert refusal(tarred(dict.fromkeys("abc", b"")), tmp_path, "a.tgz") == "holds more than 2 files"
    monkeypatch.setattr(tarred_module, "_MAX_KEPT", 5)
    assert (
        refusal(tarred({"a.py": b"123", "b.py": b"456"}), tmp_path, "a.tgz") == "unpacks to more than 5 bytes"
    )
    monkeypatch.setattr(tarred_module, "_MAX_UNPACKED", 10_000)
    bomb = tarred({"a.bin": bytes(50_000), "b.py": b"1"})
    assert refusal(bomb, tmp_path, "a.tgz") == "unpacks to more than 9.77 KiB"


def test_a_forged_header_does_not_ask_for_gigabytes(tmp_path):
    """A long name's length is the archive's word; it is not believed."""
    entry = tarfile.TarInfo("././@LongLink")
    entry.type, entry.size = tarfile.GNUTYPE_LONGNAME, 1 << 33
    data = gzip.compress(entry.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    assert refusal(data, tmp_path, "a.tgz") == "is a damaged tar; pack it again"


def test_an_archive_within_a_hand_in_is_laid_out_from_memory():
    """A student's own zip is a folder of theirs; what is too large or no archive is refused."""
    with ExitStack() as stack:
        assert contents(open_nested(member("a.zip", zipped({"x.py": b"1"})), stack)) == {"x.py": b"1"}
        assert contents(open_nested(member("a.zip", tarred({"x.py": b"1"})), stack)) == {"x.py": b"1"}
        with pytest.raises(UnreadableError, match="is damaged, or no archive at all"):
            open_nested(member("a.rar", b"text"), stack)


def test_archives_are_told_by_their_first_bytes():
    """The name of a file says nothing about it."""
    assert kind_of(b"def f():\n    pass\n") == ""
    assert kind_of(zipped({})) == "zip"
    assert kind_of(tarred({"a": b""}, "w")) == "tar"
    assert kind_of(b"\xfd7zXZ\x00").startswith("is packed with xz")


def test_a_source_file_is_never_taken_for_an_archive(tmp_path, stack):
    """A zip by the name of a source file is that file, to be told its student."""
    made = opened(zipped({"x.py": b"1"}), stack, tmp_path, "reservation.py")
    assert [m.path for m in made.members] == ["reservation.py"]
    assert not made.archive
    assert io.BytesIO(made.members[0].read(1000)).read(2) == b"PK"
