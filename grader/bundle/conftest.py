"""Makes ``pytest`` explain itself in this folder; there is nothing to do in this file, nor in ``kit``."""

import importlib
import sys
import types
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
KIT = "exercise_kit"


def _fault() -> str:
    """What keeps the tests from running in this folder, in one sentence; empty if nothing does."""
    if sys.version_info < (3, 10):  # noqa: UP036 - a student's Python may be older than the grader's
        return "This exercise needs Python 3.10 or newer; this is Python {}.{}.".format(*sys.version_info)
    if not (HERE / "kit" / "plugin.py").is_file():
        return (
            f"The folder kit is missing beside conftest.py in {HERE}: unzip the exercise once more into "
            "another folder, and copy its folder kit to here. Your own files stay as they are."
        )
    theirs = {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", *sys.stdlib_module_names} - {"test"}
    for path in sorted(HERE.glob("*.py")):
        if path.stem in theirs and not path.with_name("test_" + path.name).is_file():
            return (
                f"{path.name} has the name of a module that Python or pytest needs: give the file another "
                "name, and run the tests again."
            )
    return ""


FAULT = _fault()
_first = sys.modules.setdefault(KIT, types.ModuleType(KIT))
_first.__dict__.setdefault("__path__", [str(HERE / "kit")])
_first.__dict__.setdefault("copies", []).append(HERE)
IS_FIRST = _first.__path__ == [str(HERE / "kit")]
if not IS_FIRST:
    # Another folder of this kind was found before this one; it says what to do.
    collect_ignore_glob = ["*"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --map and --hint."""
    if not FAULT:
        importlib.import_module(KIT + ".options").add(parser)


def pytest_cmdline_main(config: pytest.Config) -> "int | None":
    """Give a hint in place of running the tests, if one is asked for."""
    able = IS_FIRST and not FAULT
    return importlib.import_module(KIT + ".options").give_hint(config, HERE) if able else None


def pytest_configure(config: pytest.Config) -> None:
    """Start explaining."""
    if FAULT:
        raise pytest.UsageError(FAULT)
    if IS_FIRST:
        importlib.import_module(KIT + ".plugin").start(config, HERE)


def pytest_unconfigure() -> None:
    """Leave nothing for another run in the same process."""
    for name in [name for name in sys.modules if name.partition(".")[0] == KIT]:
        del sys.modules[name]
