"""Which expected file a source file is, by the functions that it defines."""

from __future__ import annotations

import re

from grader.course.model import Exercise
from grader.intake.chosen import limit_of
from grader.sources.tree import Member, UnreadableError


def defines(member: Member, exercise: Exercise) -> list[str]:
    """The expected files of which a file defines a function, in the exercise's order.

    Looked for in the text, as to parse what was handed in would be a risk without need.
    """
    try:
        text = member.read(limit_of(exercise))
    except UnreadableError:
        return []
    return [
        file
        for file, functions in exercise.functions.items()
        if any(re.search(rb"^(?:async\s+)?def\s+%b\s*\(" % f.encode(), text, re.MULTILINE) for f in functions)
    ]
