"""Read Brightspace's download: ``{user}-{folder} - {First Last} - {Oct 10, 2025 1022 AM}/file``.

The number ends at the first `` - ``, the date begins after the last one, and the name may contain more of
them. Each time of handing in has its own folder. A file without a folder has its own name behind one more
`` - ``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from grader.base.flags import UNREADABLE_TIME
from grader.intake.handin import HandIn, Sender, Setting, SortedTree, flags_of, share_named
from grader.sources.tree import Member, Tree
from grader.sources.when import read_time

LABEL = "Brightspace's submissions"

_FOLDER = re.compile(r"(\d+)-\d+ - (.+?)\s*- ([^-]*\d{4}[^-]*)", re.DOTALL)
_FILE = re.compile(_FOLDER.pattern + r" - (.+)", re.DOTALL)


def recognise(tree: Tree, setting: Setting) -> float:
    """Return the share at the top with a name of Brightspace's."""
    del setting
    return share_named(tree, folder=_FOLDER.fullmatch, file=_FILE.fullmatch)


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each folder, or for the files without a folder of one time."""
    groups: dict[tuple[str, ...], list[Member]] = defaultdict(list)  # by user, name and date
    received: dict[tuple[str, ...], str] = {}
    leftover = []
    for top in tree.tops:
        if found := _FOLDER.fullmatch(top):
            groups[found.groups()] += tree.below(top).members
            received[found.groups()] = top
        else:
            leftover += [m for m in tree.members if len(m.parts) > 1 and m.parts[0] == top]
    for member in (m for m in tree.members if len(m.parts) == 1):
        if found := _FILE.fullmatch(member.name):
            *place, file = found.groups()
            groups[tuple(place)].append(replace(member, parts=(file,)))
            received.setdefault(tuple(place), member.name)
        else:
            leftover.append(member)
    hand_ins = []
    for (user, name, date), members in groups.items():
        sender = Sender(user, "brightspace_id", name)
        time = read_time(date, setting.zone)
        flags = (*flags_of(sender), *(() if time else (UNREADABLE_TIME,)))
        hand_ins.append(HandIn((sender,), tuple(members), received[user, name, date], time, flags=flags))
    return SortedTree(tuple(sorted(hand_ins, key=lambda one: one.received_as)), tuple(leftover))
