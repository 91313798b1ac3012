"""Read Canvas's "Download Submissions": ``{name}_[LATE_]{user id}_{attachment id}_{file}`` in one folder.

The name is in lower case and may contain ``_`` and digits, so that a file name may be read in several ways;
the roster decides, and without one such a file is listed, not guessed. Canvas gives the latest attempt only.
A number behind an expected name (``reservation-1.py``) marks another copy; the one with the highest
attachment id is the newest.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.base.errors import UsageError
from grader.base.flags import ANONYMOUS, CANVAS_LATE, SEVERAL_FILES
from grader.intake.choose import expected_names
from grader.intake.handin import NOBODY, HandIn, Sender, Setting, SortedTree, flags_of, label, share_named
from grader.roster.roster import Roster
from grader.sources.names import nothing_in_common, same_name
from grader.sources.tree import Member, Tree

LABEL = "Canvas's submissions"

_NO_TIMES = (
    "Canvas's download does not say when anything was handed in, so lateness cannot be charged: "
    'read the class with "grader fetch canvas", which brings the times, '
    'or set late.applied_by = "platform" in course.toml and let Canvas take the points off.'
)
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


def recognise(tree: Tree, setting: Setting) -> float:
    """Return the share of the files at the top with a name of Canvas's."""
    del setting
    return share_named(tree, file=lambda name: any(_readings(name)))


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each user id.

    Files with a name that can be read in several ways are a hand-in of their own, unless a person said whose
    they are.

    Raises:
        UsageError: The kit charges lateness, and Canvas's download does not say when anything came.
    """
    # By the name and the user of each way to read a file's name: the files that can be read in these ways.
    late = setting.exercise.late
    if late is not None and late.applied_by == "kit" and setting.exercise.due is not None:
        raise UsageError(_NO_TIMES)
    groups: dict[tuple[tuple[str, str], ...], list[tuple[Member, Sequence[_Reading]]]] = defaultdict(list)
    leftover = []
    for member in tree.members:
        readings = list(_readings(member.name)) if len(member.parts) == 1 else []
        if readings:
            likely = _likely(readings, setting.roster)
            groups[tuple((r.name, r.user) for r in likely)].append((member, likely))
        else:
            leftover.append(member)
    count = Counter(user for ways in groups for user in {user for _, user in ways})
    found: list[HandIn] = []
    users: dict[str, list[tuple[Member, _Reading]]] = defaultdict(list)
    received: dict[str, str] = {}
    for ways, files in sorted(groups.items()):
        read = [[(member, readings[way]) for member, readings in files] for way in range(len(ways))]
        first = files[0][0].name
        student = setting.matches.get(label(first), (NOBODY,))[0]
        if len(ways) == 1:
            user, way = ways[0][1], 0
        elif student != NOBODY:
            user, way = _named_by_hand([user for _, user in ways], student, setting.roster, count)
        else:
            found.append(HandIn((), (), first, readings=tuple(_one(one, setting, first) for one in read)))
            continue
        users[user] += [(member, replace(reading, user=user)) for member, reading in read[way]]
        if student != NOBODY or user not in received:
            received[user] = first
    found += [_one(files, setting, received[user]) for user, files in users.items()]
    return SortedTree(tuple(sorted(found, key=lambda one: one.received_as)), tuple(leftover))


def _likely(readings: Sequence[_Reading], roster: Roster | None) -> Sequence[_Reading]:
    """Return the readings with a user on the roster; of several, those with a name like that person's.

    All but the first two begin in what may be the student's own file name, which can be anything: they count
    only with the person's whole name.
    """
    people = {person.canvas_id or person.id: person for person in roster.people} if roster else {}
    first = readings[0]
    sure = [
        reading
        for reading in readings
        if (person := people.get(reading.user))
        and (
            reading.name in (first.name, f"{first.name}_{first.user}") or same_name(reading.name, person.name)
        )
    ]
    named = [reading for reading in sure if not nothing_in_common(reading.name, people[reading.user].name)]
    return (named if len(sure) > 1 else sure) or sure or readings


def _named_by_hand(
    users: Sequence[str], student: str, roster: Roster | None, count: Mapping[str, int]
) -> tuple[str, int]:
    """Return the user, and the reading, of an ambiguous name that a person matched with a student.

    If the roster does not tell, it is the user with the most other files.
    """
    person = roster.person(student) if roster else None
    user = (person.canvas_id if person else "") or student
    if user in users:
        return user, users.index(user)
    way = max(range(len(users)), key=lambda at: (count[users[at]], at))
    return (person.canvas_id if person else "") or users[way], way


def _one(files: Sequence[tuple[Member, _Reading]], setting: Setting, received: str) -> HandIn:
    """Return the hand-in of one user, with the newest copy of each expected file."""
    expected = {name.casefold() for name in expected_names(setting.exercise)}
    newest: dict[str, Member] = {}
    for member, reading in sorted(files, key=lambda pair: pair[1].attachment):
        plain = _COPY.sub("", reading.file)
        name = plain if plain.casefold() in expected else reading.file
        newest[name.casefold() if name == plain else name] = replace(member, parts=(name,))
    first = files[0][1]
    blind = first.user.startswith("anon_")
    sender = Sender(first.user, "id" if blind else "canvas_id", first.name)
    flags = list(flags_of(sender))
    if any(reading.late for _, reading in files):
        flags.append(CANVAS_LATE)
    if blind:
        flags.append(ANONYMOUS)
    if len(newest) < len(files):
        flags.append(SEVERAL_FILES)
    order = max(reading.attachment for _, reading in files)
    return HandIn((sender,), tuple(newest.values()), received, order=order, flags=tuple(flags))


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
            yield _Reading(owner, found[2], int(found[3]), found[4], bool(found[1]))
        elif found := _TEXT.fullmatch(rest):
            yield _Reading(owner, found[2], 0, found[3], bool(found[1]))
