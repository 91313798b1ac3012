"""Read nbgrader's tree: ``submitted/{student}/{assignment}/...``, often with a ``timestamp.txt``.

The exchange's folder ``inbound`` has one ``{student}+{assignment}+{time}+{random}`` for each attempt.
"""

import re

from grader.intake.handin import Sender, Setting, SortedTree, grouped, handed_in, share_named
from grader.sources.archives import NBGRADER_TIMESTAMP, is_handed_in
from grader.sources.tree import Tree, UnreadableError

LABEL = "nbgrader's submitted folder"

_MAX_BYTES = 200
_INBOUND = re.compile(
    r"(?P<student>.+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^+]*)(?:\+[^+]+)?",
    re.DOTALL,
)


def recognise(tree: Tree, setting: Setting) -> float:
    """Return the share of the folders that contain one named like the exercise, or in "submitted" any one."""

    def has_work(student: str) -> bool:
        work = tree.below(student).below(setting.exercise.name)
        return NBGRADER_TIMESTAMP in work.files or any(map(is_handed_in, work.files))

    if tree.name == "submitted":
        fit = share_named(tree, folder=lambda name: bool(tree.below(name).tops))
        return fit or share_named(tree, folder=has_work)
    return share_named(tree, folder=_INBOUND.fullmatch) or share_named(tree, folder=has_work)


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each student with a folder for the assignment.

    The assignment is the one named like the exercise, or else the only one. Of the exchange one for each
    attempt.
    """
    if share_named(tree, folder=_INBOUND.fullmatch):
        attempts, leftovers = grouped(tree, _INBOUND)
        assignments = {assignment for _, assignment, _ in attempts}
        wanted = setting.exercise.name if len(assignments) > 1 else assignments.pop()
        inbound = []
        for (key, assignment, came), (first, members) in attempts.items():
            if assignment == wanted:
                others = [m for m in members if m.name != NBGRADER_TIMESTAMP]
                inbound.append(handed_in([Sender(key)], others, first, came=came))
        return SortedTree(tuple(inbound), leftovers)
    students = {top: tree.below(top) for top in tree.tops}
    names = {name for student in students.values() for name in student.tops}
    name = setting.exercise.name if setting.exercise.name in names or len(names) != 1 else names.pop()
    found, leftover = [], [*tree.files.values()]
    work = {key: student.below(name) for key, student in students.items() if name in student.tops}
    # nbgrader adds a time to every hand-in; if only a few have one, students added them.
    stamped = 2 * sum(NBGRADER_TIMESTAMP in one.files for one in work.values()) > len(work)
    for key, student in students.items():
        own = work.get(key, student)
        if key not in work and not any(is_handed_in(name) or not name for name in own.files):
            leftover += [m for m in tree.members if m.parts[:-1] == (key,)]
            continue
        stamp = None  # in UTC, as nbgrader writes it without a zone
        if stamped and key in work and NBGRADER_TIMESTAMP in own.files:
            try:
                stamp = own.files[NBGRADER_TIMESTAMP].read(_MAX_BYTES).decode("utf-8", "replace")
            except UnreadableError:
                stamp = ""
        every = own.members if key in work else tuple(own.files.values())
        others = [m for m in every if m.parts != (NBGRADER_TIMESTAMP,)]
        found.append(handed_in([Sender(key)], others, key, came=stamp))
    return SortedTree(tuple(found), tuple(leftover))
