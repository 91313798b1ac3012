"""Read what ``grader fetch`` brought; ``fetched.json`` lists the hand-ins with students and times."""

from dataclasses import replace
from datetime import datetime
from functools import reduce

import msgspec

from grader.intake.handin import Sender, Setting, SortedTree, handed_in
from grader.sources.tree import Tree, UnreadableError

LABEL = "what grader fetch brought"
INDEX = "fetched.json"  # the file that lists what was fetched; no student's file lies beside it
ONLINE_TEXT = "onlinetext.html"
"""What students typed into the page instead of handing in a file, as Moodle names it."""

_MAX_INDEX = 64 << 20


class FetchedHandIn(msgspec.Struct, frozen=True):
    """One attempt: its folder below the index, whose it is by their ids, its number, and when it came."""

    folder: str
    students: tuple[str, ...]
    attempt: int = 0
    submitted_at: datetime | None = None


class Index(msgspec.Struct, frozen=True):
    """What was fetched from one assignment; ``place`` names platform, course and assignment."""

    place: str
    hand_ins: tuple[FetchedHandIn, ...] = ()


def recognise(tree: Tree, _setting: Setting) -> float:
    """Return 1 if the index lies at the top."""
    return float(INDEX in tree.files)


def hand_ins(tree: Tree, _setting: Setting) -> SortedTree:
    """Return the hand-ins that the index lists. Raises UnreadableError if the index is damaged."""
    if INDEX not in tree.files:
        raise UnreadableError(f"was not fetched: it has no {INDEX}")
    try:
        listed = msgspec.json.decode(tree.files[INDEX].read(_MAX_INDEX), type=Index).hand_ins
    except msgspec.DecodeError:
        raise UnreadableError(f"is not readable: its {INDEX} is damaged; fetch again") from None
    found = []
    for one in listed:
        members = reduce(Tree.below, one.folder.split("/"), tree).members
        hand_in = handed_in(map(Sender, one.students), members, one.folder)
        found.append(replace(hand_in, submitted_at=one.submitted_at, attempt=one.attempt))
    return SortedTree(tuple(found))
