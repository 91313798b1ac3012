"""What a failing comparison compared, noted when one side came from the submission."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from grader.suite import plugin
from grader.suite.plugin import FailurePlugin, visible_first
from grader.suite.standin import SubmissionProxy


@pytest.fixture
def proxy():
    """A proxy whose latest question gave a list, for two arguments."""
    proxy = SubmissionProxy()
    proxy.value, proxy.arguments, proxy.verdict = [1.5], ([3], {"a": 1}), {"kind": "value"}
    return proxy


def compared(proxy, op, left, right):
    """What the plugin notes of a failed comparison."""
    noting = FailurePlugin(proxy)
    noting.pytest_assertrepr_compare(op, left, right)
    return noting.compared


def test_comparisons_that_are_noted(proxy):
    """The value itself, its type by ``is``, an argument itself; what was wanted as text."""
    assert compared(proxy, "==", proxy.value, [2]) == {"what": "value", "expected": "[2]"}
    assert compared(proxy, "is", list, int) == {"what": "type", "expected": "int"}
    assert compared(proxy, "==", proxy.arguments[0], [4]) == {"what": "argument", "expected": "[4]"}
    assert compared(proxy, "==", proxy.value, pytest.approx(0.5, abs=0.1)) == {
        "what": "value",
        "expected": "0.5 ± 0.1",
    }


@pytest.mark.parametrize(("op", "left"), [("==", [1.5]), ("<", None), ("is", int), ("!=", None), ("==", [3])])
def test_comparisons_that_are_not(proxy, op, left):
    """An equal list that is another one, another operator, another type: nothing of the submission's."""
    assert compared(proxy, op, proxy.value if left is None else left, [2]) == {}


def test_a_text_is_not_quoted_twice_and_never_too_long(proxy):
    """A text that was wanted stands as it is; 2,000 characters are enough."""
    assert compared(proxy, "==", proxy.value, "ok")["expected"] == "ok"
    assert len(compared(proxy, "==", proxy.value, ["x" * 9_000])["expected"]) == 2_000


def test_each_test_begins_with_nothing(proxy):
    """What one test compared or asked does not explain the next one's failure."""
    noting = FailurePlugin(proxy)
    noting.compared = {"what": "value"}
    noting.pytest_runtest_call(None)
    assert (noting.compared, proxy.arguments, proxy.value, proxy.verdict) == ({}, (), None, {})


def test_only_the_call_of_a_test_has_facts(proxy):
    """Setting up and tearing down have none, and neither has a test that passed."""
    noting = FailurePlugin(proxy)
    for when, excinfo in (("setup", ValueError()), ("teardown", None), ("call", None)):
        assert noting.pytest_json_runtest_metadata(None, SimpleNamespace(when=when, excinfo=excinfo)) is None


@pytest.mark.parametrize(
    ("text", "todo"), [("TODO 12: N is still None", {"todo": "TODO 12"}), ("", {}), ("see TODO 1", {})]
)
def test_a_test_says_which_todo_is_not_started(proxy, text, todo):
    """The number alone, of a test's own NotImplementedError."""
    excinfo = SimpleNamespace(type=NotImplementedError, value=NotImplementedError(text))
    found = FailurePlugin(proxy).pytest_json_runtest_metadata(
        None, SimpleNamespace(when="call", excinfo=excinfo)
    )
    expected = {"error": "NotImplementedError", "verdict": "value", "reason": "", **todo}
    assert found == {"failure": expected}


def test_visible_tests_run_first():
    """All of them before any hidden one, each kind in its own order."""
    names = ["hidden/b", "visible/z", "private/a", "visible/a", "hidden/a"]
    ordered = visible_first([SimpleNamespace(nodeid=name) for name in names], "visible/")
    assert [item.nodeid for item in ordered] == [
        "visible/z",
        "visible/a",
        "hidden/b",
        "private/a",
        "hidden/a",
    ]


def test_paths_become_node_ids():
    """Durations go, paths get their node's name, wherever they stand."""
    places = {"/secret/tests/hidden/x/test_a.py": "private/x/test_a.py", "/course/tests/": ""}
    report = {
        "duration": 5,
        "tests": [{"call": {"duration": 1, "longrepr": "/course/tests/visible/a.py:3: no"}}, 5, None],
        "crash": {"path": "/secret/tests/hidden/x/test_a.py", "lineno": 4},
    }
    assert plugin._timeless(report, places) == {
        "tests": [{"call": {"longrepr": "visible/a.py:3: no"}}, 5, None],
        "crash": {"path": "private/x/test_a.py", "lineno": 4},
    }
