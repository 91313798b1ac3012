"""How many CPUs may be used, as control groups say it."""

from __future__ import annotations

import os

import pytest

from grader.base.machine import usable_cpus


@pytest.fixture
def four(monkeypatch):
    """A machine on which this process may use four CPUs."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 4, 5}, raising=False)


def machine(root, **files):
    """A root folder with these files; a double underscore stands for a slash, one more for a dot."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("DOT", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    return root


@pytest.mark.usefixtures("four")
def test_affinity_counts(tmp_path):
    """Without control groups it is the number of CPUs that the process may run on."""
    assert usable_cpus(tmp_path) == 4


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(("limit", "count"), [("150000 100000", 2), ("max 100000", 4), ("1000 100000", 1)])
def test_limit_of_the_group(tmp_path, limit, count):
    """One and a half CPUs count as two, a hundredth of one as one; max is no limit."""
    root = machine(
        tmp_path,
        proc__self__cgroup="0::/pod/box\n",
        sys__fs__cgroup__pod__box__cpuDOTmax=f"{limit}\n",
    )
    assert usable_cpus(root) == count


@pytest.mark.usefixtures("four")
def test_limit_of_a_group_above(tmp_path):
    """The tightest limit on the way up counts."""
    root = machine(
        tmp_path,
        proc__self__cgroup="0::/pod/box\n",
        sys__fs__cgroup__pod__box__cpuDOTmax="300000 100000\n",
        sys__fs__cgroup__pod__cpuDOTmax="100000 100000\n",
    )
    assert usable_cpus(root) == 1


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(("quota", "count"), [("200000", 2), ("-1", 4)])
def test_first_version_of_control_groups(tmp_path, quota, count):
    """There the limit is in two files of the controller for CPUs; -1 is no limit."""
    root = machine(
        tmp_path,
        proc__self__cgroup="9:memory:/box\n4:cpu,cpuacct:/box\n",
        sys__fs__cgroup__cpu__box__cpuDOTcfs_quota_us=quota,
        sys__fs__cgroup__cpu__box__cpuDOTcfs_period_us="100000",
    )
    assert usable_cpus(root) == count


def test_this_machine():
    """Here it is a number of CPUs that the machine has."""
    assert 1 <= usable_cpus() <= (os.cpu_count() or 1)
