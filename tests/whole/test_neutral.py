"""The grader serves any lesson: no file of it names one of this course's."""

import re

from helpers.paths import ROOT

from grader.course.load import load_course


def test_grader_names_no_lesson():
    """Names of lessons, of their functions and of students' files stand nowhere in ``grader/``."""
    course = load_course(ROOT / "course.toml")
    assert course.exercises
    names = {name for exercise in course.exercises.values() for name in (exercise.name, *exercise.files)}
    names |= {task for one in course.exercises.values() for some in one.functions.values() for task in some}
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))}|Part 1)\b")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted((ROOT / "grader").rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
