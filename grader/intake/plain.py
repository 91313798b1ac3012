"""Work that no platform named: a folder (or one file) a student, or one student's own files.

A folder that holds expected files itself is one student's; its name is the student's. So is a folder that
holds nothing but ``attempt1``, ``attempt2`` and so on, each of them one attempt. A file is its student's by
its name: ``lovelace.py``, ``lovelace.zip``, ``lovelace_reservation.py``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from grader.course import Exercise
from grader.intake.chosen import expected_names
from grader.intake.handin import HandIn, Setting, Sorted, Who
from grader.intake.member import Member, Tree
from grader.intake.names import is_close
from grader.intake.source import is_archive, is_handed_in

LABEL = "a folder or a file for each student"

_ONE = "one student's files"
_ATTEMPT = re.compile(r"(?:attempt|try|versuch|abgabe|intento|essai)[ _-]*(\d{1,6})", re.IGNORECASE)


def recognise(tree: Tree, setting: Setting) -> bool:
    """Anything can be read this way."""
    del tree, setting
    return True


def hand_ins(tree: Tree, setting: Setting) -> Sorted:
    """The students' hand-ins, or the one of the student whose files these are."""
    if is_one_student(tree, setting):
        return Sorted(_attempts(_stem(tree.name), tree), label=_ONE)
    found: list[HandIn] = []
    for top in tree.tops:
        found += _attempts(top, tree.below(top))
    return Sorted((*found, *_singles(tree, setting.exercise)))


def is_one_student(tree: Tree, setting: Setting) -> bool:
    """Whether all of a tree is one student's work."""
    expected = expected_names(setting.exercise)
    if tree.tops and all(_ATTEMPT.fullmatch(top) for top in tree.tops):
        return True
    holders = {m.parts[0] for m in tree.members if len(m.parts) > 1 and m.name in expected}
    sources = [m for m in _loose(tree) if not is_archive(m.name)]
    if any(m.name in expected for m in sources):
        return len(holders) < 2  # two such folders are two students'
    stand_for = [next((e for e in expected if is_close(m.name, e)), "") for m in sources]
    return bool(sources) and all(stand_for) and not holders


def looks_like_a_class(tree: Tree, setting: Setting) -> bool:
    """Whether at least two folders of a tree hold the same expected file, or an archive each."""
    holders: dict[str, set[str]] = defaultdict(set)
    for member in (m for m in tree.members if len(m.parts) > 1):
        for name in expected_names(setting.exercise):
            if is_close(member.name, name) or is_archive(member.name):
                holders[name].add(member.parts[0])
    return any(len(tops) > 1 for tops in holders.values()) and not is_one_student(tree, setting)


def _attempts(key: str, tree: Tree) -> tuple[HandIn, ...]:
    """One hand-in, or one for each folder when they are all numbered attempts."""
    who = (Who(key),)
    numbers = {top: found[1] for top in tree.tops if (found := _ATTEMPT.fullmatch(top))}
    if not numbers or len(numbers) < len(tree.tops):
        return (HandIn(who, tree.members, tree.name),)
    return tuple(
        HandIn(who, tree.below(top).members, f"{tree.name}/{top}", attempt=int(number), order=int(number))
        for top, number in numbers.items()
    )


def _singles(tree: Tree, exercise: Exercise) -> list[HandIn]:
    """The hand-ins of those who have no folder, by the names of their files."""
    named: dict[str, list[Member]] = defaultdict(list)
    lone: dict[str, list[Member]] = defaultdict(list)
    for member in _loose(tree):
        owner, own_name = _owner(member.name, exercise)
        if own_name:
            named[owner].append(replace(member, parts=(own_name,)))
        else:
            lone[owner].append(member)
    found = [HandIn((Who(key),), tuple(members), key) for key, members in named.items()]
    for key, members in lone.items():
        source = any(not is_archive(m.name) for m in members)
        found.append(HandIn((Who(key),), tuple(members), members[0].name, lone=source))
    return sorted(found, key=lambda one: one.received_as)


def _owner(name: str, exercise: Exercise) -> tuple[str, str]:
    """Whose a single file is, and which expected file, if its name says both."""
    for expected in exercise.files:
        stem = re.escape(expected.removesuffix(".py"))
        if found := re.fullmatch(rf"(.+?)[ _.-]+({stem}\.(?:py|ipynb))", name, re.IGNORECASE):
            return found[1], found[2]
    return _stem(name), ""


def _loose(tree: Tree) -> tuple[Member, ...]:
    """The files at the top that students hand in."""
    return tuple(m for m in tree.members if len(m.parts) == 1 and is_handed_in(m.name))


def _stem(name: str) -> str:
    """A name without the ending of a source file or an archive."""
    return re.sub(r"(?<=.)\.(?:tar\.gz|tgz|tar|zip|7z|rar|ipynb|py)$", "", name, flags=re.IGNORECASE)
