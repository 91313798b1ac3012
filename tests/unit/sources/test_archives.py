"""Zips and tars: nothing unpacked to disk, every trick refused by name, the rest read."""

import gzip
import io
import struct
import tarfile
import zipfile
from contextlib import ExitStack, suppress

import pytest
from helpers.intake_class import contents, member, tarred, zipped, zipped_link

from grader.sources import archives
from grader.sources.archives import archive_kind, open_nested, open_source, read_archive
from grader.sources.tree import Listing, Refused, UnreadableError


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
    """Files have their bytes, and an empty folder is listed."""
    made = opened(zipped({"ada/reservation.py": b"1", "grace/": b"", "x.py": b"2"}), stack, tmp_path)
    assert contents(made) == {"ada/reservation.py": b"1", "x.py": b"2"}
    assert (made.name, made.tops, made.archive) == ("class.zip", ("ada", "grace"), True)


def test_nothing_is_written_when_an_archive_is_read(tmp_path):
    """An archive's names touch no file system."""
    read(zipped({"a/b.py": b"1", "../../out.py": b"2", "/abs.py": b"3"}), tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["class.zip"]


def test_members_with_bad_names_are_refused_and_the_others_read(tmp_path):
    """One bad member does not cost the others their points."""
    found, refused = read(zipped({"../evil.py": b"1", "C:evil.py": b"2", "ada/x.py": b"3"}), tmp_path)
    assert found == {"ada/x.py": b"3"}
    assert refused == (
        Refused("../evil.py", "has a name that leads out of its folder"),
        Refused("C:evil.py", "has an absolute name"),
    )


def test_a_link_in_a_zip_is_refused_by_name(tmp_path):
    """It is neither followed nor graded."""
    found, _ = read(zipped_link("ada/reservation.py", "/etc/passwd"), tmp_path)
    assert found == {"ada/reservation.py": "is a link or a special file; the file itself is needed"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused(tmp_path):
    """Zipfile itself takes the last one silently."""
    found, _ = read(zipped([("x.py", b"good"), ("./x.py", b"bad"), ("y.py", b"1")]), tmp_path)
    assert found == {"x.py": "occurs more than once", "y.py": b"1"}


def test_a_file_and_a_folder_of_one_name_harm_nothing(tmp_path):
    """A disk could not hold both."""
    found, _ = read(zipped({"hw": b"1", "hw/x.py": b"2"}), tmp_path)
    assert found == {"hw": b"1", "hw/x.py": b"2"}


def test_utf8_names_are_recovered_and_others_kept(tmp_path):
    """Many tools write UTF-8 without the flag; other names stay as the format reads them."""
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


def test_a_name_too_long_for_a_file_system_is_named(tmp_path):
    """The others are read; an unpacking tool would stop there."""
    found, _ = read(zipped({"a" * 300 + ".py": b"1", "b.py": b"2"}), tmp_path)
    assert found == {"a" * 300 + ".py": "has a name that is too long for a file", "b.py": b"2"}


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_folder_that_is_too_deep_is_named(pack, tmp_path):
    """As in a folder on disk; it is nobody's trick, so nothing else is refused."""
    deep = "ada/" + "/".join("d" * 40)
    found, refused = read(pack({f"{deep}/x.py": b"1", f"{deep}/y.py": b"2", "ada/z.py": b"3"}), tmp_path)
    assert found == {"ada/z.py": b"3", "ada/" + "/".join("d" * 31) + "/": "lies more than 32 folders deep"}
    assert refused == ()


def test_a_bomb_is_refused_by_its_size(tmp_path):
    """It is not unpacked; text that compresses well is not a bomb."""
    zeros, text = bytes(5 << 20), b"x = 1\n" * 100
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        found, _ = read(zipped({"bomb.py": zeros, "text.py": text}, method), tmp_path)
        assert found == {"bomb.py": "is 5 MiB, and the limit is 1 MiB", "text.py": text}


def test_a_false_size_is_found_out(tmp_path):
    """A member with more bytes than it declares is damaged."""
    data = bytearray(zipped({"x.py": bytes(3000)}))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 100)
    assert read(bytes(data), tmp_path)[0] == {"x.py": "is damaged inside its zip; pack it again"}


def test_a_damaged_member_costs_itself_only(tmp_path):
    """A wrong checksum affects only that member."""
    data = zipped({"x.py": b"return 1", "y.py": b"2"}, zipfile.ZIP_STORED).replace(b"return 1", b"return 2")
    assert read(data, tmp_path)[0] == {"x.py": "is damaged inside its zip; pack it again", "y.py": b"2"}


def test_an_unusual_packing_is_named(tmp_path):
    """What Python cannot unpack is not guessed; what it can is read."""
    data = zipped({"x.py": b"1"}, zipfile.ZIP_LZMA)
    assert read(data, tmp_path)[0] == {"x.py": b"1"}
    data = data.replace(b"\x0e\x00", b"\x09\x00")  # method 9, "Deflate64"
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
    """Empty, without files, cut off, not a zip, another archive named like a zip."""
    assert refusal(data, tmp_path) == why


def read_tar(stream, listing=None):
    """The tree of a tar."""
    with ExitStack() as stack:
        return read_archive(stream, "a.tar", "tar", stack, listing)


def refused_in(listing: Listing, data: bytes) -> str:
    """Why an archive is refused that has only this room."""
    with ExitStack() as stack, pytest.raises(UnreadableError) as error:
        read_archive(io.BytesIO(data), "a", archive_kind(data[:512]), stack, listing)
    return str(error.value)


def test_an_archive_of_too_many_files_is_refused():
    """Counted before anything is read of them."""
    for pack in (zipped, tarred):
        why = refused_in(Listing(files=2), pack(dict.fromkeys("abc", b"")))
        assert why == "holds more than 2 files and folders"


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_student_of_too_many_files_costs_the_class_nothing(pack, stack):
    """The full folder is named, whether it comes first, last or between."""
    for crowd in ("a", "mallory", "z"):
        files = {"bo/reservation.py": b"1", "nan/reservation.py": b"2"}
        files |= {f"{crowd}/{n}.py": b"" for n in range(12)}
        data, listing = pack(dict(sorted(files.items()))), Listing(files=20)
        made = read_archive(io.BytesIO(data), "c", archive_kind(data), stack, listing)
        assert contents(made) == {
            "bo/reservation.py": b"1",
            "nan/reservation.py": b"2",
            f"{crowd}/": "holds more than 10 files and folders",
        }


def test_a_student_of_too_many_bytes_costs_the_class_nothing():
    """Only bytes that are kept in memory count; the others are skipped."""
    files = {
        "ada/reservation.py": b"1",
        "m/x.bin": bytes(9_000),
        "m/x.py": bytes(300),
        "m/y.py": b"",
        "z/reservation.py": b"2",
    }
    made = read_tar(io.BytesIO(tarred(files)), Listing(kept=400))
    why = "unpacks to more than 200 bytes"
    assert contents(made) == {"ada/reservation.py": b"1", "m/": why, "z/reservation.py": b"2"}


def test_a_tar_is_read_packed_and_plain_whatever_its_name(tmp_path):
    """The content tells the kind of archive."""
    files = {"ada/reservation.py": b"1", "grace/": b"", "ada/report.pdf": b"%PDF"}
    expected = {"ada/reservation.py": b"1", "ada/report.pdf": "is not a file of this exercise"}
    for name, mode in (("class.tar.gz", "w:gz"), ("class.tar", "w"), ("class.zip", "w:gz")):
        assert read(tarred(files, mode), tmp_path, name)[0] == expected


def test_links_and_special_files_of_a_tar_are_refused_by_name(tmp_path):
    """Hard links too, because they lead to other members."""
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
    monkeypatch.setattr(archives, "_MAX_FILE", 100)
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
    """Cut off, not a tar inside, empty, another compression."""
    assert refusal(data, tmp_path, "class.tar.gz") == why


def test_a_tar_bomb_is_stopped():
    """Too many bytes kept end the reading before they are unpacked."""
    assert refused_in(Listing(kept=5), tarred({"a.py": b"123", "b.py": b"456"})) == (
        "unpacks to more than 5 bytes"
    )


def test_a_repeated_entry_is_counted():
    """A folder that is listed a thousand times takes work too."""
    entry = tarfile.TarInfo("a")
    entry.type = tarfile.DIRTYPE
    assert (
        refused_in(Listing(files=99), gzip.compress(entry.tobuf() * 1000))
        == "holds more than 99 files and folders"
    )


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """A tar's header; tools write none of a size below zero."""
    entry = tarfile.TarInfo(name)
    entry.type = kind
    block = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = b"\xff" * 4 + size.to_bytes(8, "big", signed=True) if size < 0 else b"%011o\0" % size
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def record(text: bytes) -> bytes:
    """A record of an extended header; the digits of its length count, too."""
    size = next(size for size in range(len(text), len(text) + 9) if size == len(b"%d %b\n" % (size, text)))
    return b"%d %b\n" % (size, text)


def extended(*records: bytes) -> bytes:
    """An extended header with these records, as they are."""
    data = b"".join(records)
    return header("pax", len(data), tarfile.XHDTYPE) + data + bytes(-len(data) % 512)


@pytest.mark.parametrize(
    "data",
    [
        header("././@LongLink", (1 << 33) - 1, tarfile.GNUTYPE_LONGNAME) + bytes(1024),
        header("loop.bin", -512) + bytes(1024),
        header("x.py", -(1 << 40)) + bytes(1024),
        extended(record(b"size=-512")) + header("x.py", 0),
        (header("././@LongLink", 2, tarfile.GNUTYPE_LONGNAME) + b"x".ljust(512, b"\0")) * 2000,
        extended(record(b"path=some.py")) * 2000 + header("x.py", 0),
        header("x.py", 0) + extended(record(b"path=some.py")),
        header("x.py", 600) + bytes(512),
        header("x.py", 0) + b"no header".ljust(512, b"."),
    ],
    ids=[
        "gigabytes of a name", "loop", "far back", "size in words", "2,000 names", "2,000 extended headers",
        "nothing after", "cut off", "no header",
    ],
)  # fmt: skip
def test_a_forged_header_is_damage(data):
    """A size below zero or beyond the end, or endless names, are damage."""
    for packed in (data, gzip.compress(data)):
        with pytest.raises(UnreadableError, match="is a damaged tar; download or pack it again"):
            read_tar(io.BytesIO(packed))


@pytest.mark.parametrize("records", [b"3 2 2 2 2=", b"1" * 512, b"9999 a=b\n"])
def test_a_forged_record_costs_nothing_else(records):
    """Some versions of Python leave it out, others find damage."""
    data = extended(records) + header("x.py", 1) + b"1".ljust(512, b"\0")
    with suppress(UnreadableError):
        assert contents(read_tar(io.BytesIO(data))) == {"x.py": b"1"}


def test_a_tar_is_read_forwards_only():
    """Nothing is unpacked twice."""

    class Forwards(io.BytesIO):
        def seek(self, target, whence=0):
            assert (target, whence) == (0, 0)
            assert self.tell() <= 2
            return super().seek(target, whence)

    files = {f"{n}.{'py' if n % 2 else 'bin'}": bytes(700 * n) for n in range(9)}
    for mode in ("w", "w:gz"):
        assert len(read_tar(Forwards(tarred(files, mode))).members) == 9


def test_names_of_all_formats_are_read(stack, tmp_path):
    """Long names in any script, as GNU, POSIX and the oldest tools write them."""
    deep = "/".join(["Zoë " + "x" * 90] * 3) + "/reservation.py"
    for kind in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=kind, pax_headers={"comment": "c" * 40}) as made:
            for name in (deep, "a/hands_on.py"):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime = 3, 1.5
                made.addfile(entry, io.BytesIO(b"abc"))
            link = tarfile.TarInfo("link.py")
            link.type, link.linkname = tarfile.SYMTYPE, "y" * 300
            made.addfile(link)
        why = "is a link or a special file; the file itself is needed"
        expected = {deep: b"abc", "a/hands_on.py": b"abc", "link.py": why}
        assert contents(opened(stream.getvalue(), stack, tmp_path, "a.tar")) == expected


