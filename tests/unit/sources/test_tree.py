"""Members and trees: names cleaned, junk left out, limits kept."""

import pytest
from helpers.intake_class import contents, make_tree, member, tree

from grader.base.text import printable
from grader.sources.tree import (
    Listing,
    Member,
    Refused,
    UnreadableError,
    clean_parts,
    size_text,
)


def problem_of(name: str) -> str:
    """Why a member of that name is not read."""
    return make_tree("a", [member(name)]).members[0].problem


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("reservation.py", ("reservation.py",)),
        ("./ada//reservation.py", ("ada", "reservation.py")),
        ("ada\\sub\\reservation.py", ("ada", "sub", "reservation.py")),
        ("a.b/..c/d", ("a.b", "..c", "d")),
    ],
)
def test_an_ordinary_name_is_split_into_parts(name, parts):
    """Both slashes separate, "." is dropped."""
    assert clean_parts(name) == parts


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../evil.py", "has a name that leads out of its folder"),
        ("a/../../evil.py", "has a name that leads out of its folder"),
        ("..\\evil.py", "has a name that leads out of its folder"),
        ("../class-evil/x.py", "has a name that leads out of its folder"),
        ("/abs.py", "has an absolute name"),
        ("\\abs.py", "has an absolute name"),
        ("C:evil.py", "has an absolute name"),
        ("c:\\evil.py", "has an absolute name"),
        ("a.py\0.txt", "has a NUL in its name"),
        ("./", "has no name"),
        ("", "has no name"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name, why):
    """No name of an archive is used as a path."""
    with pytest.raises(UnreadableError) as error:
        clean_parts(name)
    assert str(error.value) == why


def test_lone_surrogates_are_escaped():
    """From bytes of a tar that are not UTF-8, or from anywhere else."""
    assert clean_parts("Jos\udce9/\udcc3\udca9.py") == ("Jos\\xe9", "\u00e9.py")
    assert clean_parts("\ud800/\udce9.py") == ("\\ud800", "\\xe9.py")


def test_a_huge_name_is_cut_before_it_is_normalized():
    """Combining characters take quadratic time; the rest is still too long."""
    for part in ("a" * 30_000, "a" + "\u0323\u0301" * 15_000, "\u03b1\u0313\u0300\u0345" * 7_000):
        (cut,) = clean_parts(part)
        assert cut == part[:1000]
        assert problem_of(cut) == "has a name that is too long for a file"
    with pytest.raises(UnreadableError, match="has a name that is too long for a file"):
        clean_parts("a" + "\u0323\u0301" * 8_000_000)
    with pytest.raises(UnreadableError, match="has a name that is too long for a file"):
        clean_parts("a/" * 8_000_000)
    assert len(printable("\x1b" * 20_000_000)) == 120


def test_a_member_is_read_up_to_its_limit():
    """A file of exactly the limit is read, one byte more is refused, whatever size was declared."""
    data = b"x" * 10
    assert Member(("a",), 10, lambda n: data[:n]).read(10) == data
    for declared in (3, 10):
        with pytest.raises(UnreadableError, match="is 10 bytes, and the limit is 9 bytes"):
            Member(("a",), declared, lambda n: data[:n]).read(9)


def test_a_large_member_is_refused_without_reading_it():
    """The declared size alone is enough to refuse a file of 100 MB."""

    def never(_: int) -> bytes:
        pytest.fail("it was read")

    with pytest.raises(UnreadableError, match=r"is 95.4 MiB, and the limit is 256 KiB"):
        Member(("a.py",), 100_000_000, never).read(256 << 10)


def test_a_member_with_a_problem_raises_it():
    """It is not read."""
    with pytest.raises(UnreadableError, match=r"^is a symbolic link$"):
        Member(("a",), problem="is a symbolic link").read(10)


def test_files_of_tools_and_systems_are_left_out():
    """macOS's, an editor's or a version control's."""
    files = [
        "ada/reservation.py",
        "__MACOSX/ada/._reservation.py",
        "ada/._reservation.py",
        "ada/.DS_Store",
        "ada/Thumbs.db",
        "ada/__pycache__/reservation.cpython-311.pyc",
        "ada/.git/config",
        "ada/node_modules/x/reservation.py",
        "ada/.ipynb_checkpoints/reservation.py",
        "ada/any/site-packages/reservation.py",
    ]
    assert list(contents(tree(files))) == ["ada/reservation.py"]


def test_only_the_virtual_environment_is_left_out():
    """One that was made among the files hides none of them."""
    files = ["env/pyvenv.cfg", "env/lib/python3/x.py", "env/bin/python", "env/reservation.py", "lib/y.py"]
    assert list(contents(tree(files))) == ["env/pyvenv.cfg", "env/reservation.py", "lib/y.py"]
    assert tree(["pyvenv.cfg", "Scripts/x.py", "x.py"]).tops == ()


def test_a_path_that_occurs_twice_is_not_read():
    """Neither of two members of one name."""
    made = make_tree("a", [member("x.py", b"1"), member("x.py", b"2"), member("y.py", b"3")], ())
    assert contents(made) == {"x.py": "occurs more than once", "y.py": b"3"}


