"""What is wrong with a course: where, and in one clause what is wrong and what would be right."""

from __future__ import annotations

from dataclasses import dataclass

from grader.course.model import Exercise


@dataclass(frozen=True)
class Finding:
    """One problem; ``where`` is ``file:line`` below the course's folder, or ``course.toml: key``."""

    where: str
    text: str

    def __str__(self) -> str:
        """The problem as one line."""
        return f"{self.where}: {self.text}" if self.where else self.text


def at_key(exercise: Exercise, key: str, text: str) -> Finding:
    """A problem of a key of the exercise's section, such as ``criterion.used-sum.hint``."""
    owner = next((c for c in exercise.criteria if key.startswith(f"criterion.{c.id}.")), None)
    return Finding(f"{owner.file if owner else 'course.toml'}: exercise.{exercise.name}.{key}", text)
