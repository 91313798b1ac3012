"""Run the visible tests of a course on the files in ``exercises/``, with the screen that students see.

It needs pytest and the standard library alone, so that pytest works in a fresh clone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.bundle import options, plugin
from grader.lesson.points import POINTS


def start(config: pytest.Config, root: Path) -> None:
    """Explain the tests of each exercise of the course in ``root``; ``exercises/`` stands for its tests."""
    if config.pluginmanager.has_plugin("exercise-kit"):
        return
    config.pluginmanager.register(object(), "exercise-kit")
    lessons, visible = root / "exercises", root / "tests" / "visible"
    for place, argument in enumerate(config.args):
        name, colons, rest = argument.partition("::")
        asked = (config.invocation_params.dir / name).resolve()
        if asked.is_relative_to(lessons) and not asked.is_file():
            config.args[place] = f"{visible / asked.relative_to(lessons)}{colons}{rest}"
    for kit in sorted(lessons.glob(f"*/{POINTS}")):
        folder = kit.parents[1]
        plugin.start(config, folder, visible / folder.name)


def give_hint(config: pytest.Config, root: Path) -> int | None:
    """Write the hint that was asked for, on the exercise of this folder or else the first one."""
    folders = [path.parents[1] for path in sorted((root / "exercises").glob(f"*/{POINTS}"))]
    here = config.invocation_params.dir.resolve()
    inside = [folder for folder in folders if folder == here or folder.name == here.name]
    return options.give_hint(config, (inside or folders)[0])
