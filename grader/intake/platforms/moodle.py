"""Read Moodle's "Download all submissions": ``{full name}_{N}_assignsubmission_{file|onlinetext}/...``.

N is the number of "Participant N" in the assignment's grading worksheet, not a user id; the worksheet, used
as a roster, maps it to a student and has the times. Without folders the same prefix stands before each
file's name. Blind marking writes ``Participant`` instead of the name. A group's hand-in has the group's name
and id; students without a group share one folder without a number.
"""

import re
from dataclasses import replace

from grader.base.flags import ANONYMOUS, UNREADABLE_TIME
from grader.intake.handin import Sender, Setting, SortedTree, grouped, handed_in, share_named
from grader.roster.roster import Roster
from grader.sources.names import same_name, split_words
from grader.sources.tree import Tree
from grader.sources.when import read_time

LABEL = "Moodle's submissions"

_NAME = re.compile(
    r"(?P<name>.*?)(?:_(?P<number>\d+))?_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.DOTALL
)


def recognise(tree: Tree, _setting: Setting) -> float:
    """Return the share at the top with a name of Moodle's."""
    return share_named(tree, folder=_NAME.fullmatch, file=_NAME.fullmatch)


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each participant or group, with its files and its online text."""
    groups, leftover = grouped(tree, _NAME)
    roster = setting.roster or Roster(())
    # Under blind marking one word stands for every name, in any language.
    words = {name for name, _ in groups}
    is_blind = len(words) == 1 < len(groups) and len(split_words(min(words))) == 1
    is_blind = is_blind and not any(same_name(min(words), person.name) for person in roster.people)
    # Before Moodle 4 each member of a team has a folder that begins with the team's name and a hyphen.
    blind = words if is_blind else {name for name in words if name.rpartition("-")[2] == "Participant"}
    hand_ins = []
    for (name, number), (first, members) in groups.items():
        people = roster.find("moodle_id", number)
        # A group's number is no person's.
        team = () if any(same_name(name, person.name) for person in people) else roster.members(name)
        sender = Sender(name) if team else Sender(number or name, "moodle_id", "" if name in blind else name)
        # The worksheet as a roster: one row a participant, "-" where nothing was handed in.
        texts = {person.id: person.more("last modified (submission)") for person in team or people}
        texts = {student: text for student, text in texts.items() if text not in ("", "-")}
        times = {student: time for student, text in texts.items() if (time := read_time(text, setting.zone))}
        flags = [ANONYMOUS] * (name in blind) + [UNREADABLE_TIME] * (len(times) < len(texts))
        hand_in = handed_in([sender], members, first, flags=flags)
        latest = max(times.values(), default=None)
        hand_ins.append(replace(hand_in, submitted_at=latest, times=times if team else {}))
    return SortedTree(tuple(hand_ins), leftover)
