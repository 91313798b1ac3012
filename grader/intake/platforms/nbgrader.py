"""Read nbgrader's tree: ``submitted/{student}/{assignment}/...``, often with a ``timestamp.txt``.

The exchange's folder ``inbound`` has one ``{student}+{assignment}+{time}+{random}`` for each attempt.
"""

import re

from grader.intake.handin import HandIn, Sender, Setting, SortedTree, grouped, handed_in, share_named
from grader.sources.archives import NBGRADER_TIMESTAMP, is_handed_in
from grader.sources.tree import Member, Tree, UnreadableError

LABEL = "nbgrader's submitted folder"

_MAX_BYTES = 200
_INBOUND = re.compile(
    r"(?P<student>.+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^+]*)(?:\+[^+]+)?",
    re.DOTALL,
)


def recognise(tree: Tree, setting: Setting) -> float:
    """Return the share of the folders that contain one named like the exercise, or in "submitted" any one."""

    def has_work(student: str) -> bool:
        work = tree.below(student).below(setting.exercise.name).members
        return any(len(m.parts) == 1 and (is_handed_in(m.name) or m.name == NBGRADER_TIMESTAMP) for m in work)

    if tree.name == "submitted":
        fit = share_named(tree, folder=lambda name: bool(tree.below(name).tops))
        return fit or share_named(tree, folder=has_work)
    return share_named(tree, folder=_INBOUND.fullmatch) or share_named(tree, folder=has_work)


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each student with a folder for the assignment.

    The assignment is the one named like the exercise, or else the only one. Of the exchange one for each
    attempt.
    """
    attempts, leftovers = grouped(tree, _INBOUND)
    if attempts:
        assignments = {assignment for _, assignment, _ in attempts}
        wanted = setting.exercise.name if len(assignments) > 1 else assignments.pop()
        inbound = [
            handed_in(
                [Sender(student)], [m for m in members if m.name != NBGRADER_TIMESTAMP], first, came=came
            )
            for (student, assignment, came), (first, members) in attempts.items()
            if assignment == wanted
        ]
        return SortedTree(tuple(inbound), leftovers)
    students = {top: tree.below(top) for top in tree.tops}
    names = {name for student in students.values() for name in student.tops}
    name = setting.exercise.name if setting.exercise.name in names or len(names) != 1 else names.pop()
    found, leftover = [], [m for m in tree.members if len(m.parts) == 1]
    work = {key: student.below(name).members for key, student in students.items() if name in student.tops}
    # nbgrader adds a time to every hand-in; if only a few have one, students added them.
    stamped = 2 * sum(any(m.parts == (NBGRADER_TIMESTAMP,) for m in one) for one in work.values()) > len(work)
    for key, student in students.items():
        loose = tuple(m for m in student.members if len(m.parts) == 1)
        if key in work:
            found.append(_one(key, work[key], stamped=stamped))
        elif any(is_handed_in(m.name) or not m.name for m in loose):  # no name: a folder that cannot be read
            found.append(_one(key, loose, stamped=False))
        else:
            leftover += [m for m in tree.members if m.parts[:-1] == (key,)]
    return SortedTree(tuple(found), tuple(leftover))


def _one(key: str, members: tuple[Member, ...], *, stamped: bool) -> HandIn:
    stamp = next((m for m in members if m.parts == (NBGRADER_TIMESTAMP,)), None)
    files = [m for m in members if m is not stamp]
    came = None
    if stamp and stamped:
        try:
            came = stamp.read(_MAX_BYTES).decode("utf-8", "replace")
        except UnreadableError:
            came = ""
    return handed_in(
        [Sender(key)], files, key, came=came
    )  # in UTC, as nbgrader does for a time without a zone
