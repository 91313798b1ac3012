"""Remembered runs: a tree of verdicts that forgets in time."""

from __future__ import annotations

import pytest

from grader.suite import memory
from grader.suite.memory import Memory


def test_a_way_is_found_again():
    """The same verdicts lead to the same node, another one to another."""
    tree = Memory()
    tree.root.request = b"first question"
    node = tree.step(tree.step(tree.root, b"yes"), b"1")
    tree.finish(node, b"report")
    assert tree.step(tree.step(tree.root, b"yes"), b"1").report == b"report"
    assert tree.step(tree.step(tree.root, b"yes"), b"2").report is None
    assert tree.root.request == b"first question"


def test_a_long_verdict_is_kept_as_its_digest():
    """A quarter of a MiB takes 32 bytes; another one that differs at its end is another way."""
    tree = Memory()
    one, other = b"x" * 250_000, b"x" * 249_999 + b"y"
    assert tree.step(tree.root, one) is tree.step(tree.root, one)
    assert tree.step(tree.root, one) is not tree.step(tree.root, other)
    assert max(map(len, tree.root.next)) == 32


@pytest.mark.parametrize(("length", "kept"), [(64, 64), (65, 32)])
def test_which_verdicts_are_long(length, kept):
    """64 bytes stand for themselves."""
    tree = Memory()
    tree.step(tree.root, b"x" * length)
    assert [len(key) for key in tree.root.next] == [kept]


def test_it_forgets_when_there_are_too_many_nodes(monkeypatch):
    """At the bound it begins anew; who is on a way goes on, in the old tree."""
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


def test_it_forgets_when_the_reports_are_too_large(monkeypatch):
    """Reports of 10 bytes each: 30 may be kept, the fourth begins a new tree."""
    monkeypatch.setattr(memory, "MOST_BYTES", 30)
    tree = Memory()
    before = tree.root
    for number in range(3):
        tree.finish(tree.step(tree.root, b"%d" % number), b"x" * 10)
    assert tree.root is before
    tree.finish(tree.step(tree.root, b"3"), b"x" * 10)
    assert tree.root is not before
