"""SECURITY.md names tests that exist and flags that are given."""

from __future__ import annotations

import re

from helpers import hostile_class
from helpers.paths import ROOT, TESTS

from grader.base.flags import FLAGS

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


def test_hostile_submissions_earn_every_flag_of_the_sandbox():
    """The page links the table of flags; a hostile submission earns each word of its part on the sandbox."""
    assert "docs/flags.md" in PAGE
    assert {flag.word for flag in FLAGS if flag.topic == "sandbox"} == set(hostile_class.FLAGS)


def test_the_probes_are_where_it_says():
    """The page with the table that README and SECURITY.md link."""
    assert "docs/probes.md" in PAGE
    assert (ROOT / "docs/probes.md").is_file()
