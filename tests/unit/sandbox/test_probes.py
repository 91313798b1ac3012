"""Attempts to break out, made in every tier, as root and as an ordinary user."""

import json
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import cache

import pytest
from helpers import jail, probe_inside, probe_jail, users
from helpers.paths import ROOT

from grader.base.errors import UsageError
from grader.course.model import Limits
from grader.sandbox.child import StoppedError
from grader.sandbox.host import Zygote, choose_tier
from grader.sandbox.inside import syscalls

pytestmark = pytest.mark.slow

TABLE = ROOT / "docs/probes.md"
ALLOW, WATCH, ZERO, REFUSE = 0x7FFF0000, 0x7FC00000, 0x50000, 0x50001
"""What a program returns: SECCOMP_RET_ALLOW, _USER_NOTIF, and _ERRNO with 0 and with EPERM."""
REFUSED = {"EPERM", "EACCES", "ENOENT", "ENOSYS", "ENOTTY"}


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
    """Every probe gets an error."""
    found = outcomes(tier, user)
    assert list(found) == [p.__name__ for probes in probe_inside.PROBES.values() for p in probes]
    assert {name for name, outcome in found.items() if outcome not in REFUSED} == set()


@pytest.mark.parametrize("user", users.USERS)
def test_everything_is_refused_without_notifications(user):
    """Where the kernel does not show refused calls, they are refused as well."""
    assert outcomes("landlock-unwatched", user) == outcomes("landlock", user)


def rows_below(heading: str) -> list[str]:
    """Return the rows of the table in a section of docs/probes.md."""
    section = TABLE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")]


def test_table_of_attempts_is_current():
    """It holds the outcomes of the probes on this machine."""
    found = {tier: outcomes(tier, users.USERS[0]) for tier in probe_jail.TIERS}
    assert rows_below("Attempts") == probe_jail.table(found).splitlines(), (
        "write it anew with tests/helpers/probe_jail.py table"
    )


def test_table_of_allowed_calls_is_current():
    """It lists the calls of the filter, each with what it is for."""
    assert rows_below("Allowed calls") == probe_jail.calls_table().splitlines(), (
        "write it anew with tests/helpers/probe_jail.py calls"
    )
    assert all(reason for _, _, reason, _ in syscalls.ALLOWED.values())


@pytest.mark.parametrize("watched", [True, False])
def test_filter_allows_the_listed_calls_alone(watched):
    """Run by a small interpreter, the program allows with zeros as arguments what the table lists."""
    program = syscalls.allow_list(watched=watched)
    handed_over = syscalls.numbers_of([syscalls._SENDMSG, syscalls.SECCOMP]) if watched else frozenset()
    allowed = {number for number in range(600) if verdict(program, number) in (ALLOW, ZERO)}
    # With zeros, advice is not MADV_DONTNEED and a futex is shared.
    names = syscalls.ALLOWED.keys() - {"madvise", "futex"}
    assert allowed == numbers_named(names) | handed_over
    assert {n for n in allowed if verdict(program, n) == ZERO} == numbers_named(
        ["getpid", "gettid", "getppid"]
    )


def numbers_named(names: Iterable[str]) -> frozenset[int]:
    """Return the numbers of allowed calls on this machine."""
    return syscalls.numbers_of(syscalls.ALLOWED[name][:2] for name in names)


def test_numbers_of_processes_are_hidden_from_the_zygote_on():
    """Its own program answers the three calls with 0 and allows all others."""
    program = syscalls.hide_numbers()
    hidden = {number for number in range(600) if verdict(program, number) == ZERO}
    assert hidden == numbers_named(["getpid", "gettid", "getppid"])
    assert {verdict(program, number) for number in set(range(600)) - hidden} == {ALLOW}


@pytest.mark.parametrize(
    ("name", "arguments", "is_allowed"),
    [
        ("mmap", (0, 4096, 3, 0x22), True),
        ("mmap", (0, 4096, 3, 0x21), False),
        ("mmap", (0, 4096, 3, 0x03), False),
        ("mmap", (0, 4096, 3, 0x40022), False),
        ("mmap", (0, 4096, 3, 0x28), False),
        ("madvise", (0, 4096, 4), True),
        ("madvise", (0, 4096, 8), False),
        ("madvise", (0, 4096, 3), False),
        ("futex", (0, 0x80 | 9), True),
        ("futex", (0, 9), False),
        ("futex", (0, 0x100), False),
        ("clock_gettime", (7,), True),
        ("clock_gettime", (8,), False),
        ("clock_gettime", (0xFFFFFFEA,), False),
        ("clock_nanosleep", (0xFFFFFFEA,), False),
        ("sched_getaffinity", (0,), True),
        ("sched_getaffinity", (1,), False),
        ("prlimit64", (1,), False),
        ("fcntl", (0, 1030), True),
        ("fcntl", (0, 6), False),
        ("fcntl", (0, 37), False),
        ("fcntl", (0, 1031), False),
    ],
)
def test_arguments_of_limited_calls(name, arguments, is_allowed):
    """Each limited call is allowed with the arguments that Python needs, and refused with others."""
    (number,) = numbers_named([name])
    assert (verdict(syscalls.allow_list(watched=False), number, *arguments) == ALLOW) is is_allowed


