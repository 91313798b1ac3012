"""Real jails for tests, in the best tier that this machine can build."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest

from grader.base.errors import UsageError
from grader.course.model import Limits
from grader.sandbox.child import Request
from grader.sandbox.host import Zygote, choose_tier
from grader.suite.session import Session

ROOMY = Limits(memory_mib=256)


@contextmanager
def opened(limits: Limits = ROOMY, sandbox: str = "auto") -> Iterator[Zygote]:
    """Yield a zygote; skip the test if no tier works."""
    try:
        zygote = Zygote(choose_tier(sandbox, limits, unsafe=False), limits)
    except UsageError as error:
        pytest.skip(str(error))
    try:
        yield zygote
    finally:
        zygote.close()


@contextmanager
def session(
    source: str, limits: Limits = ROOMY, sandbox: str = "auto", zygote: Zygote | None = None
) -> Iterator[Session]:
    """Yield the session of a submission of one file, ``reservation.py``, which is imported.

    Without a ``zygote`` it has one of its own, which takes a second to begin.
    """
    with nullcontext(zygote) if zygote else opened(limits, sandbox) as parent:
        conversation = Session(parent, limits, {"reservation.py": source.encode()}, ("reservation.py",))
        try:
            conversation.load()
            yield conversation
        finally:
            conversation.close()


def call(name: str, *arguments, module: str = "reservation") -> Request:
    """Make a request to call a function."""
    return Request(
        {"verb": "call", "module": module, "name": name, "arguments": [*arguments], "keywords": []}
    )


def constant(name: str) -> Request:
    """Make a request for a constant."""
    fields = {"verb": "constant", "module": "reservation", "name": name, "arguments": [], "keywords": []}
    return Request(fields)


def load(module: str = "reservation") -> Request:
    """Make a request to import a file."""
    return Request({"verb": "load", "module": module})
