"""Remember runs in a tree: a submission that answers like an earlier one gets its report without pytest.

Outcomes depend on verdicts alone. Each node holds the request that the tests make there, each edge is a
verdict, each leaf holds the report. The worker follows the tree with the verdicts of the submission's own
child; pytest runs only after a verdict that no submission gave there before.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

# A node takes a few hundred bytes; a class of thousands needs a few ten thousand nodes.
MOST_NODES = 200_000
MOST_BYTES = 128 << 20
"""Largest sum of all reports: submissions that all fail in different ways must not fill the memory."""

_LONGEST_KEY = 64


@dataclass
class Node:
    """What the tests do after the verdicts on the path to this node: make a request, or end with a report."""

    request: bytes | None = None
    report: bytes | None = None
    next: dict[bytes, Node] = field(default_factory=dict)


class Memory:
    """The tree of one worker's runs; it starts anew when it is too large."""

    def __init__(self) -> None:
        self.root = Node()
        self._nodes = 0
        self._bytes = 0

    def step(self, node: Node, verdict: bytes) -> Node:
        """Return the node after ``verdict``; make it if this is the first time."""
        # A verdict may take a quarter of a MiB: its digest is the key.
        key = verdict if len(verdict) <= _LONGEST_KEY else hashlib.sha256(verdict).digest()
        if key not in node.next:
            if self._nodes >= MOST_NODES:
                self._forget()
            node.next[key] = Node()
            self._nodes += 1
        return node.next[key]

    def finish(self, node: Node, report: bytes) -> None:
        """Keep the report to which the verdicts on the path to ``node`` lead."""
        if self._bytes + len(report) > MOST_BYTES:
            self._forget()
        node.report = report
        self._bytes += len(report)

    def _forget(self) -> None:
        """Begin a new tree; a run that stands in the old one goes on there."""
        self.root, self._nodes, self._bytes = Node(), 0, 0
