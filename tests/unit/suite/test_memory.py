"""What is remembered of each test class, its bounds, and what workers tell each other."""

import json
import zlib

import pytest

from grader.sandbox.child import Reply, Request
from grader.suite import memory
from grader.suite.memory import Memory, Shared, class_run
from grader.suite.run import Exchange

ENTRIES = [{"nodeid": "visible/t.py::T::t", "outcome": "passed"}]
CALL = {"verb": "call", "module": "lab", "name": "add", "arguments": [1, 2], "keywords": []}


def value(content):
    """Make a reply with this value."""
    return Reply({"kind": "value", "value": content})


@pytest.fixture
def tree():
    """An empty memory."""
    return Memory("visible/")


def test_equal_verdicts_lead_to_the_same_node(tree):
    """Equal verdicts lead to the same ending; other verdicts and other classes do not."""
    root = tree.root("T")
    tree.finish(tree.step(tree.step(root, value("yes")), value(1)), ENTRIES, [])
    assert tree.step(tree.step(root, value("yes")), value(1)).ending.outcomes == {
        "visible/t.py::T::t": "passed"
    }
    assert tree.step(tree.step(root, value("yes")), value(2)).ending is None
    assert tree.step(tree.step(root, value("yes")), value([1])).ending is None
    assert tree.step(tree.step(tree.root("U"), value("yes")), value(1)).ending is None


def test_a_long_verdict_is_kept_as_its_digest(tree):
    """A verdict of 250,000 bytes has a key of 32; one that differs in its last byte has another key."""
    one, other = "x" * 250_000, "x" * 249_999 + "y"
    root = tree.root("T")
    assert tree.step(root, value(one)) is tree.step(root, value(one))
    assert tree.step(root, value(one)) is not tree.step(root, value(other))
    assert max(map(len, root.next)) == 32


def test_too_many_nodes_begin_new_trees(tree, monkeypatch):
    """At the bound new trees begin; a run in an old one can finish there."""
    monkeypatch.setattr(memory, "MOST_NODES", 3)
    node = before = tree.root("T")
    for number in range(3):
        node = tree.step(node, value(number))
    assert tree.root("T") is before
    node = tree.step(node, value(3))
    assert tree.root("T") is not before
    tree.finish(node, ENTRIES, [])
    assert node.ending is not None
    assert tree.root("T").ending is None


def test_too_large_endings_begin_new_trees(tree, monkeypatch):
    """With a bound of three endings, the fourth begins new trees."""
    monkeypatch.setattr(memory, "MOST_BYTES", 3 * len(json.dumps(ENTRIES)))
    before = tree.root("T")
    for number in range(3):
        tree.finish(tree.step(before, value(number)), ENTRIES, [])
    assert tree.root("T") is before
    tree.finish(tree.step(before, value(3)), ENTRIES, [])
    assert tree.root("T") is not before


def test_digests_of_hidden_answers_are_kept_apart(tree):
    """An ending has the answers to all tests, and those to visible ones alone."""
    node = tree.root("T")
    exchanges = [
        Exchange(f"{kind}/t.py::T::t", CALL, {"kind": "value", "value": 3}, {})
        for kind in ("visible", "hidden")
    ]
    tree.finish(node, ENTRIES, exchanges)
    assert len(node.ending.answers["add"]) == 2
    assert len(node.ending.seen["add"]) == 1
    assert node.ending.seen["add"].items() <= node.ending.answers["add"].items()


def test_a_told_class_run_is_remembered(tree):
    """What one worker tells leads another to the same ending, without a test being run."""
    exchange = Exchange("visible/t.py::T::t", Request(CALL), {"kind": "value", "value": 3}, {"printed": "x"})
    told = json.loads(json.dumps(class_run("T", ENTRIES, [exchange])))
    assert "printed" not in json.dumps(told)
    for _ in range(2):
        tree.learn(told)
    root = tree.root("T")
    assert (root.test, root.request) == (exchange.test, CALL)
    tree.finish(own := tree.root("U"), ENTRIES, [exchange])
    assert tree.step(root, value(3)).ending == own.ending


def test_an_answer_to_another_request_is_none(tree):
    """When the tests request something else, what followed is forgotten; a told run of it is left out."""
    root, other = tree.root("T"), {**CALL, "arguments": [2, 2]}
    exchange = Exchange("t", root.ask("t", CALL), {"kind": "value", "value": 3}, {})
    tree.finish(tree.step(root, value(3)), ENTRIES, [exchange])
    assert root.ask("t", CALL) is exchange.request
    assert tree.step(root, value(3)).ending
    root.ask("t", other)
    assert tree.step(root, value(3)).ending is None
    tree.learn(class_run("T", ENTRIES, [exchange]))
    assert root.request == other
    assert tree.step(root, value(3)).ending is None


def test_a_large_class_run_is_not_told():
    """A class run of more than 64 KiB stays with the worker that made it."""
    exchange = Exchange("t", CALL, {"kind": "value", "value": "x" * (1 << 16)}, {})
    assert class_run("T", ENTRIES, [exchange]) is None
    assert class_run("T", ENTRIES, []) is not None


def test_workers_tell_each_other():
    """A worker gets the runs of others, and its own again only if another one was faster."""
    shared = Shared()
    one, two = {"class": "1"}, {"class": "2"}
    assert shared.add([one], 0) == 1
    assert shared.since(0) == [one]
    assert shared.add([two], 0) == 0
    assert shared.since(1) == [two]


def test_no_more_is_kept_than_the_bound(monkeypatch):
    """What comes after 16 MiB is not told."""
    monkeypatch.setattr(memory, "MOST_KEPT", len(json.dumps({"class": "1"})))
    shared = Shared()
    shared.add([{"class": "1"}, {"class": "2"}], 0)
    assert shared.since(0) == [{"class": "1"}]


def test_a_file_keeps_class_runs_between_runs(tmp_path):
    """The same key finds them again; another key or a damaged file finds none. It is written if it grew."""
    path = tmp_path / "remembered"
    Shared("key", path).save()
    assert not path.exists()
    shared, told = Shared("key", path), class_run("T", ENTRIES, [Exchange("t", CALL, {"kind": "value"}, {})])
    shared.add([told], 0)
    shared.save()
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.stat().st_mtime_ns
    again = Shared("key", path)
    assert again.since(0) == [told]
    assert Shared("key", path, anew=True).since(0) == []
    again.save()
    assert path.stat().st_mtime_ns == before
    assert Shared("other", path).since(0) == []
    kept = path.read_bytes()
    changed = zlib.compress(zlib.decompress(kept[32:]).replace(b"passed", b"failed"))
    for damaged in (b"", b"no archive", kept[:-1], kept[32:], kept[:32] + changed, kept[:32] + b"no archive"):
        path.write_bytes(damaged)
        assert Shared("key", path).since(0) == []
