"""How much of a tree is named as one platform names things: what one student uploads decides nothing."""

from __future__ import annotations

from collections.abc import Callable

from grader.sources.archives import is_handed_in
from grader.sources.tree import Tree

Named = Callable[[str], object]


def nothing(_name: str) -> bool:
    """The platform writes none of the kind."""
    return False


def share(tree: Tree, *, folder: Named = nothing, file: Named = nothing) -> float:
    """The share of what lies at the top that is named as ``folder`` and ``file`` ask for; 0 up to one half.

    Files of other kinds than students hand in (a platform's own index) count only when they are named so.
    """
    files = [m.name for m in tree.members if len(m.parts) == 1]
    named = sum(bool(folder(name)) for name in tree.tops)
    strange = len(tree.tops) - named
    for name in files:
        if file(name):
            named += 1
        elif is_handed_in(name):
            strange += 1
    return named / (named + strange) if named > strange else 0.0
