"""The journal of uploads and exports: one JSON line a step, on disk before the step is taken.

After a crash the last line may be cut off. It is ignored: a step that is not written down has not begun. The
journal holds ids and points, no names and no tokens.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from grader.base.errors import GraderError
from grader.grading.score import points_text

JOURNAL_FILE = "uploads.jsonl"


@dataclass(frozen=True)
class Step:
    """One step of one student's score: about to be sent, accepted there, seen there; or exported."""

    place: str  # platform and assignment
    student: str
    digest: str  # what was sent
    state: Literal["sending", "sent", "seen", "exported"]
    points: Annotated[str, msgspec.Meta(pattern=r"^(?:-?[0-9]+(?:\.[0-9]+)?)?$")]  # empty: no score
    touched: str = ""  # the platform's own mark of the last change
    stamp: Annotated[int, msgspec.Meta(ge=0, le=10**11)] = 0  # sent along: seconds since 1970
    attempt: int = 0  # the number of the scored attempt, where there is one


class Journal:
    """The journal of one OUT; steps are only added."""

    def __init__(self, out: Path) -> None:
        """Read the journal, if there is one; GraderError if a line before the last is damaged."""
        self.path = out / JOURNAL_FILE
        self._steps: dict[tuple[str, str], list[Step]] = {}
        try:
            data = self.path.read_bytes() if self.path.exists() else b""
        except OSError as error:
            raise GraderError(f"{self.path} cannot be read: {error.strerror}.") from None
        *whole, rest = data.split(b"\n")
        self._keep = len(data) - len(rest)
        for number, line in enumerate(whole, start=1):
            try:
                self._remember(msgspec.json.decode(line, type=Step))
            except msgspec.DecodeError:
                raise GraderError(
                    f"{self.path} line {number} is damaged; move the file away to start again. Scores on the "
                    "platform then count as somebody else's."
                ) from None

    def of(self, place: str, student: str) -> list[Step]:
        """Return a student's steps from the last time that their score was seen on the platform."""
        steps = self._steps.get((place, student), [])
        seen = [number for number, step in enumerate(steps) if step.state == "seen" and step.points]
        return steps[seen[-1] :] if seen else steps

    def points_sent(self, platform: str, student: str) -> frozenset[Decimal]:
        """Return the points that ever left for a platform, in a file or by upload."""
        return frozenset(
            Decimal(step.points)
            for (place, whose), steps in self._steps.items()
            for step in steps
            if step.points and whose == student and place.partition(" ")[0] == platform
        )

    def add_export(self, platform: str, points: Mapping[str, Decimal]) -> None:
        """Note the points in a file for a platform, by student, so that they are known again there."""
        place = f"{platform} file"
        self.add(Step(place, student, "", "exported", points_text(one)) for student, one in points.items())

    def add(self, steps: Iterable[Step]) -> None:
        """Add steps; they are on disk when this returns, or GraderError says why not."""
        steps = list(steps)
        lines = b"".join(msgspec.json.encode(step) + b"\n" for step in steps)
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.truncate(self._keep)
                stream.seek(self._keep)
                stream.write(lines)
                stream.flush()
                os.fsync(handle)
        except OSError as error:
            raise GraderError(f"{self.path} could not be written: {error.strerror}.") from None
        self._keep += len(lines)
        for step in steps:
            self._remember(step)

    def _remember(self, step: Step) -> None:
        self._steps.setdefault((step.place, step.student), []).append(step)
