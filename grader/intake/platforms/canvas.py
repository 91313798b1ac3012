"""Read Canvas's "Download Submissions": ``{name}_[LATE_]{user id}_{attachment id}_{file}`` in one folder.

The name is in lower case and may contain ``_`` and digits, so that a file name may be read in several ways;
the roster decides, and without one such a file is listed, not guessed. Canvas gives the latest attempt only.
A number behind an expected name (``reservation-1.py``) marks another copy; the one with the highest
attachment id is the newest.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from grader.base.errors import UsageError
from grader.base.flags import ANONYMOUS, CANVAS_LATE, SEVERAL_FILES
from grader.intake.choose import expected_names
from grader.intake.handin import HandIn, Sender, Setting, SortedTree, handed_in, one_of, share_named
from grader.roster.roster import Person
from grader.sources.names import nothing_in_common, same_name
from grader.sources.tree import Member, Tree

LABEL = "Canvas's submissions"

_NO_TIMES = (
    "Canvas's download does not say when anything was handed in, so lateness cannot be charged: "
    'read the class with "grader fetch canvas", which brings the times, '
    'or set late.applied_by = "platform" in course.toml and let Canvas take the points off.'
)
_UNSURE = "its name can be read in more than one way"
_ANONYMOUS = re.compile(r"(LATE_)?(anon_[A-Za-z0-9]{5})_(\d+)_(.+)", re.DOTALL)
_NAMED = re.compile(r"(LATE_)?(\d+)_(?:(\d+)_(.+)|((?:text|link)\.html))", re.DOTALL)
COPY = re.compile(r"-\d+(?=\.[^.]*$)")
"""The number that Canvas puts behind a name that the student has used before."""


class _Reading(NamedTuple):
    """One way to read a file name."""

    name: str
    user: str
    attachment: int
    file: str
    late: bool


def recognise(tree: Tree, _setting: Setting) -> float:
    """Return the share of the files at the top with a name of Canvas's."""
    return share_named(tree, file=lambda name: any(_readings(name)))


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each user id, and one for files with a name that can be read in several ways.

    Raises UsageError if the kit charges lateness, and Canvas's download does not say when anything came.
    """
    late = setting.exercise.late
    if late is not None and late.applied_by == "kit" and setting.exercise.due is not None:
        raise UsageError(_NO_TIMES)
    people = {p.canvas_id or p.id: p for p in setting.roster.people} if setting.roster else {}
    # By each way to read a file's name: the files that can be read in these ways. A user is one way.
    groups: dict[tuple[tuple[str, str], ...], list[tuple[Member, Sequence[_Reading]]]] = defaultdict(list)
    leftover = []
    for member in tree.members:
        readings = list(_readings(member.name)) if len(member.parts) == 1 else []
        if readings:
            likely = _likely(readings, people)
            ways = tuple((one.user, one.name if len(likely) > 1 else "") for one in likely)
            groups[ways].append((member, likely))
        else:
            leftover.append(member)
    found = []
    for ways, files in groups.items():
        first = files[0][0].name
        each = [
            _one([(member, readings[way]) for member, readings in files], setting, first)
            for way in range(len(ways))
        ]
        # A person who says whose such a file is adds it to that student's others.
        found.append(one_of(each if len(each) == 1 else (replace(one, stray=_UNSURE) for one in each), first))
    return SortedTree(tuple(sorted(found, key=lambda one: one.received_as)), tuple(leftover))


def _likely(readings: Sequence[_Reading], people: Mapping[str, Person]) -> Sequence[_Reading]:
    """Return the readings with a user on the roster; of several, those with a name like that person's.

    All but the first two begin in what may be the student's own file name, which can be anything: they count
    only with the person's whole name.
    """
    first = readings[0]
    begins = (first.name, f"{first.name}_{first.user}")
    known = [reading for reading in readings if reading.user in people]
    sure = [one for one in known if one.name in begins or same_name(one.name, people[one.user].name)]
    named = [one for one in sure if not nothing_in_common(one.name, people[one.user].name)]
    return (named if len(sure) > 1 else sure) or sure or readings


def _one(files: Sequence[tuple[Member, _Reading]], setting: Setting, received: str) -> HandIn:
    """Return the hand-in of one user, with the newest copy of each expected file."""
    expected = {name.casefold() for name in expected_names(setting.exercise)}
    newest: dict[str, Member] = {}
    for member, reading in sorted(files, key=lambda pair: pair[1].attachment):
        plain = COPY.sub("", reading.file)
        name = plain if plain.casefold() in expected else reading.file
        newest[name.casefold() if name == plain else name] = replace(member, parts=(name,))
    first = files[0][1]
    blind = first.user.startswith("anon_")
    sender = Sender(first.user, "id" if blind else "canvas_id", first.name)
    flags = [CANVAS_LATE] * any(reading.late for _, reading in files) + [ANONYMOUS] * blind
    flags += [SEVERAL_FILES] * (len(newest) < len(files))
    order = max(reading.attachment for _, reading in files)
    return handed_in([sender], newest.values(), received, order=order, flags=flags)


def _readings(name: str) -> Iterator[_Reading]:
    """Return every way to read a file name of Canvas's."""
    if found := _ANONYMOUS.fullmatch(name):
        yield _Reading("", found[2], int(found[3]), found[4], bool(found[1]))
        return
    for cut in (at + 1 for at, letter in enumerate(name) if letter == "_"):
        owner, rest = name[: cut - 1], name[cut:]
        if owner.endswith("_LATE"):
            continue  # names are in lower case, so this is Canvas's own word
        if found := _NAMED.fullmatch(rest):
            yield _Reading(owner, found[2], int(found[3] or 0), found[4] or found[5], bool(found[1]))
