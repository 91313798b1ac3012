"""Read Blackboard's "Assignment File Download": ``{assignment}_{user name}_attempt_{date}[_{file}]``, flat.

Each attempt has a manifest, a ``.txt`` that names the student and the files' original names; it takes
precedence over the files' names. Without manifests, an ``_`` in the assignment or the user name makes it
uncertain where one ends: then the roster decides, or the split that all files allow; what stays uncertain is
listed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.base.flags import UNREADABLE_TIME
from grader.intake.handin import HandIn, Sender, Setting, SortedTree, flags_of, share_named
from grader.sources.tree import Member, Tree, UnreadableError
from grader.sources.when import read_time

LABEL = "Blackboard's submissions"

# The first date is Blackboard's; everything behind it is the student's file name.
_FILE = re.compile(
    r"(?P<owner>.+?)_attempt_(?P<date>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?P<file>.+)|(?P<manifest>\.txt))",
    re.DOTALL,
)
_PERSON = re.compile(r"^Name:[ \t]*(.*?)[ \t]*\(([^()\r\n]+)\)[ \t]*\r?$", re.MULTILINE)
_PAIR = re.compile(r"Original filename:[ \t]*(.+?)[ \t]*\r?\n\s*Filename:[ \t]*(.+?)[ \t]*\r?$", re.MULTILINE)
_MAX_MANIFEST = 1 << 20


@dataclass
class _Attempt:
    """The files of one owner and date; ``owner`` is the assignment and the user name in one.

    ``user``, ``name`` and ``names`` (original names by the archive's names) come from the manifest.
    """

    owner: str
    date: str
    received_as: str
    members: list[Member] = field(default_factory=list)
    user: str = ""
    name: str = ""
    names: dict[str, str] = field(default_factory=dict)


def recognise(tree: Tree, setting: Setting) -> float:
    """Return the share of the files at the top with a name of Blackboard's."""
    del setting
    return share_named(tree, file=_FILE.fullmatch)


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each attempt."""
    attempts: dict[tuple[str, str], _Attempt] = {}
    leftover = []
    for member in tree.members:
        found = _FILE.fullmatch(member.name) if len(member.parts) == 1 else None
        if not found:
            leftover.append(member)
            continue
        key = (found["owner"], found["date"])
        attempt = attempts.setdefault(key, _Attempt(*key, member.name))
        if found["manifest"]:
            _read_manifest(member, attempt)
        else:
            attempt.members.append(member)
    users = _users(list(attempts.values()), setting)
    one_each = [_one(attempt, users[attempt.owner], setting) for _, attempt in sorted(attempts.items())]
    return SortedTree(tuple(one_each), tuple(leftover))


def _read_manifest(member: Member, attempt: _Attempt) -> None:
    """Read the student and the files' original names; the student's own text stands between the two."""
    try:
        text = member.read(_MAX_MANIFEST).decode("utf-8-sig", "replace")
    except UnreadableError:
        return
    if found := _PERSON.search(text.partition("Submission Field:")[0]):
        attempt.name, attempt.user = found[1], found[2]
    attempt.names = {stored: original for original, stored in _PAIR.findall(text.rpartition("Files:")[2])}


def _users(attempts: Sequence[_Attempt], setting: Setting) -> dict[str, tuple[str, ...]]:
    """Return the possible user names of every owner; a single one if it is certain."""
    people = setting.roster.people if setting.roster else ()
    known = {(person.blackboard_id or person.id).casefold() for person in people}
    named = {attempt.owner: attempt.user for attempt in attempts if attempt.user}
    owners = {attempt.owner for attempt in attempts}
    assignments = _assignments(owners, named, known)
    users: dict[str, tuple[str, ...]] = {}
    for owner in owners:
        possible = [owner.removeprefix(name) for name in assignments or _starts(owner)] or [owner]
        likely = [user for user in possible if user.casefold() in known]
        users[owner] = (named[owner],) if owner in named else tuple(likely or possible)
    return users


def _assignments(owners: Collection[str], named: Mapping[str, str], known: Collection[str]) -> list[str]:
    """Return the possible names of the download's one assignment, with the ``_`` behind it.

    Of several, those that a manifest confirms, or else those with the most people on the roster.
    """
    starts = _starts(min(owners, default=""))
    names = [name for name in starts if all(o.startswith(name) and len(o) > len(name) for o in owners)]
    sure = [name for name in names if any(owner == name + user for owner, user in named.items())]
    votes = {name: sum(owner[len(name) :].casefold() in known for owner in owners) for name in names}
    return sure or [name for name in names if votes[name] == max(votes.values())]


def _starts(owner: str) -> list[str]:
    """Return every beginning of an owner up to an ``_``, behind which the user name may start."""
    return [owner[: at + 1] for at, letter in enumerate(owner[:-1]) if letter == "_"]


def _one(attempt: _Attempt, users: tuple[str, ...], setting: Setting) -> HandIn:
    lead = len(f"{attempt.owner}_attempt_{attempt.date}_")
    members = tuple(
        replace(m, parts=(re.split(r"[\\/]", attempt.names.get(m.name, m.name[lead:]))[-1],))
        for m in attempt.members
    )
    time = read_time(attempt.date, setting.zone)
    each = []
    for user in users:
        sender = Sender(user, "blackboard_id", attempt.name)
        flags = (*flags_of(sender), *(() if time else (UNREADABLE_TIME,)))
        each.append(HandIn((sender,), members, attempt.received_as, submitted_at=time, flags=flags))
    return each[0] if len(each) == 1 else HandIn((), (), attempt.received_as, readings=tuple(each))
