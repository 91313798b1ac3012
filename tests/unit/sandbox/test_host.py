"""Choosing a tier by trying it; starting and ending zygotes and children."""

import json
import os
import shutil
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from helpers import jail

from grader.base.errors import UsageError
from grader.base.machine import on_one_cpu
from grader.course.model import Limits
from grader.sandbox import host
from grader.sandbox.child import SandboxError, StoppedError
from grader.sandbox.host import Zygote, choose_tier
from grader.sandbox.tiers import Tier

LIMITS = Limits()


def works(names):
    """Replace the trial of tiers: those named work, the others give a reason."""
    return lambda tier, _limits: "" if tier.name in names else f"no {tier.name}"


@pytest.mark.parametrize(
    ("asked", "working", "chosen"),
    [
        ("auto", {"bwrap", "bwrap-shared", "landlock"}, "bwrap"),
        ("auto", {"bwrap-shared", "landlock"}, "bwrap-shared"),
        ("auto", {"landlock"}, "landlock"),
        ("bwrap", {"bwrap-shared", "landlock"}, "bwrap-shared"),
        ("landlock", {"bwrap", "landlock"}, "landlock"),
    ],
)
def test_best_tier_that_works_is_chosen(monkeypatch, asked, working, chosen):
    """Tiers are tried in order, and never a lower one than was asked for."""
    monkeypatch.setattr(host, "_why_unusable", works(working))
    assert choose_tier(asked, LIMITS, unsafe=False) == Tier(chosen)


@pytest.mark.parametrize(
    ("asked", "working"), [("auto", set()), ("bwrap", {"landlock"}), ("landlock", {"bwrap"})]
)
def test_no_tier_works(monkeypatch, asked, working):
    """The error gives the reason of each tier that was tried, and what to install."""
    monkeypatch.setattr(host, "_why_unusable", works(working))
    with pytest.raises(UsageError, match=r"No sandbox can be built here: tier \d \(no .*Install bubblewrap"):
        choose_tier(asked, LIMITS, unsafe=False)


def test_none_needs_unsafe(monkeypatch):
    """``none`` is refused without ``unsafe``; ``unsafe`` alone changes nothing."""
    with pytest.raises(UsageError, match="--unsafe if you mean it"):
        choose_tier("none", LIMITS, unsafe=False)
    assert choose_tier("none", LIMITS, unsafe=True) == Tier("none")
    monkeypatch.setattr(host, "_why_unusable", works({"landlock"}))
    assert choose_tier("auto", LIMITS, unsafe=True) == Tier("landlock")


def test_bubblewrap_that_is_not_installed(monkeypatch):
    """The reason says that bubblewrap is not installed."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert host._why_unusable(Tier("bwrap"), LIMITS) == "bubblewrap is not installed"


class Broken(Tier):
    """A tier that runs ``script`` instead of the zygote."""

    script = ""

    def command(self, control, home):
        """Return a Python command that runs the script."""
        del home
        return [sys.executable, "-c", f"control = {control}\n{self.script}"]


def broken(text):
    """Make a tier that runs this program instead of the zygote."""
    return type("Other", (Broken,), {"script": text})("landlock")


READY = "import socket, time; s = socket.socket(fileno=control); s.recv(9999); s.send(b'{\"ready\": true}')\n"


def test_a_zygote_that_cannot_start():
    """The error ends with the last line of its stderr, cut."""
    tier = broken("import sys; sys.exit('first\\nbwrap: No permissions ' + 'x' * 999)")
    with pytest.raises(SandboxError, match=r"parent process ended bwrap: No permissions x{100,}") as told:
        Zygote(tier, LIMITS)
    assert len(str(told.value)) < 300
    assert "No permissions" in host._why_unusable(tier, LIMITS)


def test_a_zygote_that_ends_without_output():
    """Without output the error says only that the process ended."""
    with pytest.raises(SandboxError, match=r"parent process ended$"):
        Zygote(broken(""), LIMITS)


def test_a_missing_program(monkeypatch):
    """An OSError at the start is the reason."""
    monkeypatch.setattr(Broken, "command", lambda *_: ["/no/such/program"])
    assert "No such file" in host._why_unusable(Broken("landlock"), LIMITS)


def test_a_zygote_that_ends():
    """Spawning and ending a child then raise a SandboxError."""
    zygote = Zygote(broken(READY + "s.recv(9999)"), LIMITS)
    with closing(zygote):
        with pytest.raises(SandboxError, match="parent process ended"):
            zygote.spawn()
        zygote._process.wait()
        with pytest.raises(SandboxError, match="parent process ended"):
            zygote.spawn()
        with pytest.raises(SandboxError, match="parent process ended"):
            zygote._end(1, 0.0)


def test_a_zygote_that_does_not_end(monkeypatch):
    """It is killed after some seconds."""
    zygote = Zygote(broken(READY + "time.sleep(60)"), LIMITS)
    monkeypatch.setattr(host, "_ENDING_SECONDS", 0.1)
    zygote.close()
    assert zygote._process.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_tier_is_refused_if_files_outside_can_be_read():
    """A child tries to read a file outside; ``none`` fails this trial."""
    with jail.opened():
        pass
    assert host._why_unusable(Tier("none"), LIMITS) == "a file outside could be read"


def test_tier_is_refused_if_children_crash(monkeypatch):
    """The reason is that of the stop."""

    def fail(*_, **__):
        raise StoppedError("crashed")

    with jail.opened() as zygote:
        tier = zygote.tier
    monkeypatch.setattr(host.Child, "ask", fail)
    assert host._why_unusable(tier, LIMITS) == "crashed"


def is_alive(pid):
    """Return True if a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_children_end_with_their_zygote():
    """No child is alive after its zygote was closed."""
    with jail.opened() as zygote:
        child = zygote.spawn()
        pid = child._pid
        assert is_alive(pid)
        zygote.close()
        with pytest.raises(SandboxError, match="parent process ended"):
            child.ask(jail.call("f"), cpu=1, wall=5)
    last = time.monotonic() + 20
    while is_alive(pid):
        assert time.monotonic() < last
        time.sleep(0.01)