def test_names_are_brought_to_nfc_unless_two_would_become_one():
    """Two folders may be two students'; each keeps its spelling, and what lies in it is normalized."""
    one, two = "Jos\u00e9", "Jose\u0301"
    assert tree({f"{two}/{two}.py": b"1", f"{two}/": b""}).members[0].path == f"{one}/{one}.py"
    made = tree({f"{one}/x.py": b"1", f"{two}/x.py": b"2", f"{two}/{two}.py": b"3", f"{two}/e/": b""})
    assert made.tops == (two, one)
    assert contents(made) == {f"{one}/x.py": b"1", f"{two}/x.py": b"2", f"{two}/{one}.py": b"3"}
    assert made.below(two).folders == (("e",),)


def test_a_tree_is_sorted_and_can_be_entered():
    """The source's order does not matter; a folder is a tree of its own, empty ones too."""
    made = tree({"b/y.py": b"2", "a/x.py": b"1", "c/": b"", "c/d/": b"", "b": b"0"})
    assert made.tops == ("a", "b", "c")
    assert [m.path for m in made.members] == ["a/x.py", "b", "b/y.py"]
    below = made.below("b")
    assert (below.name, contents(below)) == ("b", {"y.py": b"2"})
    assert made.below("c").folders == (("d",),)


def test_many_refused_names_are_summed_up():
    """A zip of fifty thousand bad names does not fill the screen."""
    made = make_tree("a", [], (), [Refused(f"../{n}", "leads out") for n in range(50)])
    assert len(made.refused) == 21
    assert made.refused[-1] == Refused("30 more members", "have such names too")


def test_a_part_longer_than_255_bytes_is_too_long():
    """Bytes count, not letters."""
    for name in ("a" * 255, "é" * 127):
        assert problem_of(name) == ""
    for name in ("ok/" + "a" * 256, "é" * 128):
        assert problem_of(name) == "has a name that is too long for a file"


def test_shown_text_is_printable():
    """Control characters, direction marks and line ends become escapes; long text is cut."""
    assert printable("a\x1b[2Jb\u202ec\nd") == "a\\x1b[2Jb\\u202ec\\nd"
    assert printable("李小明 Zoë") == "李小明 Zoë"
    assert printable("x" * 130) == "x" * 119 + "…"


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (5 << 30, "5 GiB")],
)
def test_sizes_are_written_for_people(size, text):
    """A size has three digits and a unit."""
    assert size_text(size) == text


def test_a_folder_that_cannot_be_read_has_a_name_to_show():
    """Its member has no name of its own."""
    assert Member(("ada", ""), problem="cannot be read").path == "ada/"
    assert Member(("",), problem="cannot be read").path == "The folder"


def left(listing: Listing, members) -> dict[str, str]:
    """The members that are left, with why they are not read."""
    for name in members:
        listing.members.append(member(name))
    return {one.path: one.problem for one in listing.tree("class").members}


def test_each_folder_may_hold_half_of_the_one_around_it():
    """To the third level: a class's folder may lie in one that was made for the download."""
    for parts, most in ((("a", ""), 40), (("a", "b", ""), 20), (("a", "b", "c", ""), 10)):
        listing = Listing(files=80)
        assert [listing.takes(parts) for _ in range(most + 1)] == [True] * most + [False]
    listing = Listing(files=80)
    assert all(listing.takes(("a", "b", "c", "d", "")) for _ in range(10))
    assert not listing.takes(("a", "b", "c", "d", ""))


def test_the_folder_that_is_full_is_named_not_the_one_around_it():
    """What lies beside it is read on."""
    listing = Listing(files=16)
    for n in range(6):
        listing.takes(("w", "m", f"{n}"))
    assert listing.takes(("w", "ada", "x.py"))
    assert left(listing, ["w/m/0", "w/m/1", "w/ada/x.py"]) == {
        "w/ada/x.py": "",
        "w/m/": "holds more than 4 files and folders",
    }


def test_files_at_the_top_count_for_the_whole():
    """They lie in no folder."""
    listing = Listing(files=3)
    assert all(listing.takes((f"{n}.py",)) for n in range(3))
    with pytest.raises(UnreadableError, match=r"^holds more than 3 files and folders$"):
        listing.takes(("4.py",))


def test_files_and_bytes_have_their_own_limits():
    """Each kind is counted by itself."""
    listing = Listing(files=8)
    assert all(listing.takes(("a", f"{n}"), 1 << 20) for n in range(4))
    assert not listing.takes(("a", "x"))
    assert left(listing, ["a/x", "b/z"]) == {"b/z": "", "a/": "holds more than 4 files and folders"}
    listing = Listing(kept=2048)
    assert listing.takes(("a", "x"), 1024)
    assert not listing.takes(("a", "y"), 1)
    assert left(listing, ["a/x", "b/z"]) == {"b/z": "", "a/": "unpacks to more than 1 KiB"}
