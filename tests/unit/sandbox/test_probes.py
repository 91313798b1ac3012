"""Attempts to break out, made in every tier, as root and as an ordinary user."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache

import pytest
from helpers import probe_inside, probe_jail, users
from helpers.paths import ROOT

from grader.base.errors import UsageError
from grader.course.model import Limits
from grader.sandbox.child import StoppedError
from grader.sandbox.host import Zygote, choose_tier
from grader.sandbox.inside import syscalls

pytestmark = pytest.mark.slow

TABLE = ROOT / "docs/probes.md"
REFUSED = {"EPERM", "EACCES", "ENOENT", "ENOSYS", "ENOTTY"}
# Landlock does not hide that a file exists; nothing else may ever be added here.
LEFT_OPEN = {"bwrap": set(), "bwrap-shared": set(), "landlock": {"see_that_a_file_exists"}}


@cache
def outcomes(tier: str, user: str) -> dict[str, str]:
    """Run every probe in a tier; return the outcomes."""
    found = json.loads(users.run_as(user, "probe_jail.py", tier))
    if "unavailable" in found:
        pytest.skip(found["unavailable"])
    return found


@contextmanager
def children(tier: str) -> Iterator[Zygote]:
    """Start a zygote of a tier; skip the test if this machine cannot."""
    try:
        zygote = Zygote(choose_tier(tier, Limits(), unsafe=False), Limits())
    except UsageError as error:
        pytest.skip(str(error))
    with closing(zygote):
        yield zygote


@pytest.mark.parametrize("user", users.USERS)
@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_everything_is_refused(tier, user):
    """Every probe gets an error, except those in LEFT_OPEN."""
    found = outcomes(tier, user)
    assert list(found) == [p.__name__ for probes in probe_inside.PROBES.values() for p in probes]
    assert {name for name, outcome in found.items() if outcome not in REFUSED} == LEFT_OPEN[tier]


@pytest.mark.parametrize("user", users.USERS)
def test_everything_is_refused_without_notifications(user):
    """Where the kernel does not show refused calls, they are refused as well."""
    assert outcomes("landlock-unwatched", user) == outcomes("landlock", user)


def test_table_in_docs_is_current():
    """The table in docs/probes.md holds the outcomes of the probes on this machine."""
    rows = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    found = {tier: outcomes(tier, users.USERS[0]) for tier in probe_jail.TIERS}
    assert rows == [line for line in probe_jail.table(found).splitlines() if line.startswith("| ")], (
        "write it anew with tests/helpers/probe_jail.py table"
    )


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_all_other_system_calls_are_refused(tier):
    """All numbers of system calls up to 470 that are not on the allow-list are refused."""
    column = 1 if probe_inside._ARM else 0
    special = (syscalls._OPEN, syscalls._OPENAT, syscalls._TGKILL, syscalls._PRLIMIT, syscalls._FCNTL)
    named = {call[column] for call in (*syscalls._ALLOWED.values(), *special, syscalls._IOCTL)}
    # The kernel shows no filter its own uretprobe and uprobe, and ends whoever calls them by hand.
    named |= {335, 336}
    numbers = [number for number in range(471) if number not in named]
    assert len(numbers) > 350
    with children(tier) as zygote, closing(probe_jail.prepared(zygote)) as child:
        got = probe_jail.call(child, "call_all", numbers)
    assert set(got) <= {"EPERM", "ENOSYS"}
    assert got[0] == "EPERM"


# ARM has no calls of a second kind.
if not probe_inside._ARM:

    def test_x32_calls_kill_the_process():
        """A call with an x32 number, which the list does not cover, kills the process."""
        with (
            children("landlock") as zygote,
            closing(probe_jail.prepared(zygote)) as child,
            pytest.raises(StoppedError, match="crashed"),
        ):
            probe_jail.call(child, "call_all", [0x40000000 + 39])


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_nothing_of_an_earlier_submission_is_in_memory(tier):
    """A child that reads its own memory finds its source, and not that of the submission before."""
    secret = b"SECRET = 'kit-" + b"7f3a" * 8 + b"'\n" + b"# padding\n" * 2000
    with children(tier) as zygote:
        with closing(zygote.spawn()) as first:
            first.send_files({"probe_inside.py": probe_jail.INSIDE + secret})
            first.ask({"verb": "load", "module": "probe_inside"}, cpu=5, wall=20)
            assert probe_jail.call(first, "scan") > 0
        with closing(probe_jail.prepared(zygote)) as second:
            assert probe_jail.call(second, "scan") == 0


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_open_descriptors_of_a_child(tier):
    """A child holds /dev/null, the channel and at most Python's folder, not the watching descriptor."""
    with children(tier) as zygote, closing(probe_jail.prepared(zygote)) as child:
        held = probe_jail.call(child, "open_descriptors")
        python = [4] if zygote.tier.settings(Limits())["through"] else []
    assert held == [0, 1, 2, 3, *python]


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_honest_code_raises_no_flag(tier):
    """Importing much of the standard library, raising and printing give no flag."""
    with children(tier) as zygote, closing(probe_jail.prepared(zygote)) as child:
        assert probe_jail.call(child, "do_honest_things") == 42
        assert child.flags == frozenset()
