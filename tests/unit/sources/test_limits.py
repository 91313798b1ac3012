"""What there is room for: in all, in each folder, in one hand-in."""

from __future__ import annotations

import pytest
from helpers.intake_class import member

from grader.sources.limits import Room
from grader.sources.tree import UnreadableError


def names(room: Room, members) -> dict[str, str]:
    """The members that are left, with why they are not read."""
    return {one.path: one.problem for one in room.without_full([member(name) for name in members])}


def test_each_folder_may_hold_half_of_the_one_around_it():
    """To the third level: a class's folder may lie in one that was made for the download."""
    for parts, most in ((("a", ""), 40), (("a", "b", ""), 20), (("a", "b", "c", ""), 10)):
        room = Room(files=80)
        assert [room.takes(parts, files=1) for _ in range(most + 1)] == [True] * most + [False]
    room = Room(files=80)
    assert all(room.takes(("a", "b", "c", "d", ""), files=1) for _ in range(10))
    assert not room.takes(("a", "b", "c", "d", ""), files=1)


def test_the_folder_that_is_full_is_named_not_the_one_around_it():
    """What lies beside it is read on."""
    room = Room(files=16)
    for n in range(6):
        room.takes(("w", "m", f"{n}"), files=1)
    assert room.takes(("w", "ada", "x.py"), files=1)
    assert names(room, ["w/m/0", "w/m/1", "w/ada/x.py"]) == {
        "w/ada/x.py": "",
        "w/m/": "holds more than 4 files and folders",
    }


def test_files_at_the_top_count_for_the_whole():
    """They lie in no folder."""
    room = Room(files=3)
    assert all(room.takes((f"{n}.py",), files=1) for n in range(3))
    with pytest.raises(UnreadableError, match=r"^holds more than 3 files and folders$"):
        room.takes(("4.py",), files=1)


def test_left_out_members_are_bounded_too():
    """A full folder costs the others nothing, but an archive with nothing else ends."""
    room = Room(files=4)
    assert [room.takes(("m", "x"), files=1) for _ in range(7)] == [True, True, *[False] * 5]
    with pytest.raises(UnreadableError, match=r"^holds more than 4 files and folders$"):
        room.takes(("m", "x"), files=1)


def test_every_kind_has_its_own_limit():
    """Files, bytes that are skipped, bytes that are kept."""
    for what, why in (
        ("files", "holds more than 1024 files and folders"),
        ("unpacked", "unpacks to more than 1 KiB"),
        ("kept", "unpacks to more than 1 KiB"),
    ):
        room = Room(**{what: 2048})
        assert room.takes(("a", "x"), **{what: 1024})
        assert not room.takes(("a", "y"), **{what: 1})
        assert names(room, ["a/x", "b/z"]) == {"b/z": "", "a/": why}


def test_a_hand_in_is_counted_as_a_whole():
    """All of its folders are one student's: 512 MiB unpacked, 64 MiB kept."""
    room = Room.of_hand_in()
    assert room.takes(("a", "x"), kept=64 << 20, unpacked=512 << 20)
    with pytest.raises(UnreadableError, match=r"^unpacks to more than 64 MiB$"):
        room.takes(("b", "y"), kept=1)
    assert room.listed == 50_000


def test_folders_count_as_files_do():
    """An entry counts with the new folders above it, and a folder's own entry counts at least once."""
    room, folders = Room(files=6, by_folder=False), set()
    for parts in (("a", "b", "x"), ("a", "b", "y"), ("a", "")):
        assert room.takes_entry(parts, folders)
    assert folders == {("a",), ("a", "b")}
    assert room.listed == 1
    with pytest.raises(UnreadableError):
        room.takes_entry(("c", "d", ""), folders)
