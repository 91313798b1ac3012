"""What authors write ``solutions/NAME/misconceptions.py`` with.

Wrong versions run in the jail with a copy of this file, so it imports the standard library alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

Function = Callable[..., Any]


class WrongVersion(NamedTuple):
    """A wrong version (``function``) of the function ``task``, and what to tell a student who believes it.

    For a task of constants, ``constants`` are the wrong answers. ``parts`` are those in which it differs from
    the right function, if a lesson builds its functions from parts. ``true_of`` says when the explanation is
    true of other wrong functions, too: ``kind`` if their answers are of the same kinds (text, None, an error,
    a number below 0), ``memory`` if they answer equal calls differently. ``left_out`` marks what a first try
    lacks, ``added`` what comes on top of another mistake.
    """

    id: str
    task: str
    explanation: str
    function: Function | None = None
    constants: dict[str, Any] | None = None
    parts: dict[str, Any] | None = None
    true_of: str = ""
    left_out: bool = False
    added: bool = False


def registering(listed: list[WrongVersion]) -> Callable[..., Callable[[Function], Function]]:
    """Make a decorator ``wrong(task, explanation, true_of="")`` that adds the function below it to a list.

    The function's name, with hyphens, becomes the id.
    """

    def wrong(task: str, explanation: str, true_of: str = "") -> Callable[[Function], Function]:
        def register(function: Function) -> Function:
            name = function.__name__.replace("_", "-")
            listed.append(WrongVersion(name, task, explanation, function, true_of=true_of))
            return function

        return register

    return wrong


Group = tuple[WrongVersion, ...]


def first_tries(entries: Iterable[WrongVersion]) -> Iterator[Group]:
    """Group what a first try has together: one mistake or none, and one or two of what is ``left_out``."""
    built = [entry for entry in entries if entry.parts]
    left_out = [entry for entry in built if entry.left_out]
    yield from itertools.combinations(left_out, 2)
    for size in (1, 2):
        for lacking in itertools.combinations(left_out, size):
            yield from ((entry, *lacking) for entry in built if not entry.left_out)


def together(
    groups: Iterable[Group], build: Callable[..., Function]
) -> Iterator[tuple[Sequence[str], Function]]:
    """Build the function of each group whose members differ in different parts.

    Yields:
        The ids of the group, and the function: what ``compositions(task)`` of a lesson gives.
    """
    for group in groups:
        parts: dict[str, Any] = {}
        for entry in group:
            parts |= entry.parts or {}
        if len(parts) == sum(len(entry.parts or ()) for entry in group):
            yield tuple(entry.id for entry in group), build(**parts)


def fail(error: Exception) -> None:
    """Raise an error, where only an expression can stand."""
    raise error


def unchanged(answer: Any) -> Any:
    """Return the answer as it is."""
    return answer


class Total:
    """A total that is kept from call to call."""

    def __init__(self) -> None:
        self.total = 0

    def add(self, number: Any) -> Any:
        """Return the total with this number."""
        self.total += number
        return self.total
