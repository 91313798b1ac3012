"""GitHub Classroom's clones: a folder ``{assignment}-{login}`` for each student.

Logins hold hyphens, and so do assignments: where one ends is known from the roster's logins, from the folder
around them (``{assignment}-submissions``), or when the assignment is named like the exercise. When none of
these says it, the folders are read as plain ones.
"""

from __future__ import annotations

from grader.intake.handin import HandIn, Setting, Sorted, Who
from grader.intake.member import Tree

LABEL = "GitHub Classroom's repositories"

_AROUND = "-submissions"


def recognise(tree: Tree, setting: Setting) -> bool:
    """Whether it is known of every folder where the login begins."""
    return bool(tree.tops) and all(_login(top, tree, setting) for top in tree.tops)


def hand_ins(tree: Tree, setting: Setting) -> Sorted:
    """One hand-in for each folder; one whose login is not known is there under its whole name."""
    found = [
        HandIn((Who(_login(top, tree, setting) or top, "github_id"),), tree.below(top).members, top)
        for top in tree.tops
    ]
    return Sorted(tuple(found), tuple(m for m in tree.members if len(m.parts) == 1))


def _login(top: str, tree: Tree, setting: Setting) -> str:
    """The login at the end of a folder's name, or nothing."""
    name = setting.exercise.name
    prefixes = [name, name.replace("_", "-")]
    if tree.name.endswith(_AROUND):
        prefixes.insert(0, tree.name.removesuffix(_AROUND))
    for prefix in prefixes:
        if top.startswith(f"{prefix}-") and len(top) > len(prefix) + 1:
            return top[len(prefix) + 1 :]
    people = setting.roster.people if setting.roster else ()
    logins = [p.github_id for p in people if p.github_id and top.lower().endswith(f"-{p.github_id.lower()}")]
    return max(logins, key=len, default="")
