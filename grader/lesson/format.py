"""A notebook's bytes: nbformat 4.5 with nbgrader's cell metadata, the same bytes for the same cells.

Cell metadata follow nbgrader's schema version 3; the fingerprint of a cell is nbgrader's own
(``nbgrader.utils.compute_checksum``), worked out here so that building and reading a notebook need neither
nbgrader nor Jupyter. A test compares the two.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["text", "shown", "answer", "tests", "plain"]

_ROLES: Mapping[Kind, tuple[bool, bool, bool]] = {  # grade, solution, locked
    "shown": (False, False, True),
    "answer": (False, True, False),
    "tests": (True, False, True),
}
_SCHEMA = 3


@dataclass(frozen=True)
class NotebookCell:
    """One cell to be written.

    ``kind`` says what it is: ``text`` (Markdown), ``shown`` (code that a student may run but not change),
    ``answer``, ``tests`` (locked, worth ``points``) or ``plain`` code without metadata. A ``folded`` cell's
    code is shown on a click.
    """

    id: str
    kind: Kind
    source: str
    points: int = 0
    folded: bool = False


def notebook_bytes(cells: Iterable[NotebookCell], *, released: bool) -> bytes:
    """The file. A ``released`` one has what ``nbgrader generate_assignment`` adds: fingerprints and locks."""
    document = {
        "cells": [_cell(cell, released=released) for cell in cells],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def fingerprint(source: str, cell_type: str, metadata: Mapping[str, Any]) -> str:
    """What nbgrader keeps to tell whether a cell was changed: over source, kind, id and points."""
    parts = [source, cell_type, *(str(metadata.get(key) is True) for key in ("grade", "solution", "locked"))]
    parts.append(str(metadata.get("grade_id", "")))
    if metadata.get("grade") is True:
        parts.append(str(float(metadata.get("points", 0))))
    joined = "".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.md5(joined, usedforsecurity=False).hexdigest()


def _cell(cell: NotebookCell, *, released: bool) -> dict[str, Any]:
    made: dict[str, Any] = {
        "cell_type": "markdown" if cell.kind == "text" else "code",
        "id": cell.id,
        "metadata": _metadata(cell, released=released),
        "source": cell.source.splitlines(keepends=True),
    }
    if made["cell_type"] == "code":
        made |= {"execution_count": None, "outputs": []}
    return made


def cell_fingerprint(cell: NotebookCell) -> str:
    """The fingerprint of a cell with a role in nbgrader, as it is written."""
    return fingerprint(cell.source, "code", _role(cell))


def _role(cell: NotebookCell) -> dict[str, Any]:
    """What nbgrader is told of a cell."""
    grade, solution, locked = _ROLES[cell.kind]
    role: dict[str, Any] = {
        "grade": grade,
        "grade_id": cell.id,
        "locked": locked,
        "schema_version": _SCHEMA,
        "solution": solution,
        "task": False,
    }
    return role | {"points": cell.points} if grade else role


def _metadata(cell: NotebookCell, *, released: bool) -> dict[str, Any]:
    if cell.kind not in _ROLES:
        return {}
    role = _role(cell)
    metadata: dict[str, Any] = {"nbgrader": role}
    if cell.folded:
        metadata["jupyter"] = {"source_hidden": True}
    if released:
        role |= {"cell_type": "code", "checksum": cell_fingerprint(cell)}
        metadata["deletable"] = False
        if role["locked"]:
            metadata["editable"] = False
    return metadata
