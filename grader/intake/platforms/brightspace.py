"""Read Brightspace's download: ``{user}-{folder} - {First Last} - {Oct 10, 2025 1022 AM}/file``.

The number ends at the first `` - ``, the date begins after the last one, and the name may contain more of
them. Each time of handing in has its own folder. A file without a folder has its own name behind one more
`` - ``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace

from grader.base.flags import UNREADABLE_TIME
from grader.intake.handin import HandIn, Sender, Setting, SortedTree, flags_of, share_named
from grader.intake.when import read_time
from grader.sources.tree import Member, Tree

LABEL = "Brightspace's submissions"

_FOLDER = re.compile(r"(\d+)-\d+ - (.+?)\s*- ([^-]*\d{4}[^-]*)", re.DOTALL)
_FILE = re.compile(_FOLDER.pattern + r" - (.+)", re.DOTALL)


@dataclass(frozen=True)
class _Place:
    """The student and the time that a folder's name states."""

    user: str
    name: str
    date: str


def recognise(tree: Tree, setting: Setting) -> float:
    """Return the share at the top with a name of Brightspace's."""
    del setting
    return share_named(tree, folder=_FOLDER.fullmatch, file=_FILE.fullmatch)


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each folder, or for the files without a folder of one time."""
    groups: dict[_Place, list[Member]] = defaultdict(list)
    received: dict[_Place, str] = {}
    leftover = []
    for top in tree.tops:
        if found := _FOLDER.fullmatch(top):
            place = _Place(found[1], found[2], found[3])
            groups[place] += tree.below(top).members
            received[place] = top
        else:
            leftover += [m for m in tree.members if len(m.parts) > 1 and m.parts[0] == top]
    for member in (m for m in tree.members if len(m.parts) == 1):
        if found := _FILE.fullmatch(member.name):
            place = _Place(found[1], found[2], found[3])
            groups[place].append(replace(member, parts=(found[4],)))
            received.setdefault(place, member.name)
        else:
            leftover.append(member)
    found_all = [_one(place, tuple(members), received[place], setting) for place, members in groups.items()]
    return SortedTree(tuple(sorted(found_all, key=lambda one: one.received_as)), tuple(leftover))


def _one(place: _Place, members: tuple[Member, ...], received: str, setting: Setting) -> HandIn:
    sender = Sender(place.user, "brightspace_id", place.name)
    time = read_time(place.date, setting.zone)
    flags = (*flags_of(sender), *(() if time else (UNREADABLE_TIME,)))
    return HandIn((sender,), members, received, submitted_at=time, flags=flags)
