"""Recognise Moodle's grading worksheet and its Participants download in any language.

``moodle_headings.json`` has the headings of 21 languages. A worksheet in another one is read by its shape:
the first column holds "Participant 8" in some language, and the order of the others is always the same.
"""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from pathlib import Path

from grader.course.platforms import WorksheetColumn
from grader.sources.table import Table, TableRow, fold_heading
from grader.sources.when import find_time, read_time

_IDENTIFIER = re.compile(r"(?P<word>[^\W\d]\D*?)\s*(?P<number>[1-9]\d*)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_DATE = re.compile(r"^(?=.{0,80}$).*(?:\d{4}.*\d:\d\d|\d:\d\d.*\d{4})")
_SIGNS = ("Grade can be changed", "Last modified (submission)", "Last modified (grade)")


@functools.cache
def headings() -> Mapping[str, Sequence[str]]:
    """Return the folded headings of all known languages by the English one, and two words that cells hold."""
    text = (Path(__file__).parent / "moodle_headings.json").read_text(encoding="utf-8")
    found: dict[str, list[str]] = json.loads(text)
    return found


def participant(text: str) -> str:
    """Return the N of "Participant N" in any language, or "" for anything else."""
    found = _IDENTIFIER.fullmatch(text)
    return found["number"] if found else ""


def worksheet_columns(table: Table, named: Mapping[WorksheetColumn, str] | None = None) -> dict[str, str]:
    """Return the keys of a worksheet's columns by their English headings; {} if the table is none.

    ``named`` are headings that course.toml gives, by the English one; they go before all others.
    """
    keys = list(table.headings)
    given: dict[str, str] = {name: fold_heading(heading) for name, heading in (named or {}).items()}
    columns = {name: key for name, key in given.items() if key in keys}
    first = columns.get("Identifier", keys[0] if keys else "")
    words = {
        (found["word"] if (found := _IDENTIFIER.fullmatch(row.cells[first])) else "") for row in table.rows
    }
    english = first == fold_heading("Identifier")
    if not english and (len(words) != 1 or "" in words):
        return {}
    columns["Identifier"] = first
    for name, known in headings().items():
        if name in ("No", "Participant"):
            continue
        at = next((key for key in keys if key in known and key not in columns.values()), None)
        if at and name not in columns:
            columns[name] = at
    for name, key in _by_shape(table, keys).items():
        if key not in columns.values():
            columns.setdefault(name, key)
    named_so = english or {word.casefold() for word in words} <= set(headings()["Participant"])
    is_worksheet = (named_so and {"Status", "Email address"} & columns.keys()) or any(
        sign in columns for sign in _SIGNS
    )
    return columns if is_worksheet else {}


def _by_shape(table: Table, keys: Sequence[str]) -> dict[str, str]:
    """Find the columns by what is in them, and by their order around the one that holds the maximum."""
    cells = {key: [row.cells[key] for row in table.rows] for key in keys}
    found = {}
    for key in keys:
        if any("@" in cell for cell in cells[key]) and all("@" in cell or not cell for cell in cells[key]):
            found["Email address"] = key
            break
    at = next(
        (
            at
            for at, key in enumerate(keys)
            if at > 1
            and len(set(cells[key])) == 1
            and _NUMBER.fullmatch(cells[key][0])
            and at + 2 < len(keys)
        ),
        None,
    )
    if at is None:
        return found
    found |= {"Grade": keys[at - 1], "Maximum Grade": keys[at], "Grade can be changed": keys[at + 1]}
    found["Last modified (submission)"] = keys[at + 2]
    dated = [key for key in keys[at + 3 :] if all(cell == "-" or _DATE.search(cell) for cell in cells[key])]
    if dated and any(cells[dated[-1]]):
        found["Last modified (grade)"] = dated[-1]
        if dated[-1] != keys[-1]:
            found["Feedback comments"] = keys[keys.index(dated[-1]) + 1]
    return found


def means_no(text: str) -> bool:
    """Return whether a cell is the word for no in a known language."""
    return text.casefold() in headings()["No"]


def participants_columns(table: Table) -> dict[str, str]:
    """Return the keys of the columns of Moodle's lists of people by their English headings, or {}.

    These are the Participants download and the gradebook's export, which has a column for each grade.
    """
    names = ("First name", "Last name", "Email address", "ID number", "Groups")
    columns = {name: key for name in names for key in table.headings if key in headings()[name]}
    whole = {"First name", "Last name", "Email address"} <= columns.keys()
    is_known = "ID number" in columns or sorted(columns.values()) == sorted(table.headings)
    return columns if whole and is_known and "id" not in table.headings else {}


def later_due_date(row: TableRow) -> str:
    """Return the later of the person's due date and the extension in the column Status; "" without either.

    It is a time on the clock of the course, to the end of its minute, because Moodle shows no seconds. The
    column Status has no other date than the extension's.
    """
    times = [find_time(text, UTC) for text in row.cells.get("status", "").split(" - ")]
    known = [time for time in (*times, read_time(row.cells.get("due date", ""), UTC)) if time]
    return max(known).strftime("%Y-%m-%d %H:%M:59") if known else ""
