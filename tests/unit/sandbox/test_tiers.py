"""The command and settings of each tier, and the folders that its zygote reads."""

import os
import sys
from pathlib import Path

import pytest

from grader.course.model import Limits
from grader.sandbox import tiers
from grader.sandbox.tiers import NOBODY, Tier, environment, zygote_folders

LIMITS = Limits(memory_mib=100, output_kib=3, submission_cpu_seconds=5.5, open_files=20)


def following(command, option, count=1):
    """Return the words that follow each use of an option."""
    return [command[n + 1 : n + 1 + count] for n, word in enumerate(command) if word == option]


@pytest.mark.parametrize(
    ("name", "title", "in_bubblewrap"),
    [("bwrap", "tier 1", True), ("bwrap-shared", "tier 2", True), ("landlock", "tier 3", False)],
)
def test_names(name, title, in_bubblewrap):
    """Three tiers, two of them with bubblewrap."""
    assert Tier(name).title.startswith(title)
    assert Tier(name).in_bubblewrap is in_bubblewrap
    assert Tier("none").title.startswith("NO SANDBOX")


def test_bubblewrap_shows_python_and_libraries_alone():
    """Folders are bound read-only, /dev/null is the only device, and nothing can be written."""
    command = Tier("bwrap").command(7, 9)
    assert command[0].endswith("bwrap")
    bound = following(command, "--ro-bind", 2)
    assert bound == [[folder, folder] for folder in zygote_folders()] + [[str(tiers.INSIDE), "/kit/inside"]]
    assert following(command, "--dev-bind", 2) == [["/dev/null", "/dev/null"]]
    assert following(command, "--remount-ro") == [["/"]]
    assert following(command, "--hostname") == [["jail"]]
    for option in ("pid", "ipc", "uts", "net"):
        assert f"--unshare-{option}" in command
    assert not {"--proc", "--tmpfs", "--bind", "--dev"} & set(command)
    assert {"--die-with-parent", "--new-session"} <= set(command)


def test_root_needs_no_user_namespace(monkeypatch):
    """As another user than root there is a user namespace."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "--unshare-user" not in Tier("bwrap").command(7, 9)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "--unshare-user" in Tier("bwrap").command(7, 9)


@pytest.mark.parametrize("name", ["bwrap", "bwrap-shared", "landlock", "none"])
def test_python_starts_without_the_machines_settings(name):
    """The base interpreter starts without site, user packages and caches."""
    command = Tier(name).command(7, 9)
    python = command[-9:]
    assert Path(python[0]).resolve() == Path(sys._base_executable).resolve()
    assert python[1:8] == ["-s", "-S", "-P", "-B", "-X", "utf8", "-c"]
    assert python[8].endswith("main(7)")


def test_command_names_the_graders_folder_without_a_jail_alone():
    """With bubblewrap the folder is /kit, with Landlock a descriptor that is closed at once."""
    here = str(tiers.INSIDE.parent)
    starts = {name: Tier(name).command(7, 9)[-1] for name in ("bwrap", "landlock", "none")}
    assert [here in start for start in starts.values()] == [False, False, True]
    assert "'/proc/self/fd/9'" in starts["landlock"]
    assert "os.close(9)" in starts["landlock"]
    assert "/fd/" not in starts["bwrap"]


@pytest.mark.parametrize(
    ("name", "uid", "namespaces", "jailed"),
    [
        ("bwrap", 0, 0x28000000, True),
        ("bwrap", 1000, 0x38000000, True),
        ("bwrap-shared", 0, 0, True),
        ("landlock", 0, 0, True),
        ("landlock", 1000, 0, True),
        ("none", 0, 0, False),
    ],
)
def test_settings_of_children(monkeypatch, name, uid, namespaces, jailed):
    """Children have own namespaces in tier 1 alone, and an unprivileged user if the grader is root."""
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    settings = Tier(name).settings(LIMITS)
    assert (settings["namespaces"], settings["jailed"], settings["watched"]) == (namespaces, jailed, True)
    assert settings["uid"] == (NOBODY if uid == 0 else None)


def test_limits_in_the_settings():
    """MiB and KiB become bytes; the kernel's CPU limit is two seconds above the submission's."""
    settings = Tier("landlock").settings(LIMITS)
    assert settings["limits"] == [104_857_600, 7, 20]
    assert settings["printed_characters"] == 3072


def test_environment_of_the_untrusted_side():
    """Seven fixed variables and none of the machine's."""
    assert sorted(environment()) == ["HOME", "LANG", "MPLBACKEND", "PATH", "PYTHONHASHSEED", "TZ", "USER"]
    assert environment()["HOME"] == "/"


def test_zygote_folders_are_listed_once(monkeypatch, tmp_path):
    """Library folders below Python's own, links and missing folders are left out."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib64").symlink_to(tmp_path / "lib")
    names = [str(tmp_path / name) for name in ("lib", "lib64", "absent")]
    monkeypatch.setattr(tiers, "_LIBRARIES", names)
    zones = ["/usr/share/zoneinfo"] if Path("/usr/share/zoneinfo").is_dir() else []
    assert zygote_folders() == [sys.base_prefix, names[0], *zones]
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    assert zygote_folders() == [str(tmp_path), *zones]
