"""A problem of a course: where it is, what is wrong and what would be right."""

from __future__ import annotations

from dataclasses import dataclass

from grader.base.errors import CourseError
from grader.course.model import Course, Exercise


@dataclass(frozen=True)
class Finding:
    """One problem; ``where`` is ``file:line`` below the course's folder, or ``course.toml: key``."""

    where: str
    text: str

    @classmethod
    def of(cls, error: CourseError) -> Finding:
        """Make a finding of an error, which says itself where it is."""
        return cls("", str(error).rstrip("."))

    def __str__(self) -> str:
        """The problem as one line."""
        return f"{self.where}: {self.text}" if self.where else self.text


def at_key(exercise: Exercise, key: str, text: str) -> Finding:
    """Make a finding about a key of the exercise's section, such as ``criterion.used-sum.hint``."""
    owner = next((c for c in exercise.criteria if key.startswith(f"criterion.{c.id}.")), None)
    return Finding(f"{owner.file if owner else 'course.toml'}: exercise.{exercise.name}.{key}", text)


def build_call(course: Course, exercise: Exercise) -> str:
    """Write the call that generates an exercise's files."""
    return f"grader build --exercise {exercise.name}" if len(course.exercises) > 1 else "grader build"
