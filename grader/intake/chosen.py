"""What was taken of one hand-in, and the words for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.course.model import Exercise
from grader.sources.tree import Member

MAX_NOTEBOOK = 10 << 20
"""Bytes of a notebook that are read: pictures in the cells' outputs make it large."""


@dataclass
class Chosen:
    """What was taken so far; the fields are those of Submission.

    ``considered`` are the members that were taken or stood for an expected name.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    helpers: dict[str, bytes] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    notebook: bytes | None = None
    flags: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    considered: set[Member] = field(default_factory=set)


def expected_names(exercise: Exercise) -> tuple[str, ...]:
    """The names that a hand-in may hold: the files' and the notebook's."""
    return (*exercise.files, exercise.notebook)


def limit_of(exercise: Exercise) -> int:
    """How many bytes a source file may have."""
    return exercise.limits.file_kib << 10


def listed(members: Iterable[Member], most: int = 5) -> str:
    """The members' names for a sentence, in order, at most ``most`` of them."""
    ordered = sorted(members, key=lambda member: member.parts)
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(member.path for member in ordered[:most]) + more
