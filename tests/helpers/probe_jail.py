"""Run the probes in a jail of one tier and print the outcomes as JSON: ``probe_jail.py TIER``.

``probe_jail.py table`` prints the table of attempts of ``docs/probes.md``, on a machine that can build every
tier; ``probe_jail.py calls`` prints the table of allowed calls.
"""

import json
import os
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import grader
from grader.base.errors import UsageError
from grader.course.model import Limits
from grader.sandbox.child import Child, Request
from grader.sandbox.host import Zygote, choose_tier
from grader.sandbox.inside import syscalls
from grader.sandbox.tiers import Tier, TierName
from helpers import probe_inside

TIERS: tuple[TierName, ...] = ("bwrap", "bwrap-shared", "landlock")
INSIDE = Path(probe_inside.__file__).read_bytes()


@contextmanager
def surroundings() -> Iterator[dict[str, Any]]:
    """Yield targets for attempts: readable and writable files, listeners, this process."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        outside = Path(folder)
        for name in ("readable", "writable"):
            (outside / name).write_text("x", encoding="utf-8")
            (outside / name).chmod(0o666)
        outside.chmod(0o777)
        name = f"kit-probe-{os.getpid()}"
        abstract.bind("\0" + name)
        abstract.listen()
        yield {
            "outside": folder,
            "grader": str(Path(grader.__file__).parent),
            "pid": os.getpid(),
            "port": listener.getsockname()[1],
            "abstract": name,
        }


def call(child: Child, name: str, *arguments: Any) -> Any:
    """Call a function of ``probe_inside`` in the child; return its value."""
    facts = [{"d": [[*pair] for pair in a.items()]} if isinstance(a, dict) else a for a in arguments]
    request = {"verb": "call", "module": "probe_inside", "name": name, "arguments": facts, "keywords": []}
    return child.ask(Request(request), cpu=5, wall=20).verdict.get("value")


def prepared(zygote: Zygote) -> Child:
    """Return a child that has imported the probes."""
    child = zygote.spawn()
    child.send_files({"probe_inside.py": INSIDE})
    child.ask(Request({"verb": "load", "module": "probe_inside"}), cpu=5, wall=20)
    return child


def outcomes(tier: Tier) -> dict[str, Any]:
    """Run each probe in a child of its own; return the outcomes by name."""
    zygote = Zygote(tier, Limits())
    found: dict[str, Any] = {}
    with surroundings() as facts:
        for probe in [probe for probes in probe_inside.PROBES.values() for probe in probes]:
            child = prepared(zygote)
            found[probe.__name__] = call(child, "attempt", probe.__name__, facts)
            child.close()
    zygote.close()
    return found


class Unwatched(Tier):
    """A tier without notifications of refused calls."""

    def settings(self, limits: Limits) -> dict[str, Any]:
        """Return the tier's settings with ``watched`` off."""
        return {**super().settings(limits), "watched": False}


def table(found: Mapping[str, Mapping[str, str]]) -> str:
    """Return the table of ``docs/probes.md`` for these outcomes."""
    lines = [f"| What is tried | {' | '.join(f'tier {n}' for n, _ in enumerate(found, 1))} |"]
    lines.append("|---|" + "---|" * len(found))
    for group, probes in probe_inside.PROBES.items():
        lines.append(f"| **{group}** |" + " |" * len(found))
        for probe in probes:
            words = (probe.__doc__ or "").rstrip(".")
            lines.append(f"| {words} | {' | '.join(tier[probe.__name__] for tier in found.values())} |")
    return "\n".join(lines) + "\n"


def calls_table() -> str:
    """Return the table of allowed calls of ``docs/probes.md``."""
    lines = ["| call | what for |", "|---|---|"]
    for title, some in (("any", False), ("some", True)):
        lines.append(f"| **With {title} arguments** | |")
        calls = syscalls.ALLOWED.items()
        lines += [f"| `{name}` | {why} |" for name, (_, _, why, steps) in calls if (len(steps) > 8) is some]
    return "\n".join(lines) + "\n"


def main(name: str) -> None:
    """Print the outcomes in one tier as JSON, or with ``table`` or ``calls`` a table of the docs."""
    if name == "table":
        found = {tier: outcomes(Tier(tier)) for tier in TIERS}
        print(table(found), end="")  # noqa: T201
        return
    if name == "calls":
        print(calls_table(), end="")  # noqa: T201
        return
    wanted = cast("TierName", name.removesuffix("-unwatched"))
    try:
        tier = choose_tier(wanted, Limits(), unsafe=False)
    except UsageError as error:
        print(json.dumps({"unavailable": str(error)}))  # noqa: T201
        return
    tier = Unwatched(wanted) if name != wanted else Tier(wanted)
    print(json.dumps(outcomes(tier)))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
