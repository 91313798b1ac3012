"""Facts about failed comparisons, and the JSON report."""

from types import SimpleNamespace

import pytest

from grader.suite import plugin
from grader.suite.plugin import FailurePlugin, visible_first
from grader.suite.standin import SubmissionProxy


@pytest.fixture
def proxy():
    """A proxy whose latest request had two arguments and a list as value."""
    proxy = SubmissionProxy()
    proxy.value, proxy.arguments, proxy.verdict = [1.5], ([3], {"a": 1}), {"kind": "value"}
    return proxy


def compared(proxy, op, left, right):
    """Return what the plugin notes of a failed comparison."""
    noting = FailurePlugin(proxy)
    noting.pytest_assertrepr_compare(op, left, right)
    return noting.compared


def test_comparisons_that_are_noted(proxy):
    """The value, its type by ``is``, or an argument; the expected side as text."""
    assert compared(proxy, "==", proxy.value, [2]) == {"what": "value", "expected": "[2]"}
    assert compared(proxy, "is", list, int) == {"what": "type", "expected": "int"}
    assert compared(proxy, "==", proxy.arguments[0], [4]) == {"what": "argument", "expected": "[4]"}
    assert compared(proxy, "==", proxy.value, pytest.approx(0.5, abs=0.1)) == {
        "what": "value",
        "expected": "0.5 ± 0.1",
    }


@pytest.mark.parametrize(("op", "left"), [("==", [1.5]), ("<", None), ("is", int), ("!=", None), ("==", [3])])
def test_comparisons_that_are_not_noted(proxy, op, left):
    """Another object, operator or type: not a value of the submission."""
    assert compared(proxy, op, proxy.value if left is None else left, [2]) == {}


def test_a_text_is_not_quoted_twice_and_never_too_long(proxy):
    """An expected text is kept without quotes, and at most 2,000 characters."""
    assert compared(proxy, "==", proxy.value, "ok")["expected"] == "ok"
    assert len(compared(proxy, "==", proxy.value, ["x" * 9_000])["expected"]) == 2_000


def test_each_test_begins_with_nothing(proxy):
    """The facts of one test are not kept for the next one."""
    noting = FailurePlugin(proxy)
    noting.compared = {"what": "value"}
    noting.pytest_runtest_call(None)
    assert (noting.compared, proxy.arguments, proxy.value, proxy.verdict) == ({}, (), None, {})


def test_only_the_call_of_a_test_has_facts(proxy):
    """Set-up, tear-down and a passed test have no facts."""
    noting = FailurePlugin(proxy)
    for when, excinfo in (("setup", ValueError()), ("teardown", None), ("call", None)):
        assert noting.pytest_json_runtest_metadata(None, SimpleNamespace(when=when, excinfo=excinfo)) is None


@pytest.mark.parametrize(
    ("text", "todo"), [("TODO 12: N is still None", {"todo": "TODO 12"}), ("", {}), ("see TODO 1", {})]
)
def test_a_test_says_which_todo_is_not_started(proxy, text, todo):
    """Its number is taken from the text of a NotImplementedError."""
    excinfo = SimpleNamespace(type=NotImplementedError, value=NotImplementedError(text))
    found = FailurePlugin(proxy).pytest_json_runtest_metadata(
        None, SimpleNamespace(when="call", excinfo=excinfo)
    )
    expected = {"error": "NotImplementedError", "verdict": "value", "reason": "", **todo}
    assert found == {"failure": expected}


def test_visible_tests_run_first():
    """All visible tests come first; otherwise the order stays."""
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
    """Durations are removed, and paths become node ids, at any depth."""
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
