"""An exercise: which files are handed in, which functions stand in them, what earns a task's points."""

from __future__ import annotations

import msgspec
import pytest

from grader.course.model import Criterion, Exercise, Limits, Task

TASKS = (
    Task("pool.py", "The pool", "room"),
    Task("guess.py", "A guess", "guess"),
    Task("pool.py", "What is left", "slack"),
)
CRITERIA = (
    Criterion("slack", "hidden", "TestSlack", 2, "leaves nothing", "Count again.", "slack-none"),
    Criterion("room", "visible", "TestRoom", 1, "finds room", "Look from the front.", "room-first"),
    Criterion("slack", "visible", "TestSome", 3, "leaves some", "Count on.", "slack-some"),
)
POOL = Exercise("pool", "Pool", 6, None, None, Limits(), TASKS, CRITERIA, {})


def test_files_in_the_order_of_the_tasks():
    """A file of two tasks is handed in once, where its first task stands."""
    assert POOL.files == ("pool.py", "guess.py")


def test_functions_of_each_file():
    """A task named like its file asks for constants, so that file has no function to look for."""
    assert POOL.functions == {"pool.py": ("room", "slack"), "guess.py": ()}


def test_one_task():
    """A task is found by its name."""
    assert POOL.task("slack").title == "What is left"


def test_criteria_of_a_task():
    """Those of one task alone, in the order in which they are written; none for a task that earns nothing."""
    assert [criterion.id for criterion in POOL.criteria_of("slack")] == ["slack-none", "slack-some"]
    assert POOL.criteria_of("guess") == ()


def test_default_limits_are_within_their_bounds():
    """What a course leaves out would be accepted if it were written down."""
    assert msgspec.convert(msgspec.to_builtins(Limits()), Limits) == Limits()
    with pytest.raises(msgspec.ValidationError, match="memory_mib"):
        msgspec.convert({"memory_mib": 63}, Limits)
