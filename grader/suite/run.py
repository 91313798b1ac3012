"""What a worker gives back for one submission."""

from __future__ import annotations

from collections.abc import Mapping
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
