"""A course and its exercises: tasks, criteria that earn points, and the limits of one submission."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from grader.base.errors import CourseError, UsageError
from grader.course.platforms import Platform

Visibility = Literal["visible", "hidden"]
Seconds = Annotated[float, Meta(gt=0, le=3600)]
Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Sentence = Annotated[str, Meta(min_length=3, max_length=400)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one submission may use.

    CPU seconds are the submission's own clock, so that a busy machine fails nobody; the wall limits are
    larger and only catch code that waits.
    """

    call_cpu_seconds: Seconds = 1.0
    call_wall_seconds: Seconds = 6.0
    import_cpu_seconds: Seconds = 2.0
    submission_cpu_seconds: Seconds = 8.0
    submission_wall_seconds: Seconds = 24.0
    memory_mib: Annotated[int, Meta(ge=64, le=16384)] = 512
    output_kib: Annotated[int, Meta(ge=1, le=1024)] = 8
    open_files: Annotated[int, Meta(ge=8, le=1024)] = 32
    file_kib: Annotated[int, Meta(ge=1, le=4096)] = 256

    def shared(self, share: float) -> Limits:
        """Return the limits with this share of the submission's seconds."""
        return msgspec.structs.replace(
            self,
            submission_cpu_seconds=self.submission_cpu_seconds * share,
            submission_wall_seconds=self.submission_wall_seconds * share,
        )


class LatePolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What lateness costs: ``percent_per_day`` of the maximum for each started day, up to ``cap_percent``."""

    applied_by: Literal["kit", "platform"]
    percent_per_day: Annotated[float, Meta(ge=0, le=100)] = 10.0
    cap_percent: Annotated[float, Meta(ge=0, le=100)] = 100.0
    grace_minutes: Annotated[int, Meta(ge=0)] = 0


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing to do: a function of ``file``, or the constants of a file with the task's name."""

    file: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*\.py$")]
    title: Sentence
    name: str = ""
    hints: tuple[Sentence, ...] = ()  # given one at a time: a question, a smaller case, the next idea
    gives: Annotated[str, Meta(max_length=400)] = ""  # what it returns, for the handout's table

    @property
    def of_constants(self) -> bool:
        """True if the task, named like its file, stands for the file's constants instead of a function."""
        return self.name == self.file.removesuffix(".py")

    @property
    def label(self) -> str:
        """A short name for students: the function's, or of constants the beginning of the title."""
        return re.split(r" \(TODO |:", self.title)[0] if self.of_constants else self.name


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One idea that earns points: all tests of the class ``tests`` pass, or the points are not earned."""

    task: str
    visibility: Visibility
    tests: Annotated[str, Meta(pattern=r"^Test[A-Za-z0-9]+$")]
    points: Annotated[int, Meta(ge=1, le=1000)]
    sentence: Sentence  # completes "your function ..."
    hint: Sentence  # an action, of at most 45 words
    id: str = ""
    private: bool = False  # its tests lie in the course's private folder

    @property
    def file(self) -> str:
        """The settings file in which its section stands."""
        return "private.toml" if self.private else "course.toml"


@dataclass(frozen=True)
class Exercise:
    """One lesson's exercise: a folder of this name in ``exercises``, ``solutions`` and ``tests/*``."""

    name: str
    title: str
    points: int
    due: datetime | None
    late: LatePolicy | None
    limits: Limits
    tasks: tuple[Task, ...]
    criteria: tuple[Criterion, ...]
    platform: Mapping[str, Platform]
    missing: Literal["blank", "zero"] = "blank"  # what those get who handed in nothing: no score, or 0 points
    others: tuple[Exercise, ...] = field(default=(), repr=False)
    """The other exercises of the course that are no drafts, to recognise what was handed in for them."""
    draft: bool = False  # still being written: only commands that name it use it
    released: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """The files as students got them, and the notebook, by name; without those that are not built yet."""

    # Worked out once: reading a hand-in asks for them dozens of times.
    @cached_property
    def files(self) -> tuple[str, ...]:
        """The names of the files that a student hands in, in the order of the tasks."""
        return tuple(dict.fromkeys(task.file for task in self.tasks))

    @property
    def notebook(self) -> str:
        """The name of the notebook that may be handed in instead: that of the last file, with ``.ipynb``."""
        return self.files[-1].removesuffix(".py") + ".ipynb"

    @cached_property
    def functions(self) -> Mapping[str, tuple[str, ...]]:
        """The functions that a student writes, by file."""
        return {
            file: tuple(task.name for task in self.tasks if task.file == file and not task.of_constants)
            for file in self.files
        }

    @property
    def marked(self) -> tuple[str, ...]:
        """The names of the tasks that earn points."""
        return tuple(task.name for task in self.tasks if self.criteria_of(task.name))

    @property
    def public(self) -> Exercise:
        """The exercise without one instructor's private criteria; no generated file has those."""
        criteria = tuple(criterion for criterion in self.criteria if not criterion.private)
        return replace(self, criteria=criteria, points=sum(criterion.points for criterion in criteria))

    def task(self, name: str) -> Task:
        """Return the task with this name."""
        return next(task for task in self.tasks if task.name == name)

    def criteria_of(self, task: str) -> tuple[Criterion, ...]:
        """Return the criteria of one task in the order of course.toml."""
        return tuple(criterion for criterion in self.criteria if criterion.task == task)


@dataclass(frozen=True)
class Course:
    """A course: its folder, its settings and its exercises by name."""

    root: Path
    title: str
    timezone: ZoneInfo
    attempts: Literal["latest", "best"]
    gradebook: str
    exercises: Mapping[str, Exercise]
    sample: bool = False  # the class that comes with the kit: the first real results replace its results
    private: Path | None = None  # the folder of an instructor's own hidden tests
    id_column: str = ""
    """The column of platforms' lists that has the students' ids; empty: the list's usual one."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """Drafts with a section that cannot be used yet: why not, by name."""

    @property
    def finished(self) -> tuple[Exercise, ...]:
        """The exercises that are no drafts."""
        return tuple(exercise for exercise in self.exercises.values() if not exercise.draft)

    def exercise(self, name: str | None) -> Exercise:
        """Return the exercise with this name; without a name the only one, or the only one that is no draft.

        Raises:
            UsageError: There is no such exercise, or several and none was named.
            CourseError: Its section, that of a draft, has a mistake.
        """
        if name and name in self.broken:
            raise CourseError(self.broken[name])
        known = [*self.exercises, *self.broken]
        if name is None:
            found = self.finished or tuple(self.exercises.values())
            if len(found) != 1:
                raise UsageError(
                    f"The course has several exercises; name one with --exercise: {', '.join(known)}."
                )
            return found[0]
        if name not in self.exercises:
            raise UsageError(f"There is no exercise {name!r} in course.toml; there is: {', '.join(known)}.")
        return self.exercises[name]


def test_file(course: Course, exercise: Exercise, criterion: Criterion) -> Path:
    """Return the file with a criterion's test class."""
    name = f"test_{exercise.task(criterion.task).file}"
    root = course.private if criterion.private and course.private else course.root
    return root / "tests" / criterion.visibility / exercise.name / name


def class_id(exercise: Exercise, criterion: Criterion) -> str:
    """Return the node id of a criterion's test class; private ones begin with ``private/``."""
    place = "private" if criterion.private else criterion.visibility
    return f"{place}/{exercise.name}/test_{exercise.task(criterion.task).file}::{criterion.tests}"
