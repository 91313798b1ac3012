"""Remember what the tests of a class say to the answers that they got, so that pytest runs each case once.

The outcome of a test class depends on the replies to its own requests alone: `grader check` runs classes
alone and in another order, and a suite in which classes share a fixture is remembered as a whole. So each
class has a tree. A node holds the request that the tests make there, an edge is a verdict, a leaf is the
ending. The worker follows the tree with the replies of the submission's own child. It asks for every one of
them: a function that counts its calls across classes answers as it would have without a memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.base.files import write_whole
from grader.sandbox.child import Reply, Request
from grader.suite.run import Exchange, answer_digests

# A node takes about a kilobyte with its request; a class of thousands needs ten thousand.
MOST_NODES = 60_000
MOST_BYTES = 64 << 20
"""Largest sum of all endings: submissions that all fail in different ways must not fill the memory."""
_LONGEST = 1 << 16  # largest class run that workers tell each other, in bytes
_DIGEST = 32
MOST_KEPT = 16 << 20  # largest sum of the class runs that are told and kept in a file, in bytes

Answers = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Ending:
    """How a class ends: its part of pytest's report, and digests of its answers."""

    entries: bytes  # JSON without brackets
    outcomes: Mapping[str, str]  # by node id
    answers: Answers
    seen: Answers  # answers to visible tests


@dataclass
class Node:
    """What the tests do after the verdicts on the path to this node: make a request of a test, or end."""

    test: str = ""
    request: Request | None = None
    ending: Ending | None = None
    next: dict[bytes, Node] = field(default_factory=dict)

    def ask(self, test: str, fields: Mapping[str, Any]) -> Request:
        """Note what the tests request here; what followed another request is forgotten, and return it."""
        if self.request is None or (self.test, self.request) != (test, fields):
            self.test, self.request, self.next = test, Request(fields), {}
        return self.request


class Memory:
    """The trees of one worker, by test class; they start anew when they are too large."""

    def __init__(self, is_visible: str) -> None:
        self.is_visible = is_visible
        self._roots: dict[str, Node] = {}
        self._nodes = self._bytes = 0

    def root(self, group: str) -> Node:
        """Return the root of a class's tree."""
        return self._roots.setdefault(group, Node())

    def step(self, node: Node, reply: Reply) -> Node:
        """Return the node after the verdict of ``reply``; make it if this is the first time."""
        found = node.next.get(reply.key)
        if found is None:
            if self._nodes >= MOST_NODES:
                self._forget()
            found = node.next[reply.key] = Node()
            self._nodes += 1
        return found

    def finish(
        self, node: Node, entries: Sequence[Mapping[str, Any]], exchanges: Sequence[Exchange]
    ) -> Ending:
        """Keep the ending to which the path to ``node`` leads: report entries and what the tests asked."""
        text = json.dumps(entries)[1:-1].encode()
        if self._bytes + len(text) > MOST_BYTES:
            self._forget()
        self._bytes += len(text)
        visible = [exchange for exchange in exchanges if exchange.test.startswith(self.is_visible)]
        answers = answer_digests(exchanges)
        seen = answers if len(visible) == len(exchanges) else answer_digests(visible)
        outcomes = {entry["nodeid"]: entry["outcome"] for entry in entries}
        node.ending = Ending(text, outcomes, answers, seen)
        return node.ending

    def learn(self, told: Mapping[str, Any]) -> None:
        """Take over a class run that another worker told (:func:`class_run`).

        Tests that draw numbers make other requests there. An answer to those is none to the requests here.
        """
        node, exchanges = self.root(told["class"]), []
        for test, request, verdict in told["path"]:
            if node.request is not None and (node.test, node.request) != (test, request):
                return
            exchanges.append(Exchange(test, node.ask(test, request), verdict, {}))
            node = self.step(node, Reply(verdict))
        if node.ending is None:
            self.finish(node, told["entries"], exchanges)

    def _forget(self) -> None:
        """Begin new trees; a run that stands in an old one goes on there."""
        self._roots, self._nodes, self._bytes = {}, 0, 0


def class_run(
    group: str, entries: Sequence[Mapping[str, Any]], exchanges: Iterable[Exchange]
) -> dict[str, Any] | None:
    """Return all that makes up a class run, in plain data; None if it is too large to be told."""
    path = [[exchange.test, exchange.request, exchange.verdict] for exchange in exchanges]
    told = {"class": group, "path": path, "entries": entries}
    return told if len(json.dumps(told)) <= _LONGEST else None


class Shared:
    """The class runs that the workers of one machine tell each other, kept in a file between runs.

    ``key`` names all that an outcome depends on; runs of another key are forgotten, and all with ``anew``.
    The file begins with a digest of key and runs. Its outcomes are believed, as are the results beside it.
    """

    def __init__(self, key: str = "", path: Path | None = None, *, anew: bool = False) -> None:
        self._key, self._path = key, path
        self._lock = threading.Lock()
        self._told: list[dict[str, Any]] = []
        if path and path.is_file() and not anew:
            # A file that is damaged, or of another key, is made again.
            with contextlib.suppress(OSError, zlib.error):
                kept = path.read_bytes()
                text = zlib.decompress(kept[_DIGEST:])
                if kept[:_DIGEST] == self._digest(text):
                    self._told = json.loads(text)
        self._known = len(self._told)
        self._left = MOST_KEPT - sum(len(json.dumps(run)) for run in self._told)

    def since(self, count: int) -> list[dict[str, Any]]:
        """Return the class runs behind the first ``count``."""
        with self._lock:
            return self._told[count:]

    def add(self, runs: Iterable[dict[str, Any]], count: int) -> int:
        """Add the runs of a worker that knew the first ``count``; return how many it knows now."""
        with self._lock:
            is_current = count == len(self._told)
            for run in runs:
                self._left -= len(json.dumps(run))
                if self._left >= 0:
                    self._told.append(run)
            return len(self._told) if is_current else count

    def save(self) -> None:
        """Write the file anew if a run was added."""
        if self._path and len(self._told) > self._known:
            text = json.dumps(self._told).encode()
            write_whole(self._path, self._digest(text) + zlib.compress(text, 1), durable=False)
            self._known = len(self._told)

    def _digest(self, text: bytes) -> bytes:
        return hashlib.sha256(self._key.encode() + b"\n" + text).digest()
