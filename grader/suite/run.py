"""What a worker gives back for one submission."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Exchange:
    """One request of one test (its node id; empty for an import) and what came of it.

    ``verdict`` is what the test saw; ``aside`` what only feedback may tell, empty while hidden tests run.
    """

    test: str
    request: dict[str, Any]
    verdict: dict[str, Any]
    aside: dict[str, Any]


@dataclass(frozen=True)
class Run:
    """What running the suite on one submission gave.

    ``report`` is pytest-json-report's; ``exchanges`` holds the imports and what visible tests asked, with
    their asides; ``answers`` digests of what every function answered, hidden tests included; ``fault`` says
    what failed in the grader itself, in which case nothing else is to be used.
    """

    report: Mapping[str, Any] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] = ()
    flags: tuple[str, ...] = ()
    cpu_seconds: float = 0.0
    fault: str = ""
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


_DIGITS = 9


def answer_digests(exchanges: Iterable[Exchange]) -> dict[str, dict[str, str]]:
    """For each function that tests called: the digest of each call -> the digest of its answer.

    A call is known by its test, its place among the test's calls of the function, and its arguments; answers
    that differ only past the ninth decimal are the same.
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
    text = json.dumps(message, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _rounded(tree: Any) -> Any:
    if type(tree) is float:
        return round(tree, _DIGITS)
    if type(tree) is list:
        return [_rounded(item) for item in tree]
    if type(tree) is dict:
        return {key: _rounded(item) for key, item in tree.items()}
    return tree
