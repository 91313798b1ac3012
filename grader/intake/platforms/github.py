"""Read GitHub Classroom's clones: a folder ``{assignment}-{login}`` for each student.

Assignments and logins may contain hyphens. Where one ends is known from the folder around the clones
(``{assignment}-submissions``), from the exercise's name, or from the logins on the roster, because most
folders begin with the same assignment. Otherwise the folders are read as plain ones.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from grader.intake.handin import Sender, Setting, SortedTree, handed_in, one_of, share_named
from grader.sources.tree import Tree

LABEL = "GitHub Classroom's repositories"

_AROUND = "-submissions"
_BRANCHES = ("-main", "-master")


def recognise(tree: Tree, setting: Setting) -> float:
    """Return the share of the folders that begin with a possible name of the assignment."""
    names = _assignments(tree, setting)
    return share_named(tree, folder=lambda name: _is_of(name, names))


def hand_ins(tree: Tree, setting: Setting) -> SortedTree:
    """Return one hand-in for each folder; the key of another assignment's is its whole name.

    GitHub's own zips of repositories add the branch to every name.
    """
    assignments = _assignments(tree, setting)
    branch = next((one for one in _BRANCHES if all(top.endswith(one) for top in tree.tops)), "")
    found = []
    for top in tree.tops:
        own = top.removesuffix(branch)
        logins = [own.removeprefix(name) for name in assignments if _is_of(own, (name,))] or [own]
        senders = [Sender(login, "github_id") for login in logins]
        found.append(one_of((handed_in([one], tree.below(top).members, top) for one in senders), top))
    return SortedTree(tuple(found), tuple(tree.files.values()))


def _assignments(tree: Tree, setting: Setting) -> Sequence[str]:
    """Return the possible names of the assignment, with the hyphen; several if the roster allows them."""
    name = setting.exercise.name
    sure = sorted({f"{name}-", f"{name.replace('_', '-')}-"})
    around = tree.name.removesuffix(".zip")
    if around.endswith(_AROUND):
        sure = [f"{around.removesuffix(_AROUND)}-"]
    if _has_most(tree, sure):
        return sure
    people = setting.roster.people if setting.roster else ()
    logins = [f"-{person.github_id.lower()}" for person in people if person.github_id]
    votes = Counter(
        top[: 1 - len(login)] for login in logins for top in tree.tops if top.lower().endswith(login)
    )
    fitting = {start: count for start, count in votes.items() if _has_most(tree, [start])}
    return sorted(start for start, count in fitting.items() if count == max(fitting.values()))


def _has_most(tree: Tree, names: Sequence[str]) -> bool:
    """Return whether more than half of the folders belong to an assignment of one of these names."""
    return 2 * sum(_is_of(top, names) for top in tree.tops) > len(tree.tops)


def _is_of(top: str, names: Iterable[str]) -> bool:
    begins = any(top.startswith(name) and len(top) > len(name) for name in names)
    return begins and not top.endswith(_AROUND)  # the folder around the clones
