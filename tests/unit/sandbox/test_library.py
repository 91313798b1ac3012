"""The standard library is imported from memory in the jail, all of it, and nothing is opened."""

import os
import sys
from pathlib import Path

import pytest
from helpers import jail

from grader.sandbox.inside import library

# Not in the jail: they want a screen, a terminal, another operating system, or are Python's own tools.
_ABSENT = {
    "antigravity", "audioop", "crypt", "curses", "dbm.gnu", "dbm.ndbm", "ensurepip", "idlelib", "lib2to3",
    "msilib", "msvcrt", "nis", "nt", "ntpath", "ossaudiodev", "pydoc_data", "readline", "rlcompleter", "spwd",
    "syslog", "this", "tkinter", "turtle", "turtledemo", "winreg", "winsound", "__main__",
}  # fmt: skip

SOURCE = """
import importlib, sys

def load(names):
    failed = []
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            failed.append([name, str(error)])
    return failed

def found_by():
    return [type(finder).__name__ for finder in sys.meta_path], sys.path, len(sys.path_hooks)

def zones():
    from datetime import datetime
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError
    try:
        ZoneInfo("No/Where")
    except ZoneInfoNotFoundError:
        times = [datetime(2026, month, 1, tzinfo=ZoneInfo("Europe/Berlin")) for month in (1, 7)]
        return [time.utcoffset().seconds for time in times]
"""


@pytest.mark.parametrize("sandbox", ["bwrap", "landlock"])
def test_public_modules_can_be_imported(sandbox):
    """All public modules of the standard library but those with a reason; no flag is given."""
    names = sorted(name for name in sys.stdlib_module_names - _ABSENT if not name.startswith("_"))
    assert len(names) > 150
    with jail.session(SOURCE, sandbox=sandbox) as session:
        got = session.answer("visible/T::t", jail.call("load", names), hidden=False).verdict
        places = session.answer("visible/T::t", jail.call("found_by"), hidden=False).verdict
        assert session._child.flags == set()
    assert got["value"] == []
    finders = ["type", "type", "Library", "SubmittedFiles"]
    assert places["value"] == {"t": [finders, ["/submission"], 0]}


@pytest.mark.skipif(not Path("/usr/share/zoneinfo").is_dir(), reason="there are no time zones here")
def test_time_zones_are_in_memory():
    """Berlin is an hour ahead in January and two in July; an unknown zone is told as usual."""
    with jail.session(SOURCE) as session:
        assert session.answer("visible/T::t", jail.call("zones"), hidden=False).verdict["value"] == [
            3600,
            7200,
        ]


def test_compiled_code_is_taken_only_if_it_is_current(tmp_path):
    """A compiled file of another time or another Python is left; the source is taken instead."""
    source = tmp_path / "module.py"
    source.write_text("x = 1\n", encoding="utf-8")
    assert library._code_of(source) == (b"x = 1\n", False)
    compile_file(source)
    code, is_compiled = library._code_of(source)
    assert is_compiled
    os.utime(source, (1, 1))
    assert library._code_of(source) == (b"x = 1\n", False)
    cached = Path(library.importlib.util.cache_from_source(str(source)))
    cached.write_bytes(b"\0\0\0\0" + cached.read_bytes()[4:])
    assert library._code_of(source)[1] is False
    compile_file(source, "UNCHECKED_HASH")
    assert library._code_of(source) == (code, True)


def compile_file(source: Path, mode: str = "TIMESTAMP") -> None:
    """Write a module's compiled file."""
    import py_compile  # noqa: PLC0415 - here alone

    py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode[mode], doraise=True)


def test_modules_are_listed_with_their_packages(tmp_path):
    """A package comes with what is in it; folders without ``__init__`` and unwanted packages do not."""
    for name in ("a.py", "pack/__init__.py", "pack/b.py", "pack/test/__init__.py", "site-packages/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [name for name, _ in library._pure_modules([tmp_path])] == ["a", "pack", "pack.b"]
