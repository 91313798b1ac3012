"""Write a notebook: nbformat 4.5 with nbgrader's cell metadata, the same bytes for the same cells.

The metadata follow nbgrader's schema version 3. A cell's fingerprint is nbgrader's own
(``nbgrader.utils.compute_checksum``), computed here so that building and reading a notebook need neither
nbgrader nor Jupyter. A test compares the two.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

# Markdown; code that a student may run but not change; an answer; locked tests; code without metadata.
Kind = Literal["text", "shown", "answer", "tests", "plain"]

_ROLES: Mapping[Kind, tuple[bool, bool, bool]] = {  # grade, solution, locked
    "shown": (False, False, True),
    "answer": (False, True, False),
    "tests": (True, False, True),
}
_SCHEMA = 3


@dataclass(frozen=True)
class NotebookCell:
    """One cell of a notebook to write; the code of a ``folded`` one is hidden until one clicks on it."""

    id: str
    kind: Kind
    source: str
    points: int = 0
    folded: bool = False


def notebook_bytes(cells: Iterable[NotebookCell], *, released: bool) -> bytes:
    """Write the file; if ``released``, with fingerprints and locks as ``nbgrader generate_assignment``."""
    document = {
        "cells": [_cell(cell, released=released) for cell in cells],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return msgspec.json.format(text.encode(), indent=1) + b"\n"


def fingerprint(source: str, cell_type: str, metadata: Mapping[str, Any]) -> str:
    """Compute nbgrader's checksum of a cell, over source, type, id and points; it shows later changes."""
    parts = [source, cell_type, *(str(metadata.get(key) is True) for key in ("grade", "solution", "locked"))]
    parts.append(str(metadata.get("grade_id", "")))
    if metadata.get("grade") is True:
        parts.append(str(float(metadata.get("points", 0))))
    joined = "".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.md5(joined, usedforsecurity=False).hexdigest()


def cell_fingerprint(cell: NotebookCell) -> str:
    """Compute the fingerprint of a cell that is ``shown``, an ``answer`` or ``tests``."""
    return fingerprint(cell.source, "code", _role(cell))


def _role(cell: NotebookCell) -> dict[str, Any]:
    """Make nbgrader's metadata of a cell."""
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


def _cell(cell: NotebookCell, *, released: bool) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if cell.kind in _ROLES:
        role = _role(cell)
        metadata["nbgrader"] = role
        if cell.folded:
            metadata["jupyter"] = {"source_hidden": True}
        if released:
            role |= {"cell_type": "code", "checksum": cell_fingerprint(cell)}
            metadata["deletable"] = False
            if role["locked"]:
                metadata["editable"] = False
    made = {"id": cell.id, "metadata": metadata, "source": cell.source.splitlines(keepends=True)}
    if cell.kind == "text":
        return {"cell_type": "markdown", **made}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **made}
