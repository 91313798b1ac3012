"""Canvas's "Download Submissions": ``{name}_[LATE_]{user id}_{attachment id}_{file}``, all in one folder.

The name is lower-cased and may itself hold ``_`` and digits, so that a file name can be read in several
ways; the roster decides, and without one such a file is listed instead of guessed. The files are of one
attempt, the latest; a number at the end of a file's own name (``reservation-1.py``) marks a further copy, and
of several copies the one with the highest attachment id is the newest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.intake.handin import ANONYMOUS, HandIn, Setting, Sorted, Who, flags_of
from grader.intake.member import Member, Tree

LABEL = "Canvas's submissions"

_ANONYMOUS = re.compile(r"(LATE_)?(anon_[A-Za-z0-9]{5})_(\d+)_(.+)", re.DOTALL)
_NAMED = re.compile(r"(LATE_)?(\d+)_(\d+)_(.+)", re.DOTALL)
_TEXT = re.compile(r"(LATE_)?(\d+)_((?:text|link)\.html)")
_COPY = re.compile(r"-\d+(?=\.[^.]*$)")


@dataclass(frozen=True)
class _Reading:
    """One way to read a file name."""

    name: str
    user: str
    attachment: int
    file: str
    late: bool


def recognise(tree: Tree, setting: Setting) -> bool:
    """Whether most files at the top, and one at least, are named like Canvas's."""
    del setting
    files = [m for m in tree.members if len(m.parts) == 1]
    named = [m for m in files if any(_readings(m.name))]
    return bool(named) and 2 * len(named) > len(files)


def hand_ins(tree: Tree, setting: Setting) -> Sorted:
    """One hand-in for each user id."""
    people = setting.roster.people if setting.roster else ()
    known = {person.canvas_id or person.id for person in people}
    groups: dict[tuple[tuple[str, str], ...], list[tuple[Member, list[_Reading]]]] = defaultdict(list)
    leftover = []
    for member in tree.members:
        readings = list(_readings(member.name)) if len(member.parts) == 1 else []
        readings = [reading for reading in readings if reading.user in known] or readings
        if readings:
            groups[tuple((r.name, r.user) for r in readings)].append((member, readings))
        else:
            leftover.append(member)
    found = []
    for ways, files in sorted(groups.items()):
        each = tuple(_one([(m, readings[way]) for m, readings in files]) for way in range(len(ways)))
        found.append(each[0] if len(each) == 1 else HandIn((), (), files[0][0].name, readings=each))
    return Sorted(tuple(found), tuple(leftover))


def _one(files: Sequence[tuple[Member, _Reading]]) -> HandIn:
    """The hand-in of one user, of each file its newest copy."""
    newest: dict[str, Member] = {}
    for member, reading in sorted(files, key=lambda pair: pair[1].attachment):
        newest[_COPY.sub("", reading.file)] = replace(member, parts=(reading.file,))
    first = files[0][1]
    blind = first.user.startswith("anon_")
    who = Who(first.user, "id" if blind else "canvas_id", first.name)
    flags = list(flags_of(who))
    if any(reading.late for _, reading in files):
        flags.append("canvas-late")
    if blind:
        flags.append(ANONYMOUS)
    if len(newest) < len(files):
        flags.append("several-files")
    order = max(reading.attachment for _, reading in files)
    return HandIn((who,), tuple(newest.values()), files[0][0].name, order=order, flags=tuple(flags))


def _readings(name: str) -> Iterator[_Reading]:
    """Every way to read a file name of Canvas's."""
    if found := _ANONYMOUS.fullmatch(name):
        yield _Reading("", found[2], int(found[3]), found[4], bool(found[1]))
        return
    for cut in (at + 1 for at, letter in enumerate(name) if letter == "_"):
        owner, rest = name[: cut - 1], name[cut:]
        if owner.endswith("_LATE"):
            continue  # names are lower-cased, so that this is Canvas's own word
        if found := _NAMED.fullmatch(rest):
            yield _Reading(owner, found[2], int(found[3]), found[4], bool(found[1]))
        elif found := _TEXT.fullmatch(rest):
            yield _Reading(owner, found[2], 0, found[3], bool(found[1]))
