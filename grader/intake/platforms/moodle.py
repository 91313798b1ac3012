"""Read Moodle's "Download all submissions": ``{full name}_{N}_assignsubmission_{file|onlinetext}/...``.

N is the number of "Participant N" in the assignment's grading worksheet, not a user id; the worksheet, used
as a roster, maps it to a student and has the times. Without folders the same prefix stands before each
file's name. Blind marking writes ``Participant`` instead of the name. A group's hand-in has the group's name
and id; students without a group share one folder without a number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from grader.base.flags import ANONYMOUS, UNREADABLE_TIME
from grader.intake.handin import HandIn, Sender, Setting, SortedTree, flags_of, share_named
from grader.roster.roster import Person
from grader.sources.names import same_name, split_words
from grader.sources.tree import Member, Tree
from grader.sources.when import read_time

LABEL = "Moodle's submissions"

_NAME = re.compile(
    r"(?P<name>.*?)(?:_(?P<number>\d+))?_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.DOTALL
)


def recognise(tree: Tree, setting: Setting) -> float:
    """Return the share at the top with a name of Moodle's."""
    del setting
    return share_named(tree, folder=_is_moodles, file=_is_moodles)


def _is_moodles(name: str) -> bool:
    return "_assignsubmission_" in name and bool(_NAME.fullmatch(name))


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each participant or group, with its files and its online text."""
    groups: dict[tuple[str, str], list[Member]] = defaultdict(list)
    received: dict[tuple[str, str], str] = {}
    leftover = []
    for top in sorted({m.parts[0] for m in tree.members} | set(tree.tops)):
        found = _NAME.fullmatch(top)
        if not found:
            leftover += [m for m in tree.members if m.parts[0] == top]
            continue
        key = (found["number"] or "", found["name"])
        received.setdefault(key, top)
        groups[key] += tree.below(top).members
        groups[key] += [
            replace(m, parts=(found["file"] or m.name,)) for m in tree.members if m.parts == (top,)
        ]
    blind = {"Participant"} | _words_for_participant(groups, setting)
    hand_ins = []
    for (number, name), members in sorted(groups.items()):
        people = setting.roster.find("moodle_id", number) if setting.roster else ()
        team = _team(name, people, setting)
        sender = Sender(number or name, "moodle_id", "" if name in blind else name)
        if team:
            sender = Sender(name)
        flags = [*flags_of(sender), *([ANONYMOUS] if name in blind else [])]
        # The worksheet as a roster: one row a participant, "-" where nothing was handed in.
        texts = {person.id: person.more("last modified (submission)") for person in team or people}
        texts = {student: text for student, text in texts.items() if text not in ("", "-")}
        times = {student: time for student, text in texts.items() if (time := read_time(text, setting.zone))}
        if len(times) < len(texts):
            flags.append(UNREADABLE_TIME)
        hand_ins.append(
            HandIn(
                (sender,),
                tuple(members),
                received[number, name],
                max(times.values(), default=None),
                flags=tuple(flags),
                times=times if team else {},
            )
        )
    return SortedTree(tuple(hand_ins), tuple(leftover))


def _team(name: str, people: Sequence[Person], setting: Setting) -> Sequence[Person]:
    """Return the members of the team of that name; its number is none of a participant."""
    if setting.roster is None or any(same_name(name, person.name) for person in people):
        return ()
    words = split_words(name)
    found = [members for group, members in setting.roster.groups.items() if split_words(group) == words]
    return found[0] if len(found) == 1 else ()


def _words_for_participant(found: Collection[tuple[str, str]], setting: Setting) -> set[str]:
    """Return the one word that stands for every name under blind marking, in any language."""
    names = {name for _, name in found}
    word = next(iter(names), "")
    people = setting.roster.people if setting.roster else ()
    same = len(names) == 1 < len(found) and len(split_words(word)) == 1
    return names if same and not any(same_name(word, person.name) for person in people) else set()
