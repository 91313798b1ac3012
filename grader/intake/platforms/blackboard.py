"""Read Blackboard's "Assignment File Download": ``{assignment}_{user name}_attempt_{date}[_{file}]``, flat.

Each attempt has a manifest, a ``.txt`` that names the student and the files' original names; it takes
precedence over the files' names. Without manifests, an ``_`` in the assignment or the user name makes it
uncertain where one ends: then the roster decides, or the split that all files allow; what stays uncertain is
listed.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from grader.intake.choose import PASTED_TEXT
from grader.intake.handin import Sender, Setting, SortedTree, grouped, handed_in, one_of, share_named
from grader.sources.tree import Member, Tree, UnreadableError

LABEL = "Blackboard's submissions"

# The first date is Blackboard's; everything behind it is the student's file name.
_FILE = re.compile(
    r"(?P<owner>.+?)_attempt_(?P<date>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?P<file>.+)|\.txt)", re.DOTALL
)
_PERSON = re.compile(r"^Name:[ \t]*(.*?)[ \t]*\(([^()\r\n]+)\)[ \t]*\r?$", re.MULTILINE)
_PAIR = re.compile(r"Original filename:[ \t]*(.+?)[ \t]*\r?\n\s*Filename:[ \t]*(.+?)[ \t]*\r?$", re.MULTILINE)
_MAX_MANIFEST = 1 << 20


def recognise(tree: Tree, _setting: Setting) -> float:
    """Return the share of the files at the top with a name of Blackboard's."""
    return share_named(tree, file=_FILE.fullmatch)


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each attempt."""
    groups, leftover = grouped(tree, _FILE)
    manifests = {
        key: _read_manifest(member, "_attempt_".join(key))
        for key, (_, members) in groups.items()
        for member in members
        if member.name == f"{'_attempt_'.join(key)}.txt"
    }
    named = {owner: about.user for (owner, _), about in manifests.items() if about.user}
    users = _users({owner for owner, _ in groups}, named, setting)
    found = []
    for (owner, date), (first, every) in groups.items():
        about = manifests.get((owner, date), _Manifest())
        manifest = f"{owner}_attempt_{date}.txt"
        members = [
            replace(m, parts=(re.split(r"[\\/]", about.files.get(m.name, m.name))[-1],))
            for m in every
            if m.name != manifest
        ]
        if about.pasted and not members:
            members = [replace(m, parts=(PASTED_TEXT,)) for m in every]
        senders = [Sender(user, "blackboard_id", about.name) for user in users[owner]]
        each = [handed_in([one], members, first, came=date, zone=setting.zone) for one in senders]
        found.append(one_of(each, first))
    return SortedTree(tuple(found), leftover)


class _Manifest(NamedTuple):
    """The student's user name and name, the files' original names by those in the archive.

    ``pasted`` is whether the student typed a text into the page.
    """

    user: str = ""
    name: str = ""
    files: Mapping[str, str] = {}
    pasted: bool = False


def _read_manifest(member: Member, attempt: str) -> _Manifest:
    """Read the manifest of an attempt; the student's own text stands between its two parts."""
    try:
        text = member.read(_MAX_MANIFEST).decode("utf-8-sig", "replace")
    except UnreadableError:
        return _Manifest()
    person = _PERSON.search(text.partition("Submission Field:")[0])
    pairs = _PAIR.findall(text.rpartition("Files:")[2])
    files = {stored.removeprefix(f"{attempt}_"): original for original, stored in pairs}
    typed = text.partition("Submission Field:")[2].partition("Comments:")[0].strip()
    pasted = bool(typed) and not typed.startswith("There is no student submission text")
    return _Manifest(person[2] if person else "", person[1] if person else "", files, pasted)


def _users(
    owners: Collection[str], named: Mapping[str, str], setting: Setting
) -> Mapping[str, tuple[str, ...]]:
    """Return the possible user names of every owner, an assignment and a user name in one.

    All attempts are of one assignment. Of its possible names count those that a manifest confirms, or else
    those with the most people on the roster.
    """
    people = setting.roster.people if setting.roster else ()
    known = {name.casefold() for one in people for name in (one.blackboard_id or one.id, one.group)}
    shared = _starts(min(owners, default=""))
    shared = [name for name in shared if all(o.startswith(name) and len(o) > len(name) for o in owners)]
    sure = [name for name in shared if any(owner == name + user for owner, user in named.items())]
    votes = {name: sum(owner[len(name) :].casefold() in known for owner in owners) for name in shared}
    assignments = sure or [name for name in shared if votes[name] == max(votes.values())]
    users: dict[str, tuple[str, ...]] = {}
    for owner in owners:
        possible = [owner.removeprefix(name) for name in assignments or _starts(owner)] or [owner]
        likely = [user for user in possible if user.casefold() in known]
        users[owner] = (named[owner],) if owner in named else tuple(likely or possible)
    return users


def _starts(owner: str) -> list[str]:
    """Return every beginning of an owner up to an ``_``, behind which the user name may start."""
    return [owner[: at + 1] for at, letter in enumerate(owner[:-1]) if letter == "_"]
