"""Canvas's "Download Submissions": ``{name}_[LATE_]{user id}_{attachment id}_{file}``, all in one folder.

The name is lower-cased and may itself hold ``_`` and digits, so that a file name can be read in several
ways; the roster decides, and without one such a file is listed instead of guessed. A number at the end of
the file's own name (``reservation-1.py``) marks a further copy of it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from grader.intake.handin import HandIn, Setting, Sorted, Who
from grader.intake.member import Member, Tree

LABEL = "Canvas's submissions"

_ANONYMOUS = re.compile(r"(LATE_)?(anon_[A-Za-z0-9]{5})_(\d+)_(.+)", re.S)
_NAMED = re.compile(r"(LATE_)?(\d+)_(\d+)_(.+)", re.S)
_TEXT = re.compile(r"(LATE_)?(\d+)_((?:text|link)\.html)")


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
    known = {p.canvas_id or p.id for p in setting.roster.people} if setting.roster else set()
    groups: dict[tuple[tuple[str, str], ...], list[tuple[Member, list[_Reading]]]] = defaultdict(list)
    leftover = []
    for member in tree.members:
        readings = list(_readings(member.name)) if len(member.parts) == 1 else []
        readings = [r for r in readings if r.user in known] or readings
        if readings:
            groups[tuple((r.name, r.user) for r in readings)].append((member, readings))
        else:
            leftover.append(member)
    found = []
    for key, files in sorted(groups.items()):
        each = tuple(_one([(m, readings[i]) for m, readings in files]) for i in range(len(key)))
        found.append(each[0] if len(each) == 1 else HandIn((), (), files[0][0].name, readings=each))
    return Sorted(tuple(found), tuple(leftover))


def _one(files: list[tuple[Member, _Reading]]) -> HandIn:
    newest: dict[str, tuple[Member, _Reading]] = {}
    for member, reading in sorted(files, key=lambda pair: pair[1].attachment):
        newest[re.sub(r"-\d+(?=\.[^.]*$)", "", reading.file)] = (member, reading)
    first = files[0][1]
    flags = ["canvas-late"] if any(r.late for _, r in files) else []
    if first.user.startswith("anon_"):
        flags.append("anonymous")
    if first.name == "studenttest":
        flags.append("test-student")
    members = tuple(replace(m, parts=(r.file,)) for m, r in newest.values())
    who = Who(first.user, "canvas_id", first.name)
    return HandIn(
        (who,), members, files[0][0].name, attempt=max(r.attachment for _, r in files), flags=tuple(flags)
    )


def _readings(name: str) -> Iterator[_Reading]:
    """Every way to read a file name of Canvas's."""
    if found := _ANONYMOUS.fullmatch(name):
        yield _Reading("", found[2], int(found[3]), found[4], bool(found[1]))
        return
    for cut in (i + 1 for i, c in enumerate(name) if c == "_"):
        owner, rest = name[: cut - 1], name[cut:]
        if owner.endswith("_LATE"):
            continue
        if found := _NAMED.fullmatch(rest):
            yield _Reading(owner, found[2], int(found[3]), found[4], bool(found[1]))
        elif found := _TEXT.fullmatch(rest):
            yield _Reading(owner, found[2], 0, found[3], bool(found[1]))
