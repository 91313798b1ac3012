"""Work that no platform named: a folder (or one file) a student, or one student's own files.

A folder that holds expected files itself is one student's; its name is the student's. So is a folder that
holds nothing but ``attempt1``, ``attempt2`` and so on, each of them one attempt. A file is its student's by
its name: ``lovelace.py``, ``lovelace.zip``, ``lovelace_reservation.py``, ``reservation-lovelace.py``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from grader.course.model import Exercise
from grader.intake.choose import defines, expected_names
from grader.intake.handin import HandIn, Sender, Setting, SortedTree
from grader.intake.match import is_on_roster
from grader.sources.archives import is_archive, is_handed_in
from grader.sources.names import is_close, split_words
from grader.sources.tree import Member, Tree

LABEL = "a folder or a file for each student"

_ONE = "one student's files"
_MOST_LOOKED_INTO = 50
_NUMBER = re.compile(r"\d{3,}[ _.-]")  # a student's, before the name of a file
_ENDING = re.compile(r"(?<=.)\.(?:tar\.gz|tgz|tar|zip|7z|rar|(?:ipynb|py)(?:\.txt)?)$", re.IGNORECASE)
_ATTEMPT = re.compile(r"(?:attempt|try|versuch|abgabe|intento|essai)[ _-]*(\d{1,6})", re.IGNORECASE)


def recognise(tree: Tree, setting: Setting) -> float:
    """Anything can be read this way."""
    del tree, setting
    return 1.0


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """The students' hand-ins, or the one of the student whose files these are."""
    if is_one_student(tree, setting):
        return SortedTree(_attempts(_stem(tree.name), tree), label=_ONE)
    found: list[HandIn] = []
    for top in tree.tops:
        found += _attempts(top, tree.below(top))
    refused = tuple(m for m in tree.members if len(m.parts) == 1 and m.problem and not is_handed_in(m.name))
    return SortedTree((*found, *_singles(tree, setting.exercise)), refused)


def is_one_student(tree: Tree, setting: Setting) -> bool:
    """Whether all of a tree is one student's work."""
    expected = expected_names(setting.exercise)
    if is_known_student(tree, setting) or (tree.tops and all(_ATTEMPT.fullmatch(top) for top in tree.tops)):
        return True
    archives = [_stem(m.name) for m in _loose(tree) if is_archive(m.name)]
    if len(archives) > 1 or any(is_on_roster(name, setting.roster) for name in (*archives, *tree.tops)):
        return False
    sources = [m for m in _loose(tree) if not is_archive(m.name)]
    meant = [m for m in sources if not _NUMBER.match(m.name) and any(is_close(m.name, e) for e in expected)]
    holders = {m.parts[0] for m in tree.members if len(m.parts) > 1 and m.name in expected}
    if any(m.name in expected for m in meant):
        others = [m for m in sources if m not in meant]
        return len(holders) < 2 and not _are_students(others, setting)
    return bool(sources) and len(meant) == len(sources) and not holders


def is_known_student(tree: Tree, setting: Setting) -> bool:
    """Whether the folder or the archive itself is called like somebody on the roster."""
    return is_on_roster(_stem(tree.name), setting.roster)


def _are_students(files: Sequence[Member], setting: Setting) -> bool:
    """Whether files that lie beside an expected one are other students' and no helpers of its owner's.

    The roster knows; without one, helpers are told by not defining what the exercise asks for.
    """
    if setting.roster:
        return any(is_on_roster(_stem(m.name), setting.roster) for m in files)
    return sum(bool(defines(m, setting.exercise)) for m in files[:_MOST_LOOKED_INTO]) > 1


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
    sender = (Sender(key),)
    numbers = {top: found[1] for top in tree.tops if (found := _ATTEMPT.fullmatch(top))}
    if not numbers or len(numbers) < len(tree.tops):
        return (HandIn(sender, tree.members, tree.name),)
    return tuple(
        HandIn(sender, tree.below(top).members, f"{tree.name}/{top}", attempt=int(number), order=int(number))
        for top, number in numbers.items()
    )


def _singles(tree: Tree, exercise: Exercise) -> list[HandIn]:
    """The hand-ins of students who have no folder, by the names of their files."""
    named: dict[str, list[Member]] = defaultdict(list)
    lone: dict[str, list[Member]] = defaultdict(list)
    for member in _loose(tree):
        owner, own_name = _owner(member.name, exercise)
        if own_name:
            named[owner].append(replace(member, parts=(own_name,)))
        else:
            lone[owner].append(member)
    found = [HandIn((Sender(key),), tuple(members), key) for key, members in named.items()]
    for key, members in lone.items():
        source = any(not is_archive(m.name) for m in members)
        found.append(HandIn((Sender(key),), tuple(members), members[0].name, named_for_student=source))
    return sorted(found, key=lambda one: one.received_as)


def _owner(name: str, exercise: Exercise) -> tuple[str, str]:
    """Whose a single file is, and which expected file, if its name says both."""
    for expected in exercise.files:
        stem = "[ _-]*".join(map(re.escape, split_words(expected.removesuffix(".py"))))
        if found := re.fullmatch(rf"(.+?)[ _.-]+({stem}\.(?:py|ipynb))", name, re.IGNORECASE):
            return found[1], found[2]
        if found := re.fullmatch(rf"({stem})[ _.-]+(.+)(\.(?:py|ipynb))", name, re.IGNORECASE):
            return found[2], found[1] + found[3]
    return _stem(name), ""


def _loose(tree: Tree) -> tuple[Member, ...]:
    """The files at the top that students hand in."""
    return tuple(m for m in tree.members if len(m.parts) == 1 and is_handed_in(m.name))


def _stem(name: str) -> str:
    """A name without the ending of a source file or an archive."""
    return _ENDING.sub("", name)