def test_child_runs_on_the_cpus_of_its_asker():
    """A child stays on the CPU on which its asker stays, and another child may run on all of them."""
    everywhere = os.sched_getaffinity(0)
    with jail.opened() as zygote:
        with on_one_cpu(), closing(zygote.spawn()) as child:
            assert os.sched_getaffinity(child._pid) == os.sched_getaffinity(0)
        with closing(zygote.spawn()) as child:
            assert os.sched_getaffinity(child._pid) == everywhere


def test_a_child_that_ended_by_itself():
    """``End`` holds its exit code and CPU seconds, and that it was not killed."""
    source = b"import os\ndef f():\n    sum(range(5_000_000))\n    os._exit(3)\n"
    with jail.opened() as zygote, closing(zygote.spawn()) as child:
        child.send_files({"reservation.py": source})
        child.ask(jail.load(), cpu=2, wall=9)
        with pytest.raises(StoppedError):
            child.ask(jail.call("f"), cpu=2, wall=9)
        end = child.close()
    assert (end.status, end.killed) == (3, False)
    assert 0.01 < end.cpu_seconds < 2


def test_a_child_that_is_killed():
    """``End`` says that it was killed; closing again returns the same object."""
    with jail.opened() as zygote, closing(zygote.spawn()) as child:
        child.send_files({"reservation.py": b"while True:\n    pass\n"})
        with pytest.raises(StoppedError, match="time"):
            child.ask(jail.load(), cpu=0.2, wall=9)
        end = child.close()
    assert (end.status, end.killed) == (-signal.SIGKILL, True)
    assert child.close(patience=5) is end


@pytest.mark.slow
def test_paths_of_the_grader_are_not_in_the_child():
    """No module, frame, path entry or argument in the child names the grader's or the course's folder."""
    source = b"""
import sys
def look():
    found = [str(getattr(m, "__file__", "")) for m in list(sys.modules.values())] + sys.path + sys.orig_argv
    frame = sys._getframe()
    while frame:
        found.append(frame.f_code.co_filename)
        frame = frame.f_back
    return "\\n".join(found + list(sys.path_importer_cache))
"""
    for sandbox in ("bwrap", "landlock"):
        with jail.opened(sandbox=sandbox) as zygote, closing(zygote.spawn()) as child:
            child.send_files({"reservation.py": source})
            child.ask(jail.load(), cpu=2, wall=9)
            text = child.ask(jail.call("look"), cpu=2, wall=9).verdict["value"]
        assert "inside/serve.py" in text
        assert str(host.INSIDE.parent) not in text
        assert json.dumps(text)
