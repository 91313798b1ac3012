"""Parse the bytes of a handed-in notebook into its code cells, within fixed bounds; nothing is run.

Reads what editors and platforms make of a notebook: formats 3 and 4, a byte order mark, UTF-16, the Windows
code page, cells without metadata. For anything else an error says what it is and what to do: an empty file,
a web page, Python text, conflict marks, a file that was cut off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
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
    encoding, reencoded = marked_encoding(data) or "utf-8", False
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        reencoded = encoding == "utf-8"
        text = data.decode("cp1252" if reencoded else encoding, "replace")
    try:
        # A number may have any length here, and a float costs no time to make.
        document = json.loads(text, strict=False, parse_int=float)
    except (ValueError, RecursionError) as error:
        raise NotebookError(_why_not(text, error)) from None
    whole = _table(document)
    cells, sheets = whole.get("cells"), whole.get("worksheets")  # of format 4, and of format 3
    if not isinstance(cells, list) and isinstance(sheets, list):
        lists = [_table(sheet).get("cells") for sheet in sheets]
        cells = [cell for some in lists if isinstance(some, list) for cell in some]
    if not isinstance(cells, list):
        raise NotebookError("This is JSON but not a notebook: it has no cells; hand in the notebook itself.")
    if len(cells) > MAX_CELLS:
        raise NotebookError(f"The notebook has {len(cells)} cells, and at most {MAX_CELLS} are read.")
    found = tuple(_cells([_table(cell) for cell in cells], exercise))
    return Document(found, _language(_table(whole.get("metadata"))), reencoded)


def _table(value: Any) -> dict[str, Any]:
    """Return a JSON object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def _why_not(text: str, error: ValueError | RecursionError) -> str:
    """Say in one sentence why a file is not JSON, or what else it is, and what to do."""
    start = text.lstrip()[:200].lower()
    if found := _CONFLICT.search(text):
        at = text.count("\n", 0, found.start()) + 1
        why = f"The notebook holds conflict marks of a merge at line {at}; settle them, then hand it in."
    elif start.startswith(("{", "[")) and isinstance(error, json.JSONDecodeError):
        why = f"The notebook is damaged at line {error.lineno}: what stands there is not JSON."
        if error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated string"):
            why = f"The notebook is cut off at line {error.lineno}; save it whole and hand it in again."
    elif start.startswith(("{", "[")):
        why = "The notebook is damaged: its data are nested without end."
    elif start.startswith("<"):
        why = "This is a web page (HTML), not a notebook; download the notebook itself and hand that in."
    elif start.startswith(("pk\x03", "%pdf", "\x1f", "\x89png")):
        why = "This is a file of another kind under a notebook's name; hand in the notebook itself."
    elif _PYTHON.search(text):
        why = "This is Python text, not a notebook; hand it in as .py files, or save the notebook itself."
    else:
        why = "This is not a notebook but some other text; hand in the notebook itself."
    return why


def _cells(cells: Sequence[dict[str, Any]], exercise: Exercise) -> Iterator[DocumentCell]:
    """Return the code cells, and answer cells that were turned into text."""
    tasks = {task.name for task in exercise.tasks}
    number = 0
    for cell in cells:
        is_code = cell.get("cell_type") == "code"
        ours = _table(_table(cell.get("metadata")).get("nbgrader"))
        number += is_code
        if is_code or ours.get("solution") is True:
            source = cell.get("input" if "input" in cell else "source")
            if isinstance(source, list):
                source = "".join(line for line in source if isinstance(line, str))
            text = source.replace("\r\n", "\n").replace("\r", "\n") if isinstance(source, str) else ""
            yield code_cell(f"code cell {max(number, 1)}", text, ours, tasks, was_text=not is_code)


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


def _changed(source: str, ours: Mapping[str, Any]) -> bool:
    """Return whether a locked cell has another fingerprint than when it was handed out."""
    points, kept = ours.get("points", 0), ours.get("checksum")
    if type(points) not in (int, float) or not isinstance(ours.get("grade_id", ""), str):
        return True  # they may be nested too deeply to be hashed
    return kept is not None and kept != fingerprint(source, "code", ours)


def _language(metadata: Mapping[str, Any]) -> str:
    """Return the language that a notebook names, if it is safe to show, or an empty string."""
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        value = _table(metadata.get(key)).get(name)
        if isinstance(value, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9+#. -]{0,19}", value):
            return value
    return ""
