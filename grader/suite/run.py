"""Hold what a worker returns for one submission: exchanges, report, and digests of the answers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Exchange:
    """One request and its verdict; ``test`` is the node id of the test, empty for an import.

    The test saw ``verdict`` alone. ``aside`` is for feedback, and empty for hidden tests.
    """

    test: str
    request: dict[str, Any]
    verdict: dict[str, Any]
    aside: dict[str, Any]


@dataclass(frozen=True)
class Run:
    """All that one submission's run gave.

    ``report`` is pytest-json-report's. ``exchanges`` are those of imports and visible tests. ``answers`` are
    the digests of :func:`answer_digests`, hidden tests included. ``fault`` says what failed in the grader
    itself; if it is set, nothing else may be used.
    """

    report: Mapping[str, Any] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] = ()
    flags: tuple[str, ...] = ()
    cpu_seconds: float = 0.0
    fault: str = ""
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


_DIGITS = 9


def canonical(message: Any) -> bytes:
    """Write a message so that equal messages give the same bytes."""
    return json.dumps(message, sort_keys=True, separators=(",", ":")).encode()


def answer_digests(exchanges: Iterable[Exchange]) -> dict[str, dict[str, str]]:
    """Return for each function that tests called: digest of the call -> digest of the answer.

    Enough to compare two versions of a function, without the values themselves. A call is identified by its
    test, its number among the test's calls of the function, and its arguments. Floats are rounded to nine
    decimals first.
    """
    found: dict[str, dict[str, str]] = defaultdict(dict)
    seen: Counter[tuple[str, str]] = Counter()
    for exchange in exchanges:
        request = exchange.request
        if request["verb"] != "call":
            continue
        place = (exchange.test, request["name"])
        seen[place] += 1
        call = _digest([*place, seen[place], request["arguments"], request["keywords"]])
        found[request["name"]][call] = _digest(_rounded(exchange.verdict))
    return dict(found)


def _digest(message: Any) -> str:
    return hashlib.sha256(canonical(message)).hexdigest()[:12]


def _rounded(tree: Any) -> Any:
    if type(tree) is float:
        return round(tree, _DIGITS)
    if type(tree) is list:
        return [_rounded(item) for item in tree]
    if type(tree) is dict:
        return {key: _rounded(item) for key, item in tree.items()}
    return tree
