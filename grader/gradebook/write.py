"""Read and write many rows of a table at once: one query, and one statement for what differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from sqlalchemy import Connection

Row = dict[str, Any]


class Changes:
    """Collect rows to insert, update and delete, table by table."""

    def __init__(self) -> None:
        self._insert: dict[Any, list[Row]] = defaultdict(list)
        self._update: dict[Any, list[Row]] = defaultdict(list)
        self._delete: dict[Any, list[Row]] = defaultdict(list)

    def put(self, table: Any, row: Row, old: Row | None, first: Row | None = None) -> str:
        """Insert a row (with ``first``, what is only set once), or update the columns that differ.

        Another program may write the others meanwhile: formgrader points by hand, say.

        Returns:
            The row's key.
        """
        if old is None:
            new = {"id": uuid4().hex} | (first or {}) | row
            self._insert[table].append(new)
            return str(new["id"])
        if changed := {f"new_{name}": value for name, value in row.items() if old[name] != value}:
            self._update[table].append({"key": old["id"]} | changed)
        return str(old["id"])

    def remove(self, table: Any, rows: Iterable[Row]) -> None:
        """Delete these rows."""
        self._delete[table] += [{"key": row["id"]} for row in rows]

    def write(self, connection: Connection) -> None:
        """Send everything, in the transaction of the connection: parents in first, children out first."""
        from sqlalchemy import bindparam  # noqa: PLC0415 - only recording needs it

        for table in reversed(_in_order(self._delete)):
            if keys := self._delete[table]:
                connection.execute(table.delete().where(table.c.id == bindparam("key")), keys)
        for table in _in_order(self._insert):
            connection.execute(table.insert(), self._insert[table])
        for table, rows in self._update.items():
            alike: dict[tuple[str, ...], list[Row]] = defaultdict(list)
            for row in rows:
                alike[tuple(row)].append(row)
            for (_, *names), some in alike.items():
                values: dict[str, Any] = {name.removeprefix("new_"): bindparam(name) for name in names}
                connection.execute(table.update().where(table.c.id == bindparam("key")).values(values), some)


def _in_order(tables: Iterable[Any]) -> list[Any]:
    """Tables, each after those that it refers to."""
    found = list(tables)
    return [table for table in found[0].metadata.sorted_tables if table in found] if found else []


def rows_of(connection: Connection, column: Any, values: Sequence[str], **where: str) -> list[Row]:
    """All rows of the column's table in which it has one of the values."""
    if not values:
        return []
    found = connection.execute(column.table.select().where(column.in_(values)).filter_by(**where))
    names = tuple(found.keys())
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def by_one(rows: Iterable[Row], name: str) -> dict[str, Row]:
    """Rows by the value of a column."""
    return {row[name]: row for row in rows}