def test_a_sparse_file_is_skipped():
    """With the rest of its map, in both formats; the member behind it is read."""
    first = bytearray(header("holes.py", 512, tarfile.GNUTYPE_SPARSE))
    first[482] = 1
    first[148:156] = b" " * 8
    first[148:156] = b"%06o\0 " % sum(first)
    data = bytes(first) + bytes(504) + b"\1" + bytes(7) + bytes(512) + b"1" * 512
    version = record(b"GNU.sparse.major=1") + record(b"GNU.sparse.minor=0")
    data += extended(version, record(b"GNU.sparse.name=b.py")) + header("x", 513)
    data += b"1\n0\n1\n".ljust(512, b"\0") + b"1".ljust(512, b"\0")
    data += header("x.py", 1) + b"1".ljust(512, b"\0")
    why = "is a link or a special file; the file itself is needed"
    assert contents(read_tar(io.BytesIO(data))) == {"holes.py": why, "b.py": why, "x.py": b"1"}


def test_names_that_are_not_utf8_are_escaped():
    """In a tar names are bytes; none becomes a lone surrogate."""
    for data in (
        tarred({"Jos\udce9/x.py": b"1"}, "w"),
        extended(record(b"path=Jos\xe9/x.py")) + header("y", 1) + b"1".ljust(512),
    ):
        assert contents(read_tar(io.BytesIO(data))) == {"Jos\\xe9/x.py": b"1"}


