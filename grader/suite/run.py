"""Hold what a worker returns for one submission: exchanges, report, and digests of the answers."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from grader.course.model import Limits
from grader.sandbox.reply import canonical
from grader.sandbox.tiers import TierName
from grader.suite.notebook import Notebook


class Exchange(msgspec.Struct, frozen=True):
    """One request and its verdict; ``test`` is the node id of the test, empty for an import.

    The test saw ``verdict`` alone. ``aside`` is for feedback, and empty for hidden tests.
    """

    test: str
    request: dict[str, Any]
    verdict: dict[str, Any]
    aside: dict[str, Any]


@dataclass(frozen=True)
class Run:
    """All that one submission's run gave."""

    report: Mapping[str, Any] = field(default_factory=dict)  # pytest-json-report's
    exchanges: tuple[Exchange, ...] = ()  # those of imports, and the latest of each failed visible test
    flags: tuple[str, ...] = ()
    cpu_seconds: float = 0.0
    fault: str = ""  # what failed in the grader itself; if it is set, nothing else may be used
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # digests, of hidden tests too
    seen: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # those without hidden tests
    spent: Mapping[str, float] = field(default_factory=dict)  # CPU seconds by stage
    peak_kib: int = 0  # the most memory of its processes
    told: tuple[dict[str, Any], ...] = ()  # class runs that other workers do not know (``memory.class_run``)


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is told at its start."""

    files: Mapping[str, Sequence[str]]  # the expected files with their functions
    constants: Mapping[str, Sequence[str]]  # what is read from each file
    limits: Limits
    tier: TierName
    tests: Sequence[str] = ()  # what pytest collects below ``root``
    root: str = ""
    private: str = ""  # the folder of private tests, if there is one
    tells_all: bool = False  # a Run has the exchanges of all tests


class Job(msgspec.Struct, frozen=True):
    """A submission for a worker, with its share of the seconds, and class runs that it may not know."""

    files: Mapping[str, bytes]
    share: float = 1.0
    notebook: Notebook | None = None
    told: Sequence[dict[str, Any]] = ()


CHANGED = "~"
_DIGITS = 9


def answer_digests(exchanges: Iterable[Exchange]) -> dict[str, dict[str, str]]:
    """Return for each function that tests called: digest of the call -> digest of the answer.

    Enough to compare two versions of a function, without the values themselves. A call is identified by its
    test, its number among the test's calls of the function, and its arguments. With CHANGED behind it, it
    stands for the arguments as the call left them, where it changed any. The constants that were read
    after a file was imported are there too: the module's name -> the constant's name -> the digest.
    """
    found: dict[str, dict[str, str]] = defaultdict(dict)
    seen: Counter[tuple[str, str]] = Counter()
    for exchange in exchanges:
        request = exchange.request
        if request["verb"] == "call":
            place = (exchange.test, request["name"])
            seen[place] += 1
            call = _digest([*place, seen[place], request["arguments"], request["keywords"]])
            answer = {key: value for key, value in exchange.verdict.items() if key != "changed"}
            found[request["name"]][call] = answer_digest(answer)
            if changed := exchange.verdict.get("changed"):
                found[request["name"]][call + CHANGED] = _digest(changed)
        elif request["verb"] == "constant" and not exchange.test:
            found[request["module"]][request["name"]] = answer_digest(exchange.verdict)
    return dict(found)


def answer_digest(verdict: Mapping[str, Any]) -> str:
    """Return a digest of the value or error, and one letter for its kind.

    Numbers of one value have one digest: floats are rounded to nine decimals. The letter tells them apart:
    ``i`` int, ``f`` float, ``q`` Fraction, in capitals below zero. Other kinds: ``b`` bool, ``n`` None, ``s``
    text, ``l`` list, the tag of :mod:`grader.sandbox.inside.wire`, ``e`` for an error; ``x`` where nothing
    can be said: the call was not started, not finished or not made.
    """
    if verdict["kind"] == "raised" and not _UNFINISHED.intersection(verdict["classes"]):
        # A class derived from ValueError is as good as ValueError itself.
        basic = [name for name in verdict["classes"] if name not in _TOO_BASIC]
        return _digest(basic[-1:]) + "e"
    if verdict["kind"] != "value":
        return _digest(verdict) + "x"
    value = verdict["value"]
    letter = next(iter(value)) if type(value) is dict else _LETTERS[type(value)]
    if type(value) in (int, float) or letter == "q":
        try:
            number = _rounded(value["q"][0] / value["q"][1] if letter == "q" else value)
            value = int(number) if number == int(number) else number
            letter = letter.upper() if number < 0 else letter
        except OverflowError:  # too large for a float
            pass
    return _digest({**verdict, "value": _rounded(value)}) + letter


_TOO_BASIC = frozenset({"BaseException", "Exception", "ArithmeticError", "LookupError"})
_UNFINISHED = frozenset({"NotImplementedError", "RecursionError", "SystemExit", "KeyboardInterrupt"})
_LETTERS = {int: "i", float: "f", bool: "b", type(None): "n", str: "s", list: "l"}


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
