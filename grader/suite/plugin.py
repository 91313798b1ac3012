"""The grader's pytest plugin: note what a failing test compared, and make a report of JSON entries."""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from grader.suite.standin import SubmissionProxy

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_LONGEST = 2_000


class FailurePlugin:
    """Adds to each failed test's report what was compared.

    The facts stand in the report's metadata under ``failure``: ``error`` (the exception's class), ``verdict``
    and ``reason`` (kind of the latest verdict), ``expected`` (what the test expected, as text; for ``raises``
    the words of pytest), ``what``
    (``value``, ``type``, ``argument`` or ``raises``: what was compared with it), ``message`` (the test's own
    message) and ``todo`` (the TODO that the test says is not started).
    """

    def __init__(self, proxy: SubmissionProxy) -> None:
        self.proxy = proxy
        self.compared: dict[str, str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Start each test with nothing compared."""
        del item
        self.compared = {}
        self.proxy.arguments, self.proxy.value, self.proxy.verdict = (), None, {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Let a failure's traceback begin at its test: pytest looks for the file of each frame above."""
        if call.excinfo and isinstance(item, pytest.Function):
            frames = call.excinfo.traceback
            codes = [entry.frame.code.raw for entry in frames]
            if item.function.__code__ in codes:
                call.excinfo.traceback = frames[codes.index(item.function.__code__) :]

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Note what a failed comparison expected, if its left side came from the submission."""
        what = ""
        if op == "is" and left is type(self.proxy.value):
            what, right = "type", getattr(right, "__name__", right)
        elif op == "==" and any(left is argument for argument in self.proxy.arguments):
            what = "argument"
        elif op == "==" and left is self.proxy.value:
            what = "value"
        if what:
            self.compared = {
                "what": what,
                "expected": (right if type(right) is str else repr(right))[:_LONGEST],
            }

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_runtest_metadata(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> dict[str, Any] | None:
        """Return the facts of a failure for the report."""
        del item
        if call.when != "call" or call.excinfo is None:
            return None
        kind, text = call.excinfo.type, str(call.excinfo.value)
        verdict = self.proxy.verdict
        failure = {
            "error": kind.__name__,
            "verdict": verdict.get("kind", ""),
            "reason": verdict.get("reason", ""),
        }
        failure |= self.compared
        if kind is AssertionError:
            failure["message"] = text.partition("\nassert ")[0][:_LONGEST] if "\nassert " in text else ""
        elif kind is NotImplementedError and (todo := re.match(r"TODO \d+", text)):
            failure["todo"] = todo[0]
        elif text.startswith("DID NOT RAISE "):
            failure |= {"what": "raises", "expected": text[:_LONGEST]}
        return {"failure": failure}


def run_tests(session: pytest.Session, items: Sequence[pytest.Item]) -> list[dict[str, Any]]:
    """Run some of the collected tests once, in order; return their entries of the report.

    Times and paths are left out. What the tests set up is torn down, so that others can run afterwards.
    """
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    plugin = session.config._json_report  # type: ignore[attr-defined]  # noqa: SLF001 - the plugin's only handle
    plugin.pytest_sessionfinish(session=session)
    places = {str(item.path): item.nodeid.partition("::")[0] for item in items}
    # A report may name pytest's own files, by a path that differs between machines.
    for place in (session.config.rootpath, *sorted(filter(None, sys.path), key=len, reverse=True)):
        places[f"{place}/"] = ""
    mine = {item.nodeid for item in items}
    return [_timeless(entry, places) for entry in plugin.report["tests"] if entry["nodeid"] in mine]


def report_of(outcomes: Iterable[str], entries: Iterable[bytes]) -> bytes:
    """Put the report of all tests together from their outcomes and their entries, which are JSON."""
    counts = Counter(outcomes)
    summary = {**counts, "total": counts.total(), "collected": counts.total()}
    head = json.dumps({"exitcode": 0, "root": "", "summary": summary})
    return b'%s, "tests": [%s]}' % (head[:-1].encode(), b", ".join(entries))


def _timeless(value: Any, places: Mapping[str, str]) -> Any:
    """Remove durations and addresses in memory; replace this machine's paths by the names of node ids."""
    if isinstance(value, dict):
        return {key: _timeless(item, places) for key, item in value.items() if key != "duration"}
    if isinstance(value, list):
        return [_timeless(item, places) for item in value]
    if not isinstance(value, str):
        return value
    if "/" in value:
        for place, name in places.items():
            value = value.replace(place, name)
    return _ADDRESS.sub("", value)


def visible_first(items: Iterable[pytest.Item], visible: str) -> list[pytest.Item]:
    """Return the tests with all visible ones before any hidden one."""
    return sorted(items, key=lambda item: not item.nodeid.startswith(visible))


def by_class(items: Sequence[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """Return the tests by the node id of their class; as one group if classes share a fixture of the course.

    A shared fixture may call the submission once for several classes, so that none stands by itself.
    """
    for item in items:
        for fixtures in item._fixtureinfo.name2fixturedefs.values():  # type: ignore[attr-defined]  # noqa: SLF001
            if any(one.scope not in ("function", "class") and one.baseid for one in fixtures):
                return {"": [*items]}
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        groups.setdefault(item.parent.nodeid if item.parent else "", []).append(item)
    return groups
