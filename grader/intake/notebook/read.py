"""Parse the bytes of a handed-in notebook into its code cells, within fixed bounds; nothing is run.

Reads what editors and platforms make of a notebook: formats 3 and 4, a byte order mark, UTF-16, the Windows
code page, cells without metadata. For anything else an error says what it is and what to do: an empty file,
a web page, Python text, conflict marks, a file that was cut off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grader.base.errors import GraderError
from grader.base.text import marked_encoding
from grader.course.model import Exercise
from grader.lesson.format import fingerprint
from grader.sources.submission import CellKind

MAX_NOTEBOOK = 100 << 20
"""Bytes of a notebook that are read at most; pictures in the outputs make notebooks large."""
MAX_CELLS = 2000
"""Cells of a notebook that are read at most."""

_CONFLICT = re.compile(r"^[ \t]*(?:<{7}|>{7})(?:\s|$)", re.MULTILINE)
_PYTHON = re.compile(r"^(?:(?:def|class|import|from|if|for|while)\b|@|#|[A-Za-z_]\w*[ \t]*=)", re.MULTILINE)


class NotebookError(GraderError):
    """A notebook that cannot be read; the text is a sentence for the student who handed it in."""


@dataclass(frozen=True)
class DocumentCell:
    """A code cell of a handed-in notebook, or an answer cell that was turned into text.

    ``name`` numbers the code cells from 1. ``grade_id`` is nbgrader's name of the cell, or empty. ``kind``
    is ``answer`` (a task's own cell), ``tests``, ``given`` (other locked code) or ``other``. ``changed`` says
    that a locked cell is not as it was handed out. ``above`` counts the lines that
    stand above it in what ``name`` names.
    """

    name: str
    source: str
    grade_id: str = ""
    kind: CellKind = "other"
    was_text: bool = False
    changed: bool = False
    above: int = 0


@dataclass(frozen=True)
class Document:
    """The cells in order, the notebook's language (or empty), and whether its encoding was guessed."""

    cells: tuple[DocumentCell, ...]
    language: str = ""
    reencoded: bool = False


def read_document(data: bytes, exercise: Exercise) -> Document:
    """Parse a notebook.

    Raises:
        NotebookError: It is not a notebook or too large; the sentence says what it is and what to do.
    """
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise NotebookError("The notebook is empty (0 bytes); save it and hand it in again.")
    if len(data) > MAX_NOTEBOOK:
        raise NotebookError(
            f"The notebook has {len(data) >> 20} MiB, and at most {MAX_NOTEBOOK >> 20} are read; "
            "clear its outputs, save it and hand it in again."
        )
    text, reencoded = _text(data)
    try:
        # A number may have any length here, and a float costs no time to make.
        document = json.loads(text, strict=False, parse_int=float)
    except (ValueError, RecursionError) as error:
        raise NotebookError(_why_not(text, error)) from None
    cells, metadata = _parts(document)
    if len(cells) > MAX_CELLS:
        raise NotebookError(f"The notebook has {len(cells)} cells, and at most {MAX_CELLS} are read.")
    return Document(tuple(_cells(cells, exercise)), _language(metadata), reencoded)


def _text(data: bytes) -> tuple[str, bool]:
    """Decode the file; return its text, and whether the encoding was guessed."""
    if encoding := marked_encoding(data):
        return data.decode(encoding, "replace"), False
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), True


def _why_not(text: str, error: ValueError | RecursionError) -> str:
    """Say in one sentence why a file is not JSON and what to do."""
    start = text.lstrip()[:200].lower()
    if found := _CONFLICT.search(text):
        line = text.count("\n", 0, found.start()) + 1
        return f"The notebook holds conflict marks of a merge at line {line}; settle them, then hand it in."
    if not start.startswith(("{", "[")):
        return _what_else(text, start)
    if not isinstance(error, json.JSONDecodeError):
        return "The notebook is damaged: its data are nested without end."
    if error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated string"):
        return f"The notebook is cut off at line {error.lineno}; save it whole and hand it in again."
    return f"The notebook is damaged at line {error.lineno}: what stands there is not JSON."


def _what_else(text: str, start: str) -> str:
    """Say in one sentence what a file is that does not begin like a notebook."""
    if start.startswith("<"):
        return "This is a web page (HTML), not a notebook; download the notebook itself and hand that in."
    if start.startswith(("pk\x03", "%pdf", "\x1f", "\x89png")):
        return "This is a file of another kind under a notebook's name; hand in the notebook itself."
    if _PYTHON.search(text):
        return "This is Python text, not a notebook; hand it in as .py files, or save the notebook itself."
    return "This is not a notebook but some other text; hand in the notebook itself."


def _parts(document: Any) -> tuple[list[Any], Mapping[str, Any]]:
    """Return the raw cells, of format 4 or 3, and the notebook's metadata."""
    if isinstance(document, dict):
        metadata = document.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        cells = document.get("cells")
        if isinstance(cells, list):
            return cells, metadata
        sheets = document.get("worksheets")
        if isinstance(sheets, list):
            lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
            return [cell for cells in lists if isinstance(cells, list) for cell in cells], metadata
    raise NotebookError("This is JSON but not a notebook: it has no cells; hand in the notebook itself.")


def _cells(cells: list[Any], exercise: Exercise) -> Iterator[DocumentCell]:
    tasks = {task.name for task in exercise.tasks}
    number = 0
    for cell in cells:
        if not isinstance(cell, dict):
            continue
        is_code = cell.get("cell_type") == "code"
        ours = cell.get("metadata")
        ours = ours.get("nbgrader") if isinstance(ours, dict) else None
        ours = ours if isinstance(ours, dict) else {}
        number += is_code
        if not is_code and ours.get("solution") is not True:
            continue
        yield code_cell(
            f"code cell {max(number, 1)}",
            _source(cell.get("input" if "input" in cell else "source")),
            ours,
            tasks,
            was_text=not is_code,
        )


def code_cell(
    name: str,
    source: str,
    ours: Mapping[str, Any],
    tasks: Collection[str],
    *,
    was_text: bool = False,
    above: int = 0,
) -> DocumentCell:
    """Make a cell from its text and nbgrader's metadata, in which anything may stand."""
    grade_id = ours.get("grade_id")
    grade_id = grade_id if isinstance(grade_id, str) else ""
    kind: CellKind = "other"
    if ours.get("solution") is True and grade_id in tasks:
        kind = "answer"
    elif ours.get("grade") is True:
        kind = "tests"
    elif ours.get("locked") is True:
        kind = "given"
    changed = kind in ("tests", "given") and _changed(source, ours)
    return DocumentCell(name, source, grade_id, kind, was_text, changed, above)


def _source(value: Any) -> str:
    """Return a cell's text, which is one string or a list of lines."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return value.replace("\r\n", "\n").replace("\r", "\n") if isinstance(value, str) else ""


def _changed(source: str, ours: Mapping[str, Any]) -> bool:
    """Return whether a locked cell has another fingerprint than when it was handed out."""
    points = ours.get("points", 0)
    if not isinstance(points, int | float) or isinstance(points, bool):
        return True
    if not isinstance(ours.get("grade_id", ""), str):  # it may be nested too deeply to be hashed
        return True
    kept = ours.get("checksum")
    return kept is not None and kept != fingerprint(source, "code", ours)


def _language(metadata: Mapping[str, Any]) -> str:
    """Return the language that a notebook names, if it is safe to show, or an empty string."""
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        table = metadata.get(key)
        value = table.get(name) if isinstance(table, dict) else None
        if isinstance(value, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9+#. -]{0,19}", value):
            return value
    return ""
