"""Blackboard's "Assignment File Download": ``{assignment}_{user name}_attempt_{date}[_{file}]``, flat.

Beside the files lies one ``.txt`` for each attempt, the manifest, which names the student and gives every
file its own name back; it goes before the files' names. Without manifests an assignment or a user name that
holds ``_`` makes the border between the two uncertain: then the roster decides, or the border that the other
files agree on, and what stays uncertain is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from grader.intake.handin import HandIn, Setting, Sorted, Who, flags_of
from grader.intake.member import Member, Tree, UnreadableError
from grader.intake.when import UNREADABLE_TIME, read_time

LABEL = "Blackboard's submissions"

_FILE = re.compile(
    r"(?P<owner>.+)_attempt_(?P<date>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?P<file>.+)|(?P<manifest>\.txt))",
    re.DOTALL,
)
_PERSON = re.compile(r"^Name:[ \t]*(.*?)[ \t]*\(([^()\r\n]+)\)[ \t]*\r?$", re.MULTILINE)
_PAIR = re.compile(r"Original filename:[ \t]*(.+?)[ \t]*\r?\n\s*Filename:[ \t]*(.+?)[ \t]*\r?$", re.MULTILINE)
_MAX_MANIFEST = 1 << 20


@dataclass
class _Attempt:
    """What belongs to one owner and date; ``owner`` is assignment and user name in one.

    ``user``, ``name`` and ``names`` (the files' own names by those in the archive) come from the manifest.
    """

    owner: str
    date: str
    received_as: str
    members: list[Member] = field(default_factory=list)
    user: str = ""
    name: str = ""
    names: dict[str, str] = field(default_factory=dict)


def recognise(tree: Tree, setting: Setting) -> bool:
    """Whether any file at the top is named like Blackboard's."""
    del setting
    return any(len(m.parts) == 1 and _FILE.fullmatch(m.name) for m in tree.members)


def hand_ins(tree: Tree, setting: Setting) -> Sorted:
    """One hand-in for each attempt."""
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
    users = _users(attempts.values(), setting)
    one_each = [_one(attempt, users[attempt.owner], setting) for _, attempt in sorted(attempts.items())]
    return Sorted(tuple(one_each), tuple(leftover))


def _read_manifest(member: Member, attempt: _Attempt) -> None:
    """Note whose attempt it is, and the files' own names.

    What the student wrote stands in the middle: the person is named before it, the files after it.
    """
    try:
        text = member.read(_MAX_MANIFEST).decode("utf-8-sig", "replace")
    except UnreadableError:
        return
    if found := _PERSON.search(text.partition("Submission Field:")[0]):
        attempt.name, attempt.user = found[1], found[2]
    attempt.names = {stored: original for original, stored in _PAIR.findall(text.rpartition("Files:")[2])}


def _users(attempts: Iterable[_Attempt], setting: Setting) -> dict[str, tuple[str, ...]]:
    """For every owner the user names that it can stand for; a single one where that is certain."""
    people = setting.roster.people if setting.roster else ()
    known = {person.blackboard_id or person.id for person in people}
    users: dict[str, tuple[str, ...]] = {}
    for attempt in sorted(attempts, key=lambda attempt: bool(attempt.user)):
        pieces = attempt.owner.split("_")
        possible = ["_".join(pieces[at:]) for at in range(1, len(pieces))] or pieces
        sure = [attempt.user] if attempt.user else [user for user in possible if user in known]
        users[attempt.owner] = tuple(sure or possible)
    agreed = {owner.removesuffix(each[0]) for owner, each in users.items() if len(each) == 1}
    if len(agreed) == 1:  # the assignment's name, as all certain ones have it
        for owner, each in users.items():
            users[owner] = tuple(user for user in each if owner.removesuffix(user) in agreed) or each
    return users


def _one(attempt: _Attempt, users: tuple[str, ...], setting: Setting) -> HandIn:
    lead = len(f"{attempt.owner}_attempt_{attempt.date}_")
    members = tuple(
        replace(m, parts=(re.split(r"[\\/]", attempt.names.get(m.name, m.name[lead:]))[-1],))
        for m in attempt.members
    )
    time = read_time(attempt.date, setting.zone)
    each = []
    for user in users:
        who = Who(user, "blackboard_id", attempt.name)
        flags = (*flags_of(who), *(() if time else (UNREADABLE_TIME,)))
        each.append(HandIn((who,), members, attempt.received_as, submitted_at=time, flags=flags))
    return each[0] if len(each) == 1 else HandIn((), (), attempt.received_as, readings=tuple(each))
