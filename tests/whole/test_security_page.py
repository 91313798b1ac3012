"""SECURITY.md names tests that exist and flags that are given."""

from __future__ import annotations

import re

from helpers import hostile_class
from helpers.paths import ROOT, TESTS

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_the_tests_that_it_names_are_there():
    """Each file, and each function of the file named before it."""
    named = re.findall(r"`((?:\w+/)+test_[\w*]+\.py)?(?:::(test_\w+))?`", PAGE)
    file = ""
    assert sum(bool(name or function) for name, function in named) >= 25
    for name, function in named:
        file = name or file
        found = sorted(TESTS.glob(file))
        assert found, file
        if function:
            assert f"def {function}(" in found[0].read_text(encoding="utf-8"), function


def test_hostile_submissions_that_it_names_are_there():
    """Names in brackets after test_hostile.py."""
    listed = re.search(r"`whole/test_hostile\.py` \(([^)]*)\)", PAGE)
    assert set(re.findall(r"`(\w+)`", listed[1])) <= set(hostile_class.hostile_names())


def test_the_flags_are_those_that_are_given():
    """A line of the table for each flag that a hostile submission earns, and no other."""
    table = PAGE.partition("| Flag | Seen when |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == [
        "tried-network",
        "tried-processes",
        "tried-files",
        "returned-impostor",
        "ended-process",
        "tampered-channel",
    ]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == set(hostile_class.FLAGS)


def test_the_probes_are_where_it_says():
    """The page with the table that README and SECURITY.md link."""
    assert "docs/probes.md" in PAGE
    assert (ROOT / "docs/probes.md").is_file()
