"""What a submission answered to every call, as digests: enough to compare two versions, and nothing more."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from grader.suite.run import Exchange

_DIGITS = 9


def answers_of(exchanges: Iterable[Exchange]) -> dict[str, dict[str, str]]:
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
