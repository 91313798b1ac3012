"""``unmatched.csv``, written for a person to settle, and read back with the students' ids in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grader.csvfile import csv_bytes
from grader.errors import UsageError
from grader.intake.matching import Unmatched
from grader.intake.table import read_table
from grader.roster import Roster

NOBODY = "-"  # for the student: leave it out, whoever's it is
_HEADER = ("received as", "why", "candidates", "student")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def unmatched_bytes(rows: Iterable[Unmatched]) -> bytes:
    """``unmatched.csv`` with an empty column ``student`` to fill in; no cell is a formula."""
    ordered = sorted(rows, key=lambda row: (row.received_as, row.why))
    cells = ((row.received_as, row.why, " ".join(row.candidates), "") for row in ordered)
    return csv_bytes(_HEADER, ([_harmless(cell) for cell in row] for row in cells))


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


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
        name, student = row.cells["received as"], row.cells["student"]
        name = name[1:] if name.startswith("'") and name[1:].startswith(_FORMULA) else name
        if not student:
            continue
        if roster and student != NOBODY and roster.person(student) is None:
            raise table.mistake("student", [row.number], f"{student!r} is not on the roster")
        if settled.setdefault(name, student) != student:
            raise table.mistake("received as", [row.number], f"{name!r} is there twice, with two students")
    return settled
