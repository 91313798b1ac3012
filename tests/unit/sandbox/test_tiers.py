"""The command, settings and readable folders of each tier."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from grader.base.errors import UsageError
from grader.course.model import Limits
from grader.sandbox import tiers
from grader.sandbox.tiers import NOBODY, Tier, environment, readable_folders, refuse_readable_course

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
    assert bound == [[folder, folder] for folder in readable_folders()] + [[str(tiers.INSIDE), "/kit/inside"]]
    assert following(command, "--dev-bind", 2) == [["/dev/null", "/dev/null"]]
    assert following(command, "--remount-ro") == [["/"]]
    for option in ("pid", "ipc", "uts", "net"):
        assert f"--unshare-{option}" in command
    assert not {"--proc", "--tmpfs", "--bind", "--dev"} & set(command)
    assert {"--die-with-parent", "--new-session"} <= set(command)


def test_root_needs_no_user_namespace(monkeypatch):
    """As root, parent folders are made for everyone; as another user there is a user namespace."""
    monkeypatch.setattr(tiers, "readable_folders", lambda: ["/opt/own/python"])
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    as_root = Tier("bwrap").command(7, 9)
    assert "--unshare-user" not in as_root
    made = ["0755", "--dir", "/opt"], ["0755", "--dir", "/opt/own"]
    assert following(as_root, "--perms", 3) == [*made]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    as_user = Tier("bwrap").command(7, 9)
    assert "--unshare-user" in as_user
    assert "--perms" not in as_user


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
        ("bwrap", 0, "root", True),
        ("bwrap", 1000, "user", True),
        ("bwrap-shared", 0, "", True),
        ("landlock", 0, "", True),
        ("landlock", 1000, "", True),
        ("none", 0, "", False),
    ],
)
def test_settings_of_children(monkeypatch, name, uid, namespaces, jailed):
    """Children have own namespaces in tier 1 alone, and an unprivileged user if the grader is root."""
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    settings = Tier(name).settings(LIMITS)
    assert (settings["namespaces"], settings["jailed"], settings["watched"]) == (namespaces, jailed, True)
    assert settings["uid"] == (NOBODY if uid == 0 else None)
    assert settings["readable"][0] == sys.base_prefix
    assert set(settings["readable"]) == set(readable_folders()) | {sys.base_prefix}


def test_limits_in_the_settings():
    """MiB and KiB become bytes; the kernel's CPU limit is two seconds above the submission's."""
    settings = Tier("landlock").settings(LIMITS)
    assert settings["memory_bytes"] == 104_857_600
    assert settings["printed_characters"] == 3072
    assert settings["cpu_seconds"] == 7
    assert settings["open_files"] == 20


@pytest.mark.parametrize(
    ("open_to_all", "name", "through"),
    [(False, "landlock", True), (True, "landlock", False), (False, "bwrap", False)],
)
def test_a_python_below_a_private_folder(monkeypatch, open_to_all, name, through):
    """In tier 3 as root, children that cannot enter Python's folder read it through a descriptor."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(tiers, "_everyone_may_enter", lambda _: open_to_all)
    assert Tier(name).settings(LIMITS)["through"] is through


def test_everyone_may_enter_if_all_parents_allow_it(tmp_path):
    """One private parent folder is enough to say no."""
    folder = Path("/") / "usr" / "lib"
    assert tiers._everyone_may_enter(folder)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    inner.chmod(0o755)
    (tmp_path / "a").chmod(0o700)
    assert not tiers._everyone_may_enter(inner)


def test_environment_of_the_untrusted_side():
    """Six fixed variables and none of the machine's."""
    assert sorted(environment()) == ["HOME", "LANG", "MPLBACKEND", "PATH", "PYTHONHASHSEED", "TZ"]
    assert environment()["HOME"] == "/"


def test_a_course_that_could_be_read_is_refused(monkeypatch, tmp_path):
    """A course below a readable folder is refused, also through a link; one beside it is not."""
    shown = tmp_path / "python"
    (shown / "course").mkdir(parents=True)
    (tmp_path / "course").mkdir()
    (tmp_path / "link").symlink_to(shown / "course")
    monkeypatch.setattr(tiers, "readable_folders", lambda: [str(shown)])
    refuse_readable_course(tmp_path / "course")
    for exposed in (shown, shown / "course", tmp_path / "link"):
        with pytest.raises(UsageError, match="submissions can read"):
            refuse_readable_course(exposed)


def test_readable_folders_are_listed_once(monkeypatch, tmp_path):
    """Library folders below Python's own, links and missing folders are left out."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib64").symlink_to(tmp_path / "lib")
    names = [str(tmp_path / name) for name in ("lib", "lib64", "absent")]
    monkeypatch.setattr(tiers, "_LIBRARIES", names)
    assert readable_folders() == [sys.base_prefix, names[0]]
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    assert readable_folders() == [str(tmp_path)]
