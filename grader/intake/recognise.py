"""Which platform's naming a tree follows: looked for at its top and below the folders that only wrap it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from grader.base.errors import UsageError
from grader.intake.handin import Setting, SortedTree
from grader.intake.match import is_on_roster
from grader.intake.platforms import (
    blackboard,
    brightspace,
    canvas,
    github,
    gradescope,
    moodle,
    nbgrader,
    plain,
)
from grader.sources.archives import is_handed_in
from grader.sources.names import split_words
from grader.sources.tree import Tree

_MAX_WRAPPERS = 3
_NBGRADERS = {"source", "release", "submitted", "autograded", "feedback", "solution_feedback"}


class Scheme(Protocol):
    """One naming scheme: a module of this package."""

    LABEL: str

    def recognise(self, tree: Tree, setting: Setting) -> float:
        """Which share of a tree follows it; 0 where that is not most of it."""
        ...

    def hand_ins(self, tree: Tree, setting: Setting) -> SortedTree:
        """The tree sorted into hand-ins."""
        ...


# The surest marks first: of two that fit a tree equally well the first is taken; what fits anything is last.
SCHEMES: Mapping[str, Scheme] = {
    "gradescope": gradescope,
    "moodle": moodle,
    "blackboard": blackboard,
    "brightspace": brightspace,
    "canvas": canvas,
    "github": github,
    "nbgrader": nbgrader,
    "plain": plain,
}


def scheme_named(name: str) -> Scheme:
    """The scheme of that name.

    Raises:
        UsageError: There is none.
    """
    if name not in SCHEMES:
        raise UsageError(f"--format {name} is not known; there is: {', '.join(SCHEMES)}.")
    return SCHEMES[name]


def recognise(tree: Tree, setting: Setting, forced: str | None = None) -> tuple[Scheme, Tree]:
    """The scheme that a tree follows (or the one that is ``forced``) and the part of it that does.

    Raises:
        UsageError: There is no scheme of the forced name.
    """
    if not forced and plain.is_known_student(tree, setting):
        return plain, tree
    schemes = [scheme_named(forced)] if forced else [s for s in SCHEMES.values() if s is not plain]
    for view in _views(tree, setting) if forced != "plain" else ():
        # The outermost that fits: what is inside a student's own folder says nothing about the class.
        fit, scheme = max(((one.recognise(view, setting), one) for one in schemes), key=lambda pair: pair[0])
        if fit:
            return scheme, view
    if forced and forced != "plain":
        return schemes[0], tree
    return plain, _own_folder(_unwrapped(tree, setting), setting)


def _views(tree: Tree, setting: Setting) -> Iterator[Tree]:
    """The tree, and what lies below its wrappers; of an nbgrader course the folder of what was handed in.

    A folder that the roster knows as a student's wraps nothing: what is in it is that student's alone.
    """
    for _ in range(_MAX_WRAPPERS + 1):
        if "submitted" in tree.tops and 2 * len(_NBGRADERS & set(tree.tops)) > len(tree.tops):
            yield tree.below("submitted")
        yield tree
        if len(tree.tops) != 1 or _has_files(tree) or is_on_roster(tree.tops[0], setting.roster):
            return
        tree = tree.below(tree.tops[0])


def _unwrapped(tree: Tree, setting: Setting) -> Tree:
    """The tree below a folder that wraps a whole class, unless the roster knows it as a student's."""
    for _ in range(_MAX_WRAPPERS):
        if len(tree.tops) != 1 or _has_files(tree) or is_on_roster(tree.tops[0], setting.roster):
            return tree
        inner = tree.below(tree.tops[0])
        wraps = any(is_on_roster(top, setting.roster) for top in inner.tops) or plain.looks_like_a_class(
            inner, setting
        )
        if not wraps and not (len(inner.tops) == 1 and _unwrapped(inner, setting) is not inner):
            return tree
        tree = inner
    return tree


def _own_folder(tree: Tree, setting: Setting) -> Tree:
    """What lies below the folder that a student packed, which says nothing about whose it is.

    In an archive that is any folder; elsewhere only one that is named like the exercise.
    """
    inner = tree
    for _ in range(_MAX_WRAPPERS):
        if len(inner.tops) != 1 or _has_files(inner) or is_on_roster(inner.tops[0], setting.roster):
            return tree
        if not tree.archive and split_words(inner.tops[0]) != split_words(setting.exercise.name):
            return tree
        inner = inner.below(inner.tops[0])
        if plain.is_one_student(inner, setting):
            return replace(inner, name=tree.name)
    return tree


def _has_files(tree: Tree) -> bool:
    return any(len(m.parts) == 1 and is_handed_in(m.name) for m in tree.members)