def test_abort_alone_is_refused_in_silence():
    """os.abort sends SIGABRT to the process 0; other signals and processes are shown to the trusted side."""
    (tgkill,) = syscalls.numbers_of([syscalls._TGKILL])
    program = syscalls.allow_list(watched=True)
    assert verdict(program, tgkill, 0, 0, 6) == REFUSE
    assert verdict(program, tgkill, 77, 77, 6) == verdict(program, tgkill, 0, 0, 34) == WATCH


def verdict(program: bytes, number: int, *arguments: int) -> int:
    """Run a seccomp program on a call; return its verdict."""
    facts = struct.pack("<IIQ6Q", number, syscalls._ARCHITECTURE, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = [*struct.iter_unpack("HBBI", program)]
    at, loaded = 0, 0
    while True:
        code, yes, no, operand = steps[at]
        at += 1
        if code == syscalls._RETURN:
            return operand
        if code == syscalls._LOAD:
            loaded = struct.unpack_from("<I", facts, operand)[0]
            continue
        holds = {
            syscalls._EQUAL: loaded == operand,
            syscalls._AT_LEAST: loaded >= operand,
            syscalls._ANY_BIT: bool(loaded & operand),
        }[code]
        at += yes if holds else no


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_all_other_system_calls_are_refused(tier):
    """All numbers of system calls up to 470 that are not on the allow-list are refused."""
    named = numbers_named(syscalls.ALLOWED) | syscalls.numbers_of([syscalls._IOCTL])
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
            first.ask(jail.load("probe_inside"), cpu=5, wall=20)
            assert probe_jail.call(first, "scan") > 0
        with closing(probe_jail.prepared(zygote)) as second:
            assert probe_jail.call(second, "scan") == 0


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_how_an_earlier_submission_ended_is_not_in_memory(tier):
    """Whatever the submission before used and however it ended, the next one sees the same of its zygote."""
    seen = []
    with children(tier) as zygote:
        for status in (5, 77):
            with closing(probe_jail.prepared(zygote)) as child, pytest.raises(StoppedError, match="ended"):
                probe_jail.call(child, "end", status)
            assert child.close().status == status
            with closing(probe_jail.prepared(zygote)) as child:
                seen.append(probe_jail.call(child, "seen_of_the_zygote"))
    assert seen[0] == seen[1]
    assert len(seen[0]) >= 4


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_open_descriptors_of_a_child(tier):
    """A child holds /dev/null three times and the channel, not the descriptor that shows refused calls."""
    with children(tier) as zygote, closing(probe_jail.prepared(zygote)) as child:
        assert probe_jail.call(child, "open_descriptors") == [0, 1, 2, 3]


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_flags_of_descriptors_carry_no_bit(tier):
    """Flags that one submission sets on descriptors 0 to 2 are not seen by another, living or later."""
    with children(tier) as zygote, closing(probe_jail.prepared(zygote)) as sender:
        seen = []
        for bit in (0, 1):
            assert probe_jail.call(sender, "carry", bit) == "ALLOWED"
            with closing(probe_jail.prepared(zygote)) as receiver:
                seen.append(probe_jail.call(receiver, "receive"))
    assert seen[0] == seen[1] == [os.O_RDWR | 0o100000] * 3


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_numbers_of_processes_carry_no_bit(tier):
    """One child after another sees 0 as its number and its parent's, and the same bytes about its thread."""
    with children(tier) as zygote:
        seen = []
        for _ in range(3):
            with closing(probe_jail.prepared(zygote)) as child:
                seen.append(probe_jail.call(child, "own_numbers"))
    assert seen[0][:-1] == [0, 0, 0, 0]
    assert len(seen[0][-1]) == 4096
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_how_many_began_before_is_in_no_count_of_python(tier):
    """Python counts in its code and its dicts what runs: a later child sees the same numbers as the first."""
    with children(tier) as zygote:
        seen = []
        for number in range(40):
            with closing(probe_jail.prepared(zygote) if number in (0, 39) else zygote.spawn()) as child:
                seen += [probe_jail.call(child, "counts_of_python")] if number in (0, 39) else []
    assert seen[0] == seen[1]
    assert len(seen[0]) > 40


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_library_pages_are_in_memory_before_a_submission_runs(tier):
    """Reading the pages of the libraries causes no fault that would tell whether another read them."""
    with children(tier) as zygote, closing(probe_jail.prepared(zygote)) as child:
        pages, faults = probe_jail.call(child, "faults_of_reading_libraries")
    assert pages > 500
    assert faults == 0


@pytest.mark.parametrize("tier", probe_jail.TIERS)
def test_honest_code_raises_no_flag(tier):
    """Importing much of the standard library, raising and printing give no flag."""
    with children(tier) as zygote, closing(probe_jail.prepared(zygote)) as child:
        assert probe_jail.call(child, "do_honest_things") == 42
        assert child.flags == frozenset()
