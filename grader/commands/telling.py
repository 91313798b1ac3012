"""Lines that several commands say, each on stderr, bounded and free of what acts unseen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from grader.base.text import one_line

if TYPE_CHECKING:
    from grader.results.late import Recharge

_LONGEST = 400


def say(text: str, *, quiet: bool = False) -> None:
    """One line, unless the person asked for quiet."""
    if not quiet:
        click.echo(one_line(text, _LONGEST), err=True)


def say_recharged(changes: Iterable[Recharge], *, quiet: bool) -> None:
    """Whose lateness costs something else than it did."""
    for change in changes:
        cost = f"lateness costs {change.after:g} points now, not {change.before:g}"
        say(f"{change.student}: {cost}", quiet=quiet)
