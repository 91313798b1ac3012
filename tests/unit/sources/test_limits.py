"""What there is room for: in all and in each folder."""

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
        assert [room.takes(parts) for _ in range(most + 1)] == [True] * most + [False]
    room = Room(files=80)
    assert all(room.takes(("a", "b", "c", "d", "")) for _ in range(10))
    assert not room.takes(("a", "b", "c", "d", ""))


def test_the_folder_that_is_full_is_named_not_the_one_around_it():
    """What lies beside it is read on."""
    room = Room(files=16)
    for n in range(6):
        room.takes(("w", "m", f"{n}"))
    assert room.takes(("w", "ada", "x.py"))
    assert names(room, ["w/m/0", "w/m/1", "w/ada/x.py"]) == {
        "w/ada/x.py": "",
        "w/m/": "holds more than 4 files and folders",
    }


def test_files_at_the_top_count_for_the_whole():
    """They lie in no folder."""
    room = Room(files=3)
    assert all(room.takes((f"{n}.py",)) for n in range(3))
    with pytest.raises(UnreadableError, match=r"^holds more than 3 files and folders$"):
        room.takes(("4.py",))


def test_files_and_bytes_have_their_own_limits():
    """Each kind is counted by itself."""
    room = Room(files=8)
    assert all(room.takes(("a", f"{n}"), 1 << 20) for n in range(4))
    assert not room.takes(("a", "x"))
    assert names(room, ["a/x", "b/z"]) == {"b/z": "", "a/": "holds more than 4 files and folders"}
    room = Room(kept=2048)
    assert room.takes(("a", "x"), 1024)
    assert not room.takes(("a", "y"), 1)
    assert names(room, ["a/x", "b/z"]) == {"b/z": "", "a/": "unpacks to more than 1 KiB"}
