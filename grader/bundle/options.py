"""The options ``--map`` and ``--hint``; without a number, a hint is on the TODO that the last run named."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

_COUNTS = ".hints.json"
_NEXT = "next"
"""Where ``.hints.json`` keeps the TODO that the last run named, beside how many hints each TODO had."""


def add(parser: pytest.Parser) -> None:
    """Add the options; a second folder with this plugin adds none."""
    group = parser.getgroup("exercise")
    with contextlib.suppress(ValueError):
        group.addoption("--map", action="store_true", help="draw the slots of your own answers")
        about = "one more hint on the TODO of this number, or on the next one"
        group.addoption("--hint", metavar="TODO", type=int, nargs="?", const=0, help=about)


def give_hint(config: pytest.Config, folder: Path) -> int | None:
    """Write the next hint on the TODO that was asked for; None if none was asked for."""
    number = config.getoption("hint", default=None)
    if number is None:
        return None
    points = json.loads((folder / "kit" / "points.json").read_text(encoding="utf-8"))
    sys.stdout.write(f"{_next_hint(points, folder, number)}\n")
    return 0


def _next_hint(points: Mapping[str, Any], folder: Path, number: int) -> str:
    """The next hint on a TODO; before an attempt there is none, and after the last one it is said again.

    The number 0 stands for the TODO that the last run named, or before any run for the first untouched one.
    """
    todos, kept = points["todos"], _kept(folder)
    fresh = (one["number"] for one in todos if not is_begun(folder / one["file"], one))
    number = number or kept.get(_NEXT) or next(fresh, todos[-1]["number"])
    todo = next((one for one in todos if one["number"] == number), None)
    if todo is None:
        last = points["todos"][-1]["number"]
        return f"There is no TODO {number}; the last one is TODO {last}."
    if not is_begun(folder / todo["file"], todo):
        return f"TODO {number} is untouched. Try it first, even if you are not sure; then ask again."
    task = next(one for one in points["tasks"] if one["name"] == todo["task"])
    steps = task.get("hints") or [criterion["hint"] for criterion in task["criteria"]]
    if not steps:
        return f"There are no hints on TODO {number} ({todo['name']})."
    place = min(int(kept.get(str(number), 0)), len(steps) - 1)
    _keep(folder, str(number), place + 1)
    more = "Ask again for the next one." if place + 1 < len(steps) else "There are no more."
    return f"Hint {place + 1} of {len(steps)} on TODO {number} ({todo['name']}): {steps[place]} {more}"


def keep_next(folder: Path, step: str) -> None:
    """Keep the TODO that a run's next step names, for a hint without a number."""
    if found := re.search(r"\bTODO (\d+)", step):
        _keep(folder, _NEXT, int(found[1]))


def _kept(folder: Path) -> dict[str, int]:
    with contextlib.suppress(OSError, ValueError):
        return dict(json.loads((folder / _COUNTS).read_text(encoding="utf-8")))
    return {}


def _keep(folder: Path, key: str, number: int) -> None:
    with contextlib.suppress(OSError):
        (folder / _COUNTS).write_text(json.dumps({**_kept(folder), key: number}), encoding="utf-8")


def is_begun(path: Path, todo: Mapping[str, Any]) -> bool:
    """True if a TODO is no longer as it was released; true also if the file cannot be read as Python."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return True
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == todo["name"]:
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            return not (len(body) == 1 and "NotImplementedError" in ast.dump(body[0]))
        if isinstance(node, ast.Assign) and any(
            getattr(one, "id", "") == todo["name"] for one in node.targets
        ):
            return not (isinstance(node.value, ast.Constant) and node.value.value is None)
    return True
