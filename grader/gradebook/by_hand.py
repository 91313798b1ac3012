"""Make points and comments by hand the same in nbgrader's gradebook and in OUT; the later change counts.

The grader adds a table to the database and stores there the values by hand that it last saw. A backup of the
database contains this table too, so the grader can tell a restored backup from points that a person changed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from grader.base.errors import GraderError
from grader.base.text import one_line
from grader.grading.score import Change
from grader.results.adjust import Values, items_of, values_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

TABLE = "grader_by_hand"
"""Our own table: by the key of a submitted notebook, the values by hand that the grader last saw there."""

COLUMNS = {"points": "manual_score", "extra": "extra_credit"}


@dataclass(frozen=True)
class ByHand:
    """What OUT knows of one student: all changes, and the values that the gradebook had last time.

    ``in_gradebook`` is None if there was never anything by hand, and empty if all of it was taken back.
    """

    changes: tuple[Change, ...] = ()
    in_gradebook: Values | None = None


def make_table(connection: Connection) -> None:
    """Make our table if it is not there."""
    from sqlalchemy import Column, MetaData, String, Table, Text  # noqa: PLC0415 - only recording needs it

    columns = (Column("id", String(32), primary_key=True), Column("known", Text, nullable=False))
    Table(TABLE, MetaData(), *columns).create(connection, checkfirst=True)


def to_known(values: Values) -> str:
    """The text that our table holds for some values."""
    return json.dumps(items_of(values), ensure_ascii=False)


def from_known(text: str) -> Values:
    """The values that a text of our table holds."""
    return {(what, name): value for what, name, value in json.loads(text)}


def values_now(
    student: str, grades: Mapping[str, Mapping[str, Any]], comments: Mapping[str, Mapping[str, Any]]
) -> Values:
    """The values by hand in a submission's rows, by criterion and by task; no extra points are none."""
    found: dict[tuple[str, str], float | str] = {}
    for name, row in grades.items():
        for what, column in COLUMNS.items():
            value = row[column]
            if value is not None and (what == "points" or value):
                if not isinstance(value, (int, float)) or not math.isfinite(value):
                    raise GraderError(  # SQLite keeps what another program wrote, texts too
                        f"In the gradebook, {student} has {one_line(str(value), 40)} points by hand for "
                        f"{name!r}; give a number in formgrader."
                    )
                found[what, name] = float(value)
    found |= {
        ("comment", task): row["manual_comment"] for task, row in comments.items() if row["manual_comment"]
    }
    return found


def merged(known: ByHand, seen: Values | None, now: Values, cells: Iterable[tuple[str, str]]) -> ByHand:
    """Merge what a student's submission in the gradebook has ``now`` into what OUT knows.

    ``seen`` is what the grader last saw in this database, None if nothing by hand. If OUT last saw the same,
    each difference is a person's change. If not, the database is new, restored, or shared with another OUT:
    then only what OUT never had is a change. All else that counts in OUT is to be entered again, as far as
    there are ``cells``.
    """
    changes, same = known.changes, seen == known.in_gradebook
    for key in sorted(cells):
        value = now.get(key)
        had = {one.value for one in known.changes if (one.what, one.criterion) == key}
        if same:
            is_new = value != (seen or {}).get(key)
        elif value is None:
            is_new = key in (seen or {}) and bool(had) and None not in had
        else:
            is_new = value not in had
        if is_new and value != values_of(changes).get(key):
            changes = (*changes, _change(key, value))
    if any(what != "comment" for what, _ in now):  # what an earlier version kept as a whole is known in parts
        whole = {one.source: one for one in changes if not one.criterion}
        changes += tuple(Change("", None, source) for source, one in whole.items() if one.points is not None)
    counting = values_of(changes)
    return ByHand(changes, {key: counting[key] for key in cells if key in counting})


def _change(key: tuple[str, str], value: float | str | None) -> Change:
    what, name = cast("tuple[Literal['points', 'extra', 'comment'], str]", key)
    if what == "comment":
        return Change(name, None, "formgrader", what=what, text=str(value or ""))
    return Change(name, None if value is None else float(value), "formgrader", what=what)