def test_a_gzip_file_of_many_parts_is_read():
    """Some tools pack in parts, and zeros may follow."""
    data = tarred({"x.py": b"1" * 30_000, "y.bin": bytes(3 << 20)}, "w")
    parts = b"".join(gzip.compress(data[at : at + 9_000]) for at in range(0, len(data), 9_000))
    assert contents(read_tar(io.BytesIO(parts + bytes(99))))["x.py"] == b"1" * 30_000


def test_members_that_nobody_reads_are_not_kept():
    """A text is kept if it may be a platform's, an archive if it may be opened."""
    files = {
        "a.txt": b"1", "a.py.txt": b"2", "Reservation.PY ": b"3", "timestamp.txt": b"4",
        "hw_ada_attempt_2025-10-10-10-22-33.txt": b"5", "a.zip": b"6", "b.ipynb": b"7",
    }  # fmt: skip
    found = contents(read_tar(io.BytesIO(tarred(files))))
    assert found == {**files, "a.txt": "is not a file of this exercise"}


def test_an_archive_within_a_hand_in_is_read_from_memory():
    """One that is too large or not an archive is refused."""
    with ExitStack() as stack:
        assert contents(open_nested(member("a.zip", zipped({"x.py": b"1"})), stack)) == {"x.py": b"1"}
        assert contents(open_nested(member("a.zip", tarred({"x.py": b"1"})), stack)) == {"x.py": b"1"}
        with pytest.raises(UnreadableError, match="is damaged, or not an archive"):
            open_nested(member("a.rar", b"text"), stack)


def test_archives_are_recognised_by_their_first_bytes():
    """The name does not matter."""
    assert archive_kind(b"def f():\n    pass\n") == ""
    assert archive_kind(zipped({})) == "zip"
    assert archive_kind(tarred({"a": b""}, "w")) == "tar"
    assert archive_kind(b"\xfd7zXZ\x00").startswith("is packed with xz")


def test_a_source_file_is_never_taken_for_an_archive(tmp_path, stack):
    """A zip named like a source file is that file, so that the student can be told."""
    made = opened(zipped({"x.py": b"1"}), stack, tmp_path, "reservation.py")
    assert [m.path for m in made.members] == ["reservation.py"]
    assert not made.archive
    assert io.BytesIO(made.members[0].read(1000)).read(2) == b"PK"
