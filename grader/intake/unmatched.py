"""``unmatched.csv``, written for a person to settle, and read back with the students' ids in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grader.base.errors import UsageError
from grader.base.files import csv_bytes, harmless, unharmed
from grader.intake.handin import NOBODY
from grader.intake.match import Unmatched
from grader.roster.roster import Roster
from grader.sources.table import read_table

_HEADER = ("received as", "why", "candidates", "student")


def unmatched_bytes(rows: Iterable[Unmatched]) -> bytes:
    """``unmatched.csv`` with an empty column ``student`` to fill in; no cell is a formula."""
    ordered = sorted(rows, key=lambda row: (row.received_as, row.why))
    cells = ((row.received_as, row.why, " ".join(row.candidates), "") for row in ordered)
    return csv_bytes(_HEADER, (map(harmless, row) for row in cells))


def read_matches(path: Path, roster: Roster | None) -> dict[str, str]:
    """Whose each received name is, by a person's word; ``-`` leaves it out, an empty cell says nothing.

    Raises:
        UsageError: The file cannot be used, or names someone who is not on the roster.
    """
    table = read_table(path)
    for column in ("received as", "student"):
        if column not in table.headings:
            raise UsageError(
                f"{path.name}: there is no column {column!r}; it has 'received as' and 'student'."
            )
    settled: dict[str, str] = {}
    for row in table.rows:
        name, student = unharmed(row.cells["received as"]), row.cells["student"]
        if not student:
            continue
        if roster and student != NOBODY and roster.person(student) is None:
            raise table.mistake("student", [row.number], f"{student!r} is not on the roster")
        if settled.setdefault(name, student) != student:
            raise table.mistake("received as", [row.number], f"{name!r} is there twice, with two students")
    return settled
