"""Work that no platform named: a folder (or one file) a student, or one student's own files."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import PurePath

from grader.course import Exercise
from grader.intake.handin import HandIn, Setting, Sorted, Who
from grader.intake.member import Member, Tree
from grader.intake.names import is_close
from grader.intake.source import is_archive

LABEL = "a folder or a file for each student"

_ATTEMPT = re.compile(r"(?:attempt|versuch|try|submission)[ _-]*(\d{1,6})", re.I)


def recognise(tree: Tree, setting: Setting) -> bool:
    """Anything can be read this way."""
    del tree, setting
    return True


def hand_ins(tree: Tree, setting: Setting) -> Sorted:
    """The students' hand-ins, or the one of the student whose folder this is."""
    if _is_one_student(tree, setting.exercise):
        return Sorted(_attempts(_stem(tree.name), tree, tree.name))
    found: list[HandIn] = []
    for top in tree.tops:
        found += _attempts(top, tree.below(top), top)
    singles: dict[str, list[Member]] = defaultdict(list)
    leftover = []
    for member in (m for m in tree.members if len(m.parts) == 1):
        if key := _owner(member, setting.exercise):
            singles[key].append(member)
        else:
            leftover.append(member)
    for key, members in sorted(singles.items()):
        named = tuple(_as_expected(m, key, setting.exercise) for m in members)
        found.append(HandIn((Who(key),), named, members[0].name))
    return Sorted(tuple(found), tuple(leftover))


def _is_one_student(tree: Tree, exercise: Exercise) -> bool:
    """Whether expected files lie at the top itself, or all folders are attempts."""
    if tree.tops and all(_ATTEMPT.fullmatch(top) for top in tree.tops):
        return True
    files = [m for m in tree.members if len(m.parts) == 1 and m.name.lower().endswith((".py", ".ipynb"))]
    holders = {m.parts[0] for m in tree.members if len(m.parts) > 1 and m.name in exercise.files}
    if len(holders) > 1:
        return False
    if any(m.name in exercise.files for m in files):
        return True
    return bool(files) and all(any(is_close(m.name, e) for e in exercise.files) for m in files)


def _attempts(key: str, tree: Tree, received_as: str) -> tuple[HandIn, ...]:
    """One hand-in, or one for each folder when they are all numbered attempts."""
    who = (Who(key),)
    numbers = {top: _ATTEMPT.fullmatch(top) for top in tree.tops}
    if not numbers or not all(numbers.values()):
        return (HandIn(who, tree.members, received_as),)
    return tuple(
        HandIn(who, tree.below(top).members, received_as, attempt=int(number[1]))
        for top, number in numbers.items()
        if number
    )


def _owner(member: Member, exercise: Exercise) -> str:
    """The student of a single file: what its name says beside an expected name, or all of its name."""
    if not (member.name.lower().endswith((".py", ".ipynb")) or is_archive(member)):
        return ""
    for expected in exercise.files:
        stem = expected.removesuffix(".py")
        if found := re.fullmatch(rf"(.+?)[ _.-]+{re.escape(stem)}\.(?:py|ipynb)", member.name, re.I):
            return found[1]
    return _stem(member.name)


def _as_expected(member: Member, key: str, exercise: Exercise) -> Member:
    """The file without its student's name; a file that is named for the student alone is the main one."""
    if is_archive(member):
        return member
    rest = member.name[len(key) :].lstrip(" _.-")
    if member.name.lower().endswith(".py") and rest.lower() == "py":
        rest = _main_file(member, exercise)
    return replace(member, parts=(rest,)) if rest else member


def _main_file(member: Member, exercise: Exercise) -> str:
    del member
    return exercise.files[-1]


def _stem(name: str) -> str:
    lower = name.lower()
    for ending in (".tar.gz", ".tgz", ".tar", ".zip", ".ipynb", ".py"):
        if lower.endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return PurePath(name).name
