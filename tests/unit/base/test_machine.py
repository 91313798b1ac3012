"""The number of usable CPUs under affinity and control groups."""

import os

import pytest

from grader.base.machine import on_one_cpu, usable_cpus


@pytest.fixture
def four(monkeypatch):
    """A machine on which this process may use four CPUs."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 4, 5}, raising=False)


def machine(root, **files):
    """Write files below a root folder; in their names ``__`` is a slash and ``DOT`` a dot."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("DOT", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    return root


@pytest.mark.usefixtures("four")
def test_affinity_counts(tmp_path):
    """Without control groups the CPUs of the affinity count."""
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
    """In the first version the limit is in two files of the CPU controller; -1 is no limit."""
    root = machine(
        tmp_path,
        proc__self__cgroup="9:memory:/box\n4:cpu,cpuacct:/box\n",
        sys__fs__cgroup__cpu__box__cpuDOTcfs_quota_us=quota,
        sys__fs__cgroup__cpu__box__cpuDOTcfs_period_us="100000",
    )
    assert usable_cpus(root) == count


def test_this_machine():
    """On this machine the number is between 1 and all CPUs."""
    assert 1 <= usable_cpus() <= (os.cpu_count() or 1)


def test_on_one_cpu():
    """Inside the block there is one CPU to run on, of those before; behind it they all are there again."""
    before = os.sched_getaffinity(0)
    with on_one_cpu():
        inside = os.sched_getaffinity(0)
    assert len(inside) == 1
    assert inside <= before
    assert os.sched_getaffinity(0) == before


def test_on_one_cpu_where_the_system_cannot_do_it(monkeypatch):
    """A system that forbids it, or that does not have it, changes nothing."""
    before = os.sched_getaffinity(0)

    def forbidden(*_):
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", forbidden)
    with on_one_cpu():
        assert os.sched_getaffinity(0) == before
    monkeypatch.delattr(os, "sched_getaffinity")
    with on_one_cpu():
        pass
