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
    holds other ``.py`` files that came along, by their plain names. ``problems`` says, a sentence each, why
    an expected file could not be taken, by its expected name. ``flags`` are words for the instructor.
    ``submitted_at`` is an aware time or None when the platform does not say.
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

    @property
    def digest(self) -> str:
        """SHA-256 over names and bytes of all that is graded, as hexadecimal digits."""
        total = hashlib.sha256()
        for kind, files in ((b"file", self.files), (b"helper", self.helpers)):
            for name in sorted(files):
                for part in (kind, name.encode(), files[name]):
                    total.update(len(part).to_bytes(8, "big") + part)
        return total.hexdigest()
