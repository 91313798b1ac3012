"""Run an exercise's released tests in the browser, and give what they found as data.

The page writes the bundle's files, and pytest beside them, into Pyodide's file system; both are the released
ones, unchanged. The page keeps the clock: it hears of each call of the student's code, and ends this Python
when a call takes too long. In the next Python the same call is not run but counts as stopped.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import os
import pdb  # noqa: T100 - to turn it off
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

time.process_time = time.perf_counter  # Pyodide's own fails after 36 minutes
os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONBREAKPOINT": "0"}
pdb.set_trace = breakpoint  # which does nothing now, as when it is graded
HOME = Path("/exercise")
_PRINTED = 4_000
"""How many characters that the student's code printed are shown."""
_LACKS = re.compile(r"stack switching|new thread|multiprocessing|processes|ZoneInfo|No module named '(\w+)'")
"""What Python says of things that a browser lacks; a module only if it is Python's own."""


class Findings:
    """A pytest plugin that asks the bundle's own plugin what it found.

    ``tell`` hears ``call`` or ``import`` and its name when the student's code begins, two empty texts at its
    end. ``ended`` has the reasons of calls that ended an earlier Python; a call may take ``slower`` times the
    graded limit.
    """

    def __init__(self, tell: Callable[[str, str], None], ended: dict[str, str], slower: float) -> None:
        self.tell, self.ended, self.slower = tell, ended, slower
        self.kit: Any = None
        self.printed: list[str] = []
        self.found: dict[str, Any] = {"fault": "The tests did not run to their end.", "ending": []}

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Listen to each call of the student's code."""
        self.kit = session.config.pluginmanager.getplugin(f"exercise-kit {HOME}")
        self.kit.watch.tell = self._begins

    def _begins(self, what: str, name: str) -> None:
        if reason := self.ended.get(name):
            self.kit.watch.end(reason, self.slower * self.kit.watch.limits[what])
        self.tell(what, name)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what was printed."""
        self.printed += [text for name, text in report.sections if name.startswith("Captured std")]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Put everything together while the bundle's plugin is still there."""
        found = self.kit.findings()
        said = [*found["broken"], *(failure["sentence"] for failure in found["failures"])]
        lacking = filter(None, map(_LACKS.search, said))
        if any(one[1] is None or one[1] in sys.stdlib_module_names for one in lacking):
            found["warnings"].append(
                "This page's Python has no threads, processes, asyncio.run, time zones or windows: "
                "what fails for that reason may work at home and when you are graded."
            )
        printed = "\n".join(self.printed)
        more = len(printed) - _PRINTED
        found["printed"] = printed[:_PRINTED] + (f"\n... and {more} more characters" if more > 0 else "")
        if found["tasks"]:
            self.found = found


def run(texts: str, ended: str, slower: float, tell: Callable[[str, str], None]) -> str:
    """Run the tests on files, given by name as JSON, and return what they found, as JSON."""
    findings = Findings(tell, json.loads(ended), slower)
    names, modules, path = dict(vars(builtins)), set(sys.modules), list(sys.path)
    try:
        # pytest's own view of a failure is not shown, and takes most of the time.
        said = _pytest(texts, findings, "--tb=no", "-p", "no:faulthandler", "-p", "no:debugging")
    finally:  # what the student's code left behind must not change the next run
        builtins.__dict__.update(names)
        for name in set(builtins.__dict__) - set(names):
            delattr(builtins, name)
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", HOME)).startswith(str(HOME)):
                del sys.modules[name]
    if "fault" in findings.found:
        findings.found["fault"] += said[-2000:]
    return json.dumps(findings.found)


def hint(texts: str, number: int, counts: str) -> str:
    """The next hint on a TODO, and how many were given, as JSON; ``counts`` is what this returned last."""
    kept = HOME / ".hints.json"
    kept.write_text(counts or "{}", encoding="utf-8")
    said = _pytest(texts, None, f"--hint={number}").strip()
    return json.dumps({"text": said, "counts": kept.read_text(encoding="utf-8")})


def _pytest(texts: str, plugin: object, *options: str) -> str:
    """Run pytest on files, and return what it wrote."""
    for name, text in json.loads(texts).items():
        (HOME / name).write_text(text, encoding="utf-8")
    os.chdir(HOME)
    sys.dont_write_bytecode = False  # the next run needs not compile the tests again
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        pytest.main(["-p", "no:cacheprovider", *options], [plugin] if plugin else [])
    return said.getvalue()
