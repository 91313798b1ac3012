"""Read Brightspace's download: ``{user}-{folder} - {First Last} - {Oct 10, 2025 1022 AM}/file``.

The number ends at the first `` - ``, the date begins after the last one, and the name may contain more of
them. Each time of handing in has its own folder. A file without a folder has its own name behind one more
`` - ``.
"""

import re

from grader.intake.handin import Sender, Setting, SortedTree, grouped, handed_in, share_named
from grader.sources.tree import Tree

LABEL = "Brightspace's submissions"

_FOLDER = re.compile(
    r"(?P<user>\d+)-(?P<number>\d+) - (?P<name>.+?)\s*- (?P<date>[^-]*\d{4}[^-]*)", re.DOTALL
)
_CLOCK = re.compile(r" (\d{1,2})(\d\d)(?= [ap]\.?m|$)", re.IGNORECASE)  # no file's name has a colon
_FILE = re.compile(_FOLDER.pattern + r" - (?P<file>.+)", re.DOTALL)


def recognise(tree: Tree, _setting: Setting) -> float:
    """Return the share at the top with a name of Brightspace's."""
    return share_named(tree, folder=_FOLDER.fullmatch, file=_FILE.fullmatch)


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each folder, or for the files without a folder of one time."""
    groups, leftover = grouped(tree, _FILE, _FOLDER)
    found = []
    for (user, _, name, date), (first, members) in groups.items():
        came = _CLOCK.sub(r" \1:\2", date)
        sender = Sender(user, "brightspace_id", name)
        found.append(handed_in([sender], members, first, came=came, zone=setting.zone))
    return SortedTree(tuple(found), leftover)
