"""One student's hand-in, as bytes: nothing of it touches a file system path of its own naming again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Submission:
    """What one student handed in for one exercise.

    ``files`` maps an expected name (``reservation.py``) to the bytes that are graded under it; ``helpers``
    holds other ``.py`` files that came along, by their plain names. ``notebook`` is the bytes of the one
    notebook that came, kept only while an expected file is absent: a file in ``files`` goes before what the
    notebook says. ``problems`` says, a sentence each, why an expected file could not be taken, by its
    expected name. ``notes`` are sentences for the student about what was taken and what was left out;
    ``flags`` are words for the instructor. ``submitted_at`` is an aware time, or None when the platform does
    not say. ``attempt`` numbers the attempts of one student as the platform does, or from 1.
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

    @property
    def nothing(self) -> bool:
        """Nothing was handed in that could be graded or that anyone could be told about."""
        return not self.files and not self.problems and self.notebook is None

    @property
    def digest(self) -> str:
        """SHA-256 over names and bytes of all that is graded, as hexadecimal digits."""
        parts = [(b"file", name, self.files[name]) for name in sorted(self.files)]
        parts += [(b"helper", name, self.helpers[name]) for name in sorted(self.helpers)]
        if self.notebook is not None:
            parts.append((b"notebook", "", self.notebook))
        total = hashlib.sha256()
        for kind, name, data in parts:
            for part in (kind, name.encode(), data):
                total.update(len(part).to_bytes(8, "big") + part)
        return total.hexdigest()
