"""What is wrong with a course: where, and in one clause what is wrong and what would be right."""

from __future__ import annotations

from dataclasses import dataclass

from grader.exercise import Exercise


@dataclass(frozen=True)
class Finding:
    """One problem; ``where`` is ``file:line`` below the course's folder, or ``course.toml: key``."""

    where: str
    text: str

    def __str__(self) -> str:
        """The problem as one line."""
        return f"{self.where}: {self.text}" if self.where else self.text


def at_key(exercise: Exercise, key: str, text: str) -> Finding:
    """A problem of a key of the exercise's section in course.toml, such as ``criterion.used-sum.hint``."""
    return Finding(f"course.toml: exercise.{exercise.name}.{key}", text)
