"""Remembered runs: tests depend on replies alone, so replies seen before lead to a report written before.

A tree: each node holds the request that the tests make at that point, each edge a verdict, each leaf the
finished report. A submission is walked down the tree with its own child's verdicts; only a verdict that no
submission gave before makes pytest run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# A node is a few hundred bytes; a class of thousands needs a few ten thousand of them.
MOST_NODES = 200_000


@dataclass
class Node:
    """What the tests do after the verdicts on the way to here: ask, or be finished with ``report``."""

    request: bytes | None = None
    report: bytes | None = None
    next: dict[bytes, Node] = field(default_factory=dict)


class Memory:
    """The tree of all runs of one worker."""

    def __init__(self) -> None:
        self.root = Node()
        self._nodes = 0

    def step(self, node: Node, verdict: bytes) -> Node:
        """The node after ``verdict``, which is made when it was never reached before."""
        if verdict not in node.next:
            if self._nodes >= MOST_NODES:
                self.root, self._nodes = Node(), 0
            node.next[verdict] = Node()
            self._nodes += 1
        return node.next[verdict]
