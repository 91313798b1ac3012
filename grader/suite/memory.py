"""Remembered runs: tests depend on replies alone, so replies seen before lead to a report written before.

A tree: each node holds the request that the tests make at that point, each edge a verdict, each leaf the
finished report. A submission is walked down the tree with its own child's verdicts; only a verdict that no
submission gave before makes pytest run.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

# A node is a few hundred bytes; a class of thousands needs a few ten thousand of them.
MOST_NODES = 200_000
MOST_BYTES = 128 << 20
"""Of the reports kept: submissions that all fail differently must not fill the memory."""

_LONGEST_KEY = 64


@dataclass
class Node:
    """What the tests do after the verdicts on the way to here: ask, or be finished with ``report``."""

    request: bytes | None = None
    report: bytes | None = None
    next: dict[bytes, Node] = field(default_factory=dict)


class Memory:
    """The tree of all runs of one worker; it starts anew when it has grown too large."""

    def __init__(self) -> None:
        self.root = Node()
        self._nodes = 0
        self._bytes = 0

    def step(self, node: Node, verdict: bytes) -> Node:
        """The node after ``verdict``, which is made when it was never reached before."""
        # A submission may answer with a quarter of a MiB each time: a digest stands for it.
        key = verdict if len(verdict) <= _LONGEST_KEY else hashlib.sha256(verdict).digest()
        if key not in node.next:
            if self._nodes >= MOST_NODES:
                self._forget()
            node.next[key] = Node()
            self._nodes += 1
        return node.next[key]

    def finish(self, node: Node, report: bytes) -> None:
        """Keep the report to which the verdicts on the way to ``node`` lead."""
        if self._bytes + len(report) > MOST_BYTES:
            self._forget()
        node.report = report
        self._bytes += len(report)

    def _forget(self) -> None:
        """Begin a new tree; who stands in the old one goes on in it."""
        self.root, self._nodes, self._bytes = Node(), 0, 0
