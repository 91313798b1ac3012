"""Read work without a platform's names: a folder or a file for each student, or one student's files.

A folder with expected files is one student's and named after the student; so is a folder that contains only
``attempt1``, ``attempt2`` and so on, one attempt each. A file is named after its student: ``lovelace.py``,
``lovelace.zip``, ``lovelace_reservation.py``, ``reservation-lovelace.py``.
"""

import re
from collections import defaultdict
from dataclasses import replace

from grader.course.model import Exercise
from grader.intake.choose import defines, expected_names
from grader.intake.handin import HandIn, Sender, Setting, SortedTree
from grader.intake.match import find, is_on_roster
from grader.sources.archives import is_archive, is_handed_in
from grader.sources.names import is_close, split_words
from grader.sources.tree import Member, Tree

LABEL = "a folder or a file for each student"

_ONE = "one student's files"
_MAX_SEARCHED = 50
_NUMBER = re.compile(r"\d{3,}[ _.-]")  # a student's, before the name of a file
_ENDING = re.compile(r"(?<=.)\.(?:tar\.gz|tgz|tar|zip|7z|rar|(?:ipynb|py)(?:\.txt)?)$", re.IGNORECASE)
_ATTEMPT = re.compile(r"(?:attempt|try|versuch|abgabe|intento|essai)[ _-]*(\d{1,6})", re.IGNORECASE)


def recognise(_tree: Tree, _setting: Setting) -> float:
    """Return 1: anything can be read this way."""
    return 1.0


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return the hand-ins of the students, or of the one student."""
    if is_one_student(tree, setting):
        return SortedTree(_attempts(_stem(tree.name), tree), label=_ONE)
    found: list[HandIn] = []
    for top in tree.tops:
        found += _attempts(top, tree.below(top))
    refused = tuple(m for m in tree.files.values() if m.problem and not is_handed_in(m.name))
    return SortedTree((*found, *_singles(tree, setting)), refused)


def is_one_student(tree: Tree, setting: Setting) -> bool:
    """Return whether the whole tree is one student's work."""
    expected = expected_names(setting.exercise)
    if is_known_student(tree, setting) or (tree.tops and all(_ATTEMPT.fullmatch(top) for top in tree.tops)):
        return True
    files = _files_at_top(tree)
    archives = [_stem(m.name) for m in files if is_archive(m.name)]
    if len(archives) > 1 or any(is_on_roster(name, setting.roster) for name in (*archives, *tree.tops)):
        return False
    sources = [m for m in files if not is_archive(m.name)]
    meant = [m for m in sources if not _NUMBER.match(m.name) and any(is_close(m.name, e) for e in expected)]
    holders = {m.parts[0] for m in tree.members if len(m.parts) > 1 and m.name in expected}
    if not any(m.name in expected for m in meant):
        return bool(sources) and len(meant) == len(sources) and not holders
    # Files beside an expected one are other students' if the roster says so, and without a roster if several
    # define what the exercise asks for; else they are helpers.
    others = [m for m in sources if m not in meant]
    if setting.roster:
        return len(holders) < 2 and not any(is_on_roster(_stem(m.name), setting.roster) for m in others)
    defining = sum(bool(defines(m, setting.exercise)) for m in others[:_MAX_SEARCHED])
    return len(holders) < 2 and defining < 2


def is_known_student(tree: Tree, setting: Setting) -> bool:
    """Return whether the folder or the archive itself is named after somebody on the roster."""
    return is_on_roster(_stem(tree.name), setting.roster)


def looks_like_a_class(tree: Tree, setting: Setting) -> bool:
    """Return whether at least two folders contain the same expected file, or an archive each."""
    holders: dict[str, set[str]] = defaultdict(set)
    for member in (m for m in tree.members if len(m.parts) > 1):
        for name in expected_names(setting.exercise):
            if is_close(member.name, name) or is_archive(member.name):
                holders[name].add(member.parts[0])
    return any(len(tops) > 1 for tops in holders.values()) and not is_one_student(tree, setting)


def _attempts(key: str, tree: Tree) -> tuple[HandIn, ...]:
    """Return one hand-in, or one for each folder if all are numbered attempts."""
    senders = (Sender(key),)
    numbers = {top: found[1] for top in tree.tops if (found := _ATTEMPT.fullmatch(top))}
    if not numbers or len(numbers) < len(tree.tops):
        return (HandIn(senders, tree.members, tree.name),)
    return tuple(
        HandIn(senders, tree.below(top).members, f"{tree.name}/{top}", attempt=int(number), order=int(number))
        for top, number in numbers.items()
    )


def owners(tree: Tree, exercise: Exercise) -> tuple[str, ...]:
    """Return whom the files at the top of a tree are named after."""
    return tuple(_owner(m.name, exercise)[0] for m in _files_at_top(tree))


def _singles(tree: Tree, setting: Setting) -> list[HandIn]:
    """Return the hand-ins of students without a folder, by the names of their files.

    A file of another kind, such as a PDF, is one if it is named after somebody who has no other hand-in.
    """
    named: dict[str, list[Member]] = defaultdict(list)
    single: dict[str, list[Member]] = defaultdict(list)
    for member in _files_at_top(tree):
        owner, own_name = _owner(member.name, setting.exercise)
        if own_name:
            named[owner].append(replace(member, parts=(own_name,)))
        else:
            single[owner].append(member)
    roster = setting.roster
    others = [m for m in tree.files.values() if not (m.problem or is_handed_in(m.name))]
    if roster and others:
        known = {p.id for key in (*named, *single, *tree.tops) for p in find(Sender(key), roster)}
        for member in others:
            owner = member.name.rpartition(".")[0]
            ids = {person.id for person in find(Sender(owner), roster)}
            if ids and ids.isdisjoint(known):
                single[owner].append(member)
    found = [HandIn((Sender(key),), tuple(members), key) for key, members in named.items()]
    for key, members in single.items():
        source = any(not is_archive(m.name) for m in members)
        found.append(HandIn((Sender(key),), tuple(members), members[0].name, named_for_student=source))
    return sorted(found, key=lambda one: one.received_as)


def _owner(name: str, exercise: Exercise) -> tuple[str, str]:
    """Return the student of a single file, and the expected file if its name says that too."""
    for expected in (name for name in expected_names(exercise) if name.endswith(".py")):
        stem = "[ _-]*".join(map(re.escape, split_words(expected.removesuffix(".py"))))
        if found := re.fullmatch(rf"(.+?)[ _.-]+({stem}\.(?:py|ipynb))", name, re.IGNORECASE):
            return found[1], found[2]
        if found := re.fullmatch(rf"({stem})[ _.-]+(.+)(\.(?:py|ipynb))", name, re.IGNORECASE):
            return found[2], found[1] + found[3]
    return _stem(name), ""


def _files_at_top(tree: Tree) -> tuple[Member, ...]:
    """Return the files at the top of kinds that students hand in."""
    return tuple(m for m in tree.files.values() if is_handed_in(m.name))


def _stem(name: str) -> str:
    """Return a name without the ending of a source file or an archive."""
    return _ENDING.sub("", name)
