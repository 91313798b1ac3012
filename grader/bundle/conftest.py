"""Makes ``pytest`` explain itself in this folder; there is nothing to do in this file, nor in ``kit``."""

import importlib
import sys
import types
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
KIT = "exercise_kit"

if sys.version_info < (3, 10):  # noqa: UP036 - a student's Python may be older than the grader's
    pytest.exit(
        "This exercise needs Python 3.10 or newer; this is Python {}.{}.".format(*sys.version_info),
        4,
    )
if not (HERE / "kit" / "plugin.py").is_file():
    pytest.exit("The folder kit is missing beside conftest.py: unzip the exercise once more.", 4)

_other = getattr(sys.modules.get(KIT), "__path__", [str(HERE / "kit")])
if _other != [str(HERE / "kit")]:
    pytest.exit(
        f"There are two copies of this exercise here, {Path(_other[0]).parent} and {HERE}: open a terminal "
        "(or your editor) in the one that you work on, and run pytest there.",
        4,
    )
_package = types.ModuleType(KIT)
_package.__path__ = [str(HERE / "kit")]
sys.modules[KIT] = _package


def pytest_configure(config: pytest.Config) -> None:
    """Start explaining."""
    importlib.import_module(KIT + ".plugin").start(config, HERE)
