"""Recognise which platform's naming scheme a tree follows, at its top or below folders that wrap it."""

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
    fetched,
    github,
    gradescope,
    moodle,
    nbgrader,
    plain,
)
from grader.sources.archives import is_handed_in
from grader.sources.names import split_words
from grader.sources.tree import Tree

_NBGRADERS = {"source", "release", "submitted", "autograded", "feedback", "solution_feedback"}


class Scheme(Protocol):
    """One naming scheme: a module of ``platforms``."""

    LABEL: str

    def recognise(self, tree: Tree, setting: Setting, /) -> float:
        """Return which share of a tree follows it, or 0 for one half or less."""
        ...

    def hand_ins(self, tree: Tree, setting: Setting, /) -> SortedTree:
        """Sort a tree into hand-ins."""
        ...


# In the order of how certain their names are: the first of two that fit a tree equally well is taken.
_ALL = (fetched, gradescope, moodle, blackboard, brightspace, canvas, github, nbgrader, plain)
SCHEMES: Mapping[str, Scheme] = {module.__name__.rpartition(".")[2]: module for module in _ALL}


def scheme_named(name: str) -> Scheme:
    """Return the scheme of that name. Raises UsageError if there is none."""
    if name not in SCHEMES:
        raise UsageError(f"--format {name} is not known; there is: {', '.join(SCHEMES)}.")
    return SCHEMES[name]


def recognise(tree: Tree, setting: Setting, forced: str | None = None) -> tuple[Scheme, Tree]:
    """Return the scheme that a tree follows, or the ``forced`` one, and the part that follows it."""
    if not forced and plain.is_known_student(tree, setting):
        return plain, tree
    schemes = [scheme_named(forced)] if forced else [s for s in SCHEMES.values() if s is not plain]
    for view in _views(tree, setting) if forced != "plain" else ():
        # Take the outermost that fits: a student's own folder tells nothing about the class.
        fit, scheme = max(((one.recognise(view, setting), one) for one in schemes), key=lambda pair: pair[0])
        if fit:
            return scheme, view
    if forced and forced != "plain":
        return schemes[0], tree
    return plain, _own_folder(_unwrapped(tree, setting), setting)


def _views(tree: Tree, setting: Setting) -> Iterator[Tree]:
    """Return the tree and the trees below its wrappers; of an nbgrader course the folder ``submitted``."""
    own = tree.below(setting.exercise.name)
    if fetched.recognise(own, setting):  # of several exercises that were fetched, this one
        yield own
    for view in _nested(tree, setting):
        if "submitted" in view.tops and 2 * len(_NBGRADERS & set(view.tops)) > len(view.tops):
            yield view.below("submitted")
        yield view


def _nested(tree: Tree, setting: Setting) -> Iterator[Tree]:
    """Return a tree, and again and again what lies below the one folder that has no files beside it.

    A folder that is named after somebody on the roster is not entered: its content is that student's.
    """
    while True:
        yield tree
        has_files = any(map(is_handed_in, tree.files))
        if has_files or len(tree.tops) != 1 or is_on_roster(tree.tops[0], setting.roster):
            return
        tree = tree.below(tree.tops[0])


def _unwrapped(tree: Tree, setting: Setting) -> Tree:
    """Return the outermost tree below folders that wrap a whole class; without a class the tree itself."""
    for view in _nested(tree, setting):
        if view is not tree and (
            any(
                is_on_roster(top, setting.roster)
                for top in (*view.tops, *plain.owners(view, setting.exercise))
            )
            or plain.looks_like_a_class(view, setting)
        ):
            return view
    return tree


def _own_folder(tree: Tree, setting: Setting) -> Tree:
    """Return the tree below a folder that a student packed and that does not tell whose it is.

    In an archive that is any folder, elsewhere only one that is named like the exercise.
    """
    for inner in _nested(tree, setting):
        named = split_words(inner.name) == split_words(setting.exercise.name)
        if inner is not tree and not (tree.archive or named):
            return tree
        if inner is not tree and plain.is_one_student(inner, setting):
            return replace(inner, name=tree.name)
    return tree
