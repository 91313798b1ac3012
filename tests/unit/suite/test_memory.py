"""The tree of remembered runs and its bounds."""

from __future__ import annotations

import pytest

from grader.suite import memory
from grader.suite.memory import Memory


def test_equal_verdicts_lead_to_the_same_node():
    """Equal verdicts lead to the same report; other verdicts lead to a node without one."""
    tree = Memory()
    tree.root.request = b"first question"
    node = tree.step(tree.step(tree.root, b"yes"), b"1")
    tree.finish(node, b"report")
    assert tree.step(tree.step(tree.root, b"yes"), b"1").report == b"report"
    assert tree.step(tree.step(tree.root, b"yes"), b"2").report is None
    assert tree.root.request == b"first question"


def test_a_long_verdict_is_kept_as_its_digest():
    """A verdict of 250,000 bytes has a key of 32; one that differs in its last byte has another key."""
    tree = Memory()
    one, other = b"x" * 250_000, b"x" * 249_999 + b"y"
    assert tree.step(tree.root, one) is tree.step(tree.root, one)
    assert tree.step(tree.root, one) is not tree.step(tree.root, other)
    assert max(map(len, tree.root.next)) == 32


@pytest.mark.parametrize(("length", "kept"), [(64, 64), (65, 32)])
def test_verdicts_of_64_bytes_are_their_own_key(length, kept):
    """From 65 bytes on, the key is a digest of 32 bytes."""
    tree = Memory()
    tree.step(tree.root, b"x" * length)
    assert [len(key) for key in tree.root.next] == [kept]


def test_too_many_nodes_begin_a_new_tree(monkeypatch):
    """At the bound a new tree begins; a run in the old one can finish there."""
    monkeypatch.setattr(memory, "MOST_NODES", 3)
    tree = Memory()
    before = tree.root
    node = before
    for verdict in (b"1", b"2", b"3"):
        node = tree.step(node, verdict)
    assert tree.root is before
    node = tree.step(node, b"4")
    assert tree.root is not before
    assert tree.root.next == {}
    tree.finish(node, b"report")
    assert node.report == b"report"
    assert tree.step(tree.root, b"1") is tree.root.next[b"1"]


def test_too_large_reports_begin_a_new_tree(monkeypatch):
    """With a bound of 30 bytes, the fourth report of 10 bytes begins a new tree."""
    monkeypatch.setattr(memory, "MOST_BYTES", 30)
    tree = Memory()
    before = tree.root
    for number in range(3):
        tree.finish(tree.step(tree.root, b"%d" % number), b"x" * 10)
    assert tree.root is before
    tree.finish(tree.step(tree.root, b"3"), b"x" * 10)
    assert tree.root is not before
