"""The kit's lessons, each with its tests, its wrong versions, and answers of a class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from grader.course.model import Exercise
from helpers import block_tables_class, class_answers, right_variants
from helpers.class_answers import Answer, Constants
from helpers.exercise_suites import Suites, load_module
from helpers.paths import ROOT


@dataclass(frozen=True)
class Lesson:
    """One lesson; ``stem`` is the module with its functions, ``by_hand`` the task of constants.

    ``counts`` are the marked constants that are numbers, with the criterion that each earns; ``checks`` are
    the marked ones that are True or False. ``given`` are the right answers.
    """

    suites: Suites
    stem: str
    by_hand: str
    counts: dict[str, str]
    checks: tuple[str, ...]
    given: dict[str, Any]
    right: Sequence[tuple[str, Callable[..., Any]]]
    answers: Sequence[Answer]
    constants: Sequence[Constants]

    @property
    def exercise(self) -> Exercise:
        """The exercise as course.toml has it."""
        return self.suites.exercise

    @property
    def name(self) -> str:
        """The exercise's name."""
        return self.exercise.name

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions that a student writes."""
        return self.exercise.functions[f"{self.stem}.py"]

    def misconceptions(self) -> ModuleType:
        """The registry of wrong versions, loaded anew."""
        return load_module(ROOT / "solutions" / self.name / "misconceptions.py", "wrong")


LESSONS = (
    Lesson(
        Suites("contiguous_reservation"),
        "reservation",
        "hands_on",
        {"RESERVED": "hands-on-reserved", "IDLE": "hands-on-idle", "MORE": "hands-on-more"},
        ("UNUSED_IS_SHARED",),
        class_answers.GIVEN,
        right_variants.RIGHT,
        class_answers.ANSWERS,
        class_answers.CONSTANTS,
    ),
    Lesson(
        Suites("block_tables"),
        "tables",
        "by_hand",
        {"SLOT": "by-hand-slot", "HANDED_OUT": "by-hand-handed-out", "HOLE": "by-hand-hole"},
        ("NEIGHBOURS", "ROOM", "TWICE"),
        block_tables_class.GIVEN,
        block_tables_class.RIGHT,
        block_tables_class.ANSWERS,
        block_tables_class.CONSTANTS,
    ),
)

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
"""Runs a test for every lesson."""
each_function = pytest.mark.parametrize(
    ("lesson", "task"),
    [pytest.param(lesson, task, id=task) for lesson in LESSONS for task in lesson.functions],
)
"""Runs a test for every function of every lesson."""
