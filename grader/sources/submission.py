"""One student's submission as bytes, under names that the exercise chose."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

CellKind = Literal["answer", "given", "tests", "other"]


@dataclass(frozen=True)
class Cell:
    """A code cell of a notebook, or a part of one, in the order in which cells are run.

    ``name`` is how messages call it (``code cell 3``). ``source`` is its text in UTF-8, and ``above`` counts
    the lines that stand above it in what ``name`` names. ``kind`` is ``answer`` (a task's own cell),
    ``given`` (our code), ``other``, or ``tests``: the place of the tests of ``task``, which is never run.
    ``task`` is empty for a cell of no task.
    """

    name: str
    source: bytes
    kind: CellKind = "other"
    task: str = ""
    above: int = 0


@dataclass(frozen=True)
class Submission:
    """What one student handed in for one exercise.

    ``files`` maps an expected name (``lab.py``) to the bytes that are graded under it; ``helpers``
    holds the other ``.py`` files by their module's file name. ``notebook`` holds the bytes of the notebook,
    unless every expected file came as ``.py``; a ``.py`` file takes precedence over the notebook. ``cells``
    are the notebook's code, which stands for the expected files that did not come.
    ``problems`` maps an expected name to the sentence that says why that file could not be taken. ``notes``
    are sentences for the student about what was taken and left out, ``flags`` words for the instructor.
    ``received_as`` is the name under which the platform delivered it. ``submitted_at`` is an aware time, or
    None when the platform does not say. ``attempt`` is the platform's number of it, or counts from 1.
    """

    student: str
    files: Mapping[str, bytes]
    helpers: Mapping[str, bytes] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    received_as: str = ""
    submitted_at: datetime | None = None
    name: str = ""
    email: str = ""
    attempt: int = 1
    notebook: bytes | None = None
    notes: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()

    def noted(self, notes: Iterable[str], flags: Iterable[str] = ()) -> "Submission":
        """Return the submission with these notes and flags added; flags are sorted."""
        return replace(self, notes=(*self.notes, *notes), flags=tuple(sorted({*self.flags, *flags})))

    @property
    def digest(self) -> str:
        """SHA-256 in hexadecimal of the names and bytes of everything that is graded."""
        parts = [(b"file", name, self.files[name]) for name in sorted(self.files)]
        parts += [(b"helper", name, self.helpers[name]) for name in sorted(self.helpers)]
        if self.notebook is not None:
            parts.append((b"notebook", "", self.notebook))
        total = hashlib.sha256()
        for kind, name, data in parts:
            for part in (kind, name.encode(), data):
                total.update(len(part).to_bytes(8, "big") + part)
        return total.hexdigest()
