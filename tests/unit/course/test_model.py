"""An exercise: its files, their functions, and the criteria of a task."""

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
    """A file of two tasks is listed once, at its first task."""
    assert POOL.files == ("pool.py", "guess.py")


def test_functions_of_each_file():
    """A task with the name of its file stands for constants, so the file has no functions."""
    assert POOL.functions == {"pool.py": ("room", "slack"), "guess.py": ()}


def test_one_task():
    """A task is found by its name."""
    assert POOL.task("slack").title == "What is left"


def test_criteria_of_a_task():
    """A task's criteria keep the order of course.toml; a task without criteria has none."""
    assert [criterion.id for criterion in POOL.criteria_of("slack")] == ["slack-none", "slack-some"]
    assert POOL.criteria_of("guess") == ()


def test_default_limits_are_within_their_bounds():
    """The default limits would be accepted in course.toml."""
    assert msgspec.convert(msgspec.to_builtins(Limits()), Limits) == Limits()
    with pytest.raises(msgspec.ValidationError, match="memory_mib"):
        msgspec.convert({"memory_mib": 63}, Limits)
